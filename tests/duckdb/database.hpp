// A DuckDB instance in memory and a folder of its own, for tests that need both.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "duckdb.hpp"

#include "core/base/uuid.hpp"

namespace birdfoot::testing {

class TemporaryFolder {
public:
    TemporaryFolder() : path_(std::filesystem::temp_directory_path() / ("birdfoot-" + RandomUuid())) {
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const std::string &name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

//! The rows of a query as text, columns separated by "|", rows by newlines.
inline std::string Query(duckdb::Connection &connection, const std::string &sql) {
    auto result = connection.Query(sql);
    if (result->HasError()) {
        return "error: " + result->GetError();
    }
    std::string text;
    for (auto &row : *result) {
        for (duckdb::idx_t i = 0; i < result->ColumnCount(); ++i) {
            text += (i ? "|" : "") + row.GetValue<duckdb::Value>(i).ToString();
        }
        text += "\n";
    }
    return text;
}

}  // namespace birdfoot::testing
