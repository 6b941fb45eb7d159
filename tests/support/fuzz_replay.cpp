// Runs what the fuzzers found interesting as ordinary tests: each file in CORPUS/NAME through the target NAME. A crash,
// or an input that takes over ten seconds, is a failure; the input is named first.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#define TARGET(name) extern "C" int Fuzz_##name(const uint8_t *data, size_t size);
#include "fuzz_targets.def"
#undef TARGET

namespace {

int inputs = 0;

void Replay(const std::filesystem::path &folder, int (*target)(const uint8_t *, size_t)) {
    if (!std::filesystem::is_directory(folder)) {
        return;
    }
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), {});
        std::fprintf(stderr, "\r%s\033[K", entry.path().c_str());
        alarm(10);
        target(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
        ++inputs;
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fputs("usage: birdfoot_fuzz_replay CORPUS\n", stderr);
        return 2;
    }
    const std::filesystem::path corpus(argv[1]);
#define TARGET(name) Replay(corpus / #name, Fuzz_##name);
#include "fuzz_targets.def"
#undef TARGET
    std::fputs("\r\033[K", stderr);
    std::printf("%d inputs replayed\n", inputs);
    return 0;
}
