// The progress bar: one line on stderr for a statement that takes over a second, gone when it is done.
#pragma once

#include "duckdb.hpp"
#include "duckdb/common/progress_bar/progress_bar_display.hpp"

namespace birdfoot::cli {

duckdb::unique_ptr<duckdb::ProgressBarDisplay> MakeProgressDisplay();

//! Off as soon as rows are printed, since they share the terminal.
void AllowProgress(bool allowed);
void ClearProgress();

}  // namespace birdfoot::cli
