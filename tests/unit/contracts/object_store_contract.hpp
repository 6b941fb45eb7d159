// The promises of the ObjectStore port, as one suite. A store or decorator takes part with one line in its own test:
//   INSTANTIATE_TEST_SUITE_P(Memory, ObjectStoreContract, testing::Values(StoreCase{"Memory", make}));
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/io/object_store.hpp"

namespace birdfoot {

struct StoreUnderTest {
    std::shared_ptr<ObjectStore> store;
    std::string root;               // an empty folder that the test may fill
    std::shared_ptr<void> cleanup;  // removes it
};

struct StoreCase {
    std::string name;
    std::function<StoreUnderTest()> make;
    friend void PrintTo(const StoreCase &store, std::ostream *out) { *out << store.name; }
};

class ObjectStoreContract : public testing::TestWithParam<StoreCase> {
protected:
    void SetUp() override { under_test_ = GetParam().make(); }
    ObjectStore &store() { return *under_test_.store; }
    std::string At(const std::string &path) { return under_test_.root + "/" + path; }
    //! Puts and expects it to be written.
    void Write(const std::string &path, std::string_view bytes, PutMode mode = PutMode::kCreateOnly);

    StoreUnderTest under_test_;
    Call call_;
};

//! A folder of its own in the temporary folder, removed at the end.
std::shared_ptr<std::string> MakeScratchFolder();

}  // namespace birdfoot
