#include "cli/progress.hpp"

#include <cstdio>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

namespace birdfoot::cli {

namespace {

std::atomic<bool> allowed{false};
std::atomic<bool> shown{false};

class ProgressLine : public duckdb::ProgressBarDisplay {
public:
    void Update(double percentage) override {
        const int done = static_cast<int>(std::clamp(percentage, 0.0, 100.0));
        if (!allowed || done == last_) {
            return;
        }
        last_ = done;
        constexpr int kWidth = 40;
        const int filled = done * kWidth / 100;
        std::string bar;
        for (int i = 0; i < kWidth; ++i) {
            bar += i < filled ? "█" : "░";
        }
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
        std::fprintf(stderr, "\r%3d %% %s %.0f s ", done, bar.c_str(), elapsed.count());
        std::fflush(stderr);
        shown = true;
    }
    void Finish() override { ClearProgress(); }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    int last_ = -1;
};

}  // namespace

duckdb::unique_ptr<duckdb::ProgressBarDisplay> MakeProgressDisplay() { return duckdb::make_uniq<ProgressLine>(); }

void AllowProgress(bool allow) {
    allowed = allow;
    if (!allow) {
        ClearProgress();
    }
}

void ClearProgress() {
    if (shown.exchange(false)) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
    }
}

}  // namespace birdfoot::cli
