// Names and folders as Spark's DelayedCommitProtocol makes them: part-00000-<uuid>-c000.snappy.parquet, Hive folders
// for partitions, two random characters instead where names are mapped or randomizeFilePrefixes asks for it.
#include "duckdb/write/data_files.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <random>

#include "duckdb/common/file_system.hpp"

#include "core/base/uuid.hpp"
#include "core/scan/plan.hpp"
#include "core/scan/statistics.hpp"
#include "core/table/table_properties.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

size_t RandomPrefixLength(const WriteTarget &target) {
    if (target.mapping == ColumnMappingMode::kNone && !BoolProperty(target.metadata, "delta.randomizeFilePrefixes")) {
        return 0;
    }
    return static_cast<size_t>(IntProperty(target.metadata, "delta.randomPrefixLength"));
}

size_t StringPrefixLength(const Metadata &metadata) {
    constexpr size_t kDefault = 32;
    auto length = IntProperty(metadata, "delta.dataSkippingStringPrefixLength");
    return length >= 0 ? static_cast<size_t>(length) : kDefault;
}

std::string RandomCharacters(size_t count) {
    static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    thread_local std::mt19937 random{std::random_device{}()};
    std::uniform_int_distribution<size_t> pick(0, kAlphabet.size() - 1);
    std::string text;
    for (size_t i = 0; i < count; i++) {
        text.push_back(kAlphabet[pick(random)]);
    }
    return text;
}

//! File systems give whole seconds through DuckDB; Spark's times have milliseconds.
int64_t NowMs() {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

//! A timestamp as Spark's folders have it: "2024-01-01 12:00:00.5" for 2024-01-01T12:00:00.500000Z.
std::string FolderText(std::string text) {
    std::replace(text.begin(), text.end(), 'T', ' ');
    if (text.ends_with('Z')) {
        text.pop_back();
    }
    if (auto point = text.find('.'); point != std::string::npos) {
        auto last = text.find_last_not_of('0');
        text.resize(last == point ? point : last + 1);
    }
    return text;
}

//! Makes the entries of a folder durable. DuckDB's file system cannot open one.
void SyncFolder(const std::string &folder) {
    int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 || ::fsync(descriptor) != 0) {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        throw duckdb::IOException("Cannot flush the folder %s to the disk", folder);
    }
    ::close(descriptor);
}

}  // namespace

DataFiles::DataFiles(duckdb::ClientContext &context, const WriteTarget &target, const ParquetLayout &layout,
                     const StatisticsPlan &plan, PendingFiles &pending)
    : target_(target),
      layout_(layout),
      dictionaries_(layout),
      plan_(plan),
      pending_(pending),
      fsync_(!duckdb::FileSystem::IsRemoteFile(target.root) && FsyncOf(*context.db)),
      string_prefix_(StringPrefixLength(target.metadata)),
      random_prefix_(RandomPrefixLength(target)) {
    for (const auto &field : target.schema.fields) {
        if (field.type.kind() == TypeKind::kTimestamp) {
            timestamps_.insert(PhysicalName(field, target.mapping));
        }
    }
}

std::string DataFiles::NewFolder(const PartitionValues &values) {
    std::string folder = target_.change_data ? "_change_data/" : "";
    if (random_prefix_) {
        return folder + RandomCharacters(random_prefix_) + "/";
    }
    std::vector<std::string> names;
    std::vector<std::optional<std::string>> texts;
    for (const auto &[name, text] : values) {
        names.push_back(name);
        bool timestamp = timestamps_.contains(name) && text;
        texts.push_back(timestamp ? std::optional(FolderText(*text)) : text);
    }
    return folder + PartitionFolder(names, texts);
}

std::string DataFiles::NewName(size_t number) const {
    return fmt::format("{}-{:05}-{}{}c000{}", target_.change_data ? "cdc" : "part", number, RandomUuid(),
                       target_.metadata.partition_columns.empty() ? "-" : ".", layout_.extension);
}

NewFile DataFiles::Begin(duckdb::ClientContext &context, const PartitionValues &values) {
    NewFile file;
    auto folder = NewFolder(values);
    {
        // The folder is there before another thread takes it for known.
        std::lock_guard lock(mutex_);
        file.number = opened_++;
        if (!folders_.contains(folder)) {
            if (!duckdb::FileSystem::IsRemoteFile(target_.root)) {
                duckdb::FileSystem::GetFileSystem(context).CreateDirectoriesRecursive(target_.root + "/" + folder);
            }
            folders_.insert(folder);
        }
    }
    file.partition_values = values;
    file.relative_path = folder + NewName(file.number);
    pending_.Writing(PathOf(file));
    return file;
}

std::shared_ptr<OpenFile> DataFiles::Open(duckdb::ClientContext &context, const PartitionValues &values) {
    auto file = std::make_shared<OpenFile>(Begin(context, values), plan_);
    file->parquet = std::make_unique<ParquetFile>(context, PathOf(*file), layout_, dictionaries_);
    return file;
}

void DataFiles::Close(duckdb::ClientContext &context, OpenFile &file) {
    file.parquet->Close();
    auto origins = file.parquet->TakeOrigins();
    file.parquet.reset();
    End(context, file, file.statistics.rows(), StatisticsOf(file.statistics), std::move(origins));
}

std::string DataFiles::StatisticsOf(const StatisticsCollector &statistics) const {
    if (target_.change_data) {
        return {};
    }
    return StatisticsToJson(statistics.rows(), statistics.Leaves(), string_prefix_,
                            target_.tight_bounds ? std::optional(true) : std::nullopt);
}

void DataFiles::End(duckdb::ClientContext &context, const NewFile &file, int64_t rows, std::string stats,
                    FileOrigins origins) {
    auto &files = duckdb::FileSystem::GetFileSystem(context);
    auto handle = files.OpenFile(PathOf(file), duckdb::FileFlags::FILE_FLAGS_READ);
    if (fsync_) {
        handle->Sync();
    }
    WrittenFile written;
    written.origins = std::move(origins);
    written.path = EncodePath(file.relative_path);
    written.partition_values = file.partition_values;
    written.size = files.GetFileSize(*handle);
    written.modification_time = NowMs();
    written.rows = rows;
    written.stats = std::move(stats);
    std::lock_guard lock(mutex_);
    written_.emplace_back(file.number, std::move(written));
}

std::vector<WrittenFile> DataFiles::Finish() {
    if (fsync_ && !written_.empty()) {
        std::set<std::string> folders{target_.root};
        for (auto folder : folders_) {
            for (auto slash = folder.rfind('/'); slash != std::string::npos && slash > 0; slash = folder.rfind('/')) {
                folder.resize(slash);
                folders.insert(target_.root + "/" + folder);
            }
        }
        for (const auto &folder : folders) {
            SyncFolder(folder);
        }
    }
    std::sort(written_.begin(), written_.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<WrittenFile> result;
    for (auto &entry : written_) {
        result.push_back(std::move(entry.second));
    }
    return result;
}

}  // namespace birdfoot::duck
