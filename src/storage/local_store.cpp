// LocalStore over POSIX calls. Two things here are about Spark's local file system (Hadoop's ChecksumFileSystem), which
// keeps ".<name>.crc" beside each file and refuses a file that does not match it: whoever replaces or removes a file of
// its must take that one away too.
#include "storage/local_store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>

#include "core/base/uuid.hpp"
#include "storage/store_calls.hpp"

namespace birdfoot::storage {
namespace {

constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr size_t kTemporaryLength = 1 + 36 + kTemporarySuffix.size();

bool IsTemporary(std::string_view name) {
    return name.size() == kTemporaryLength && name[0] == '.' && name[9] == '-' && name[14] == '-' &&
           name.ends_with(kTemporarySuffix);
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string FolderOf(const std::string &path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
//! Hadoop's checksum file of a file; none for names that it leaves alone.
std::string HadoopChecksumOf(const std::string &path) {
    const auto name = NameOf(path);
    return name.starts_with('.') ? std::string()
                                 : path.substr(0, path.size() - name.size()) + "." + std::string(name) + ".crc";
}

Error Failed(std::string_view doing, const std::string &path, int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return Fail(Condition::BIRDFOOT_NO_SPACE, "Cannot {} {}. {}. Free some space and run the statement again.",
                    doing, path, std::strerror(error));
    case EACCES:
    case EPERM:
    case EROFS:
        return Fail(Condition::BIRDFOOT_IO, "Cannot {} {}. {}. Check the permissions of the file and of its folders.",
                    doing, path, std::strerror(error));
    case ENOTDIR:
    case EEXIST:
        return Fail(Condition::BIRDFOOT_IO,
                    "Cannot {} {}. A part of the path is a file, not a folder. Choose another path.", doing, path);
    case EMFILE:
    case ENFILE:
        return Fail(Condition::BIRDFOOT_IO, "Cannot {} {}. {}. Raise the limit with ulimit -n.", doing, path,
                    std::strerror(error));
    default: return Fail(Condition::BIRDFOOT_IO, "Cannot {} {}. {}.", doing, path, std::strerror(error));
    }
}

bool IsMissing(int error) { return error == ENOENT || error == ENOTDIR; }

//! Repeats a call that a signal interrupted.
template <typename Call>
auto Uninterrupted(Call call) {
    auto result = call();
    while (result == -1 && errno == EINTR) {
        result = call();
    }
    return result;
}

class File {
public:
    explicit File(int fd) : fd_(fd) {}
    File(const File &) = delete;
    ~File() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    int fd() const { return fd_; }
    //! Closing may report what writing did not (network file systems, quotas).
    int Close() {
        const int result = ::close(fd_);
        fd_ = -1;
        return result == 0 || errno == EINTR ? 0 : errno;
    }

private:
    int fd_;
};

class Folder {
public:
    explicit Folder(const std::string &path) : dir_(::opendir(path.c_str())) {}
    Folder(const Folder &) = delete;
    ~Folder() {
        if (dir_) {
            ::closedir(dir_);
        }
    }
    bool is_open() const { return dir_ != nullptr; }
    int fd() const { return ::dirfd(dir_); }
    //! The next name but "." and ".."; null at the end and, with errno set, on an error.
    const char *Next() {
        for (;;) {
            errno = 0;
            const dirent *entry = ::readdir(dir_);
            if (!entry) {
                return nullptr;
            }
            const std::string_view name = entry->d_name;
            if (name != "." && name != "..") {
                return entry->d_name;
            }
        }
    }

private:
    DIR *dir_;
};

ObjectInfo InfoOf(std::string name, const struct stat &status) {
    const int64_t nanos = status.st_mtim.tv_nsec;
    return {std::move(name), static_cast<uint64_t>(status.st_size), status.st_mtim.tv_sec * 1000 + nanos / 1'000'000,
            fmt::format("{:x}-{:x}-{:x}.{:x}", status.st_ino, status.st_size, status.st_mtim.tv_sec, nanos)};
}

bool SortsBefore(const ObjectInfo &a, const ObjectInfo &b) { return a.name < b.name; }

//! Visits the files and folders directly in `folder`; what vanishes meanwhile is left out. A missing one is empty.
Status ForEachEntry(const std::string &folder, const std::string &from, bool follow_links,
                    const std::function<Status(const char *name, const struct stat &status)> &visit) {
    Folder open(folder);
    if (!open.is_open()) {
        return IsMissing(errno) ? Status() : Status(Failed("list", folder, errno));
    }
    while (const char *name = open.Next()) {
        struct stat status {};
        if (std::string_view(name) < from || IsTemporary(name)) {
            continue;
        }
        if (::fstatat(open.fd(), name, &status, follow_links ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
            if (IsMissing(errno) || errno == ELOOP) {
                continue;
            }
            return Failed("read the state of", folder + "/" + name, errno);
        }
        BF_RETURN_IF_ERROR(visit(name, status));
    }
    return errno == 0 ? Status() : Status(Failed("list", folder, errno));
}

Status ListBelow(const std::string &folder, const std::string &prefix, std::vector<ObjectInfo> &found,
                 const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    std::vector<std::string> folders;
    BF_RETURN_IF_ERROR(ForEachEntry(folder, "", false, [&](const char *name, struct stat status) -> Status {
        if (S_ISDIR(status.st_mode)) {
            folders.emplace_back(name);
            return {};
        }
        if (S_ISLNK(status.st_mode) && ::stat((folder + "/" + name).c_str(), &status) != 0) {
            return {};
        }
        if (S_ISREG(status.st_mode)) {
            found.push_back(InfoOf(prefix + name, status));
        }
        return {};
    }));
    for (const auto &name : folders) {
        BF_RETURN_IF_ERROR(ListBelow(folder + "/" + name, prefix + name + "/", found, call));
    }
    return {};
}

Status DeleteTree(const std::string &folder, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    std::vector<std::string> folders;
    std::vector<std::string> files;
    {
        Folder open(folder);
        if (!open.is_open()) {
            return IsMissing(errno) ? Status() : Status(Failed("delete", folder, errno));
        }
        while (const char *name = open.Next()) {
            struct stat status {};
            if (::fstatat(open.fd(), name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
                (S_ISDIR(status.st_mode) ? folders : files).emplace_back(folder + "/" + name);
            }
        }
    }
    for (const auto &file : files) {
        if (::unlink(file.c_str()) != 0 && !IsMissing(errno)) {
            return Failed("delete", file, errno);
        }
    }
    for (const auto &below : folders) {
        BF_RETURN_IF_ERROR(DeleteTree(below, call));
    }
    return ::rmdir(folder.c_str()) == 0 || IsMissing(errno) ? Status() : Status(Failed("delete", folder, errno));
}

Status SyncFolder(const std::string &folder) {
    const File open(Uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    // Some network file systems cannot sync a folder and say EINVAL; there its entries are durable by their own means.
    if (open.fd() < 0 || (Uninterrupted([&] { return ::fsync(open.fd()); }) != 0 && errno != EINVAL)) {
        return Failed("sync the folder", folder, errno);
    }
    return {};
}

//! mkdir -p. A new folder's own entry is synced as well, else the files in it could vanish with it.
Status MakeFolders(const std::string &folder, bool sync) {
    if (::mkdir(folder.c_str(), 0777) != 0) {
        struct stat status {};
        const int error = errno;
        if (error == EEXIST) {
            return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)
                       ? Status()
                       : Status(Failed("make the folder", folder, ENOTDIR));
        }
        const std::string above = FolderOf(folder);
        if (error != ENOENT || above == folder) {
            return Failed("make the folder", folder, error);
        }
        BF_RETURN_IF_ERROR(MakeFolders(above, sync));
        if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
            return Failed("make the folder", folder, errno);
        }
    }
    return sync ? SyncFolder(FolderOf(folder)) : Status();
}

Status WriteAll(const File &file, const std::string &path, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = Uninterrupted([&] { return ::write(file.fd(), bytes.data(), bytes.size()); });
        if (written < 0) {
            return Failed("write", path, errno);
        }
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
}

//! Publishes a temporary file under its final name, unless there is one already.
Result<PutResult> PublishNew(const std::string &temporary, const std::string &path) {
    if (::link(temporary.c_str(), path.c_str()) == 0) {
        return PutResult::kWritten;
    }
    const int error = errno;
    if (error == EEXIST) {
        // Over NFS an answer can be lost and the call repeated: two names say that it was ours.
        struct stat status {};
        return ::stat(temporary.c_str(), &status) == 0 && status.st_nlink > 1 ? PutResult::kWritten
                                                                              : PutResult::kAlreadyExists;
    }
    if (error != EPERM && error != EOPNOTSUPP && error != ENOSYS && error != EMLINK && error != EACCES) {
        return Failed("write", path, error);
    }
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
        return PutResult::kWritten;
    }
    if (errno == EEXIST) {
        return PutResult::kAlreadyExists;
    }
    if (errno == EINVAL || errno == ENOSYS) {
        return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                    "Cannot write {}. Its file system has neither hard links ({}) nor exclusive renames, so that "
                    "concurrent commits could overwrite each other. Keep the table on another file system.",
                    path, std::strerror(error));
    }
    return Failed("write", path, errno);
}

}  // namespace

Result<std::string> LocalStore::Get(const std::string &path, std::optional<ByteRange> range, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountGet(call);
    const File file(Uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
    if (file.fd() < 0) {
        return IsMissing(errno) ? NoSuchObject(path) : Failed("open", path, errno);
    }
    struct stat status {};
    if (::fstat(file.fd(), &status) != 0) {
        return Failed("read the state of", path, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return NoSuchObject(path);
    }
    const auto size = static_cast<uint64_t>(status.st_size);
    if (!range) {
        range = ByteRange{0, size};
    }
    BF_RETURN_IF_ERROR(CheckRange(path, *range, size));
    std::string bytes(range->length, '\0');
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t got = Uninterrupted([&] {
            return ::pread(file.fd(), bytes.data() + done, bytes.size() - done,
                           static_cast<off_t>(range->offset + done));
        });
        if (got < 0) {
            return Failed("read", path, errno);
        }
        if (got == 0) {
            return Fail(Condition::BIRDFOOT_IO, "{} became shorter while it was read.", path);
        }
        done += static_cast<size_t>(got);
    }
    CountBytes(call, bytes.size());
    return bytes;
}

Result<ObjectInfo> LocalStore::Head(const std::string &path, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountHead(call);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return IsMissing(errno) ? NoSuchObject(path) : Failed("read the state of", path, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return NoSuchObject(path);
    }
    return InfoOf(std::string(NameOf(path)), status);
}

Result<std::vector<ObjectInfo>> LocalStore::List(const std::string &folder, const std::string &from, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountList(call);
    std::vector<ObjectInfo> found;
    BF_RETURN_IF_ERROR(ForEachEntry(folder, from, true, [&](const char *name, const struct stat &status) -> Status {
        if (S_ISREG(status.st_mode)) {
            found.push_back(InfoOf(name, status));
        }
        return {};
    }));
    std::sort(found.begin(), found.end(), SortsBefore);
    return found;
}

Result<std::vector<ObjectInfo>> LocalStore::ListRecursive(const std::string &folder, const Call &call) {
    CountList(call);
    std::vector<ObjectInfo> found;
    BF_RETURN_IF_ERROR(ListBelow(folder, "", found, call));
    std::sort(found.begin(), found.end(), SortsBefore);
    return found;
}

Result<std::vector<std::string>> LocalStore::ListFolders(const std::string &folder, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountList(call);
    std::vector<std::string> found;
    BF_RETURN_IF_ERROR(ForEachEntry(folder, "", true, [&](const char *name, const struct stat &status) -> Status {
        if (S_ISDIR(status.st_mode)) {
            found.emplace_back(name);
        }
        return {};
    }));
    std::sort(found.begin(), found.end());
    return found;
}

Result<PutResult> LocalStore::Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountPut(call);
    struct stat status {};
    const bool exists = ::lstat(path.c_str(), &status) == 0;
    if (exists && mode == PutMode::kCreateOnly) {
        return PutResult::kAlreadyExists;
    }
    const bool sync = fsync_;
    const std::string folder = FolderOf(path);
    const std::string temporary = folder + "/." + RandomUuid() + std::string(kTemporarySuffix);
    const auto create = [&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); };
    int fd = Uninterrupted(create);
    if (fd < 0 && IsMissing(errno)) {
        BF_RETURN_IF_ERROR(MakeFolders(folder, sync));
        fd = Uninterrupted(create);
    }
    if (fd < 0) {
        return Failed("write", path, errno);
    }
    File file(fd);
    Result<PutResult> result = PutResult::kWritten;
    if (auto written = WriteAll(file, path, bytes); !written.ok()) {
        result = std::move(written).error();
    } else if (sync && Uninterrupted([&] { return ::fsync(file.fd()); }) != 0) {
        result = Failed("sync", path, errno);
    } else if (const int error = file.Close(); error != 0) {
        result = Failed("write", path, error);
    }
    if (result.ok()) {
        // A checksum of Hadoop's that belongs to the file replaced, or to one deleted long ago.
        if (const auto checksum = HadoopChecksumOf(path); !checksum.empty()) {
            ::unlink(checksum.c_str());
        }
        if (mode == PutMode::kCreateOnly) {
            result = PublishNew(temporary, path);
        } else if (::rename(temporary.c_str(), path.c_str()) != 0) {
            result = Failed("write", path, errno);
        }
    }
    ::unlink(temporary.c_str());  // gone already where it was renamed
    if (sync && result.ok() && *result == PutResult::kWritten) {
        if (auto synced = SyncFolder(folder); !synced.ok()) {
            return Fail(Condition::BIRDFOOT_COMMIT_OUTCOME_UNKNOWN,
                        "{} was written, but may be lost if the machine fails now: {}", path, synced.error().text());
        }
    }
    return result;
}

Status LocalStore::Delete(const std::string &path, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    if (::unlink(path.c_str()) != 0) {
        return IsMissing(errno) || errno == EISDIR ? Status() : Status(Failed("delete", path, errno));
    }
    if (const auto checksum = HadoopChecksumOf(path); !checksum.empty()) {
        ::unlink(checksum.c_str());
    }
    return {};
}

Status LocalStore::DeleteFolder(const std::string &folder, const Call &call) {
    struct stat status {};
    if (::lstat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
        return Fail(Condition::BIRDFOOT_IO, "Cannot delete {}. It is {}, not a folder. Remove it by hand.", folder,
                    S_ISLNK(status.st_mode) ? "a symbolic link" : "a file");
    }
    auto deleted = DeleteTree(folder, call);
    // A checkpoint that is under way may put a file into a folder just emptied: it ends soon.
    for (int attempt = 0; !deleted.ok() && attempt < 20 && call.Check().ok(); ++attempt) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        deleted = DeleteTree(folder, call);
    }
    return deleted;
}

}  // namespace birdfoot::storage
