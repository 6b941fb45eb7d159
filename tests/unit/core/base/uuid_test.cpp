#include "core/base/uuid.hpp"

#include <set>

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

TEST(UuidTest, VersionFourAndNeverTwice) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        const auto text = RandomUuid();
        ASSERT_EQ(text.size(), 36U);
        EXPECT_EQ(text[14], '4');
        EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos);
        EXPECT_TRUE(seen.insert(text).second);
    }
}

}  // namespace
}  // namespace birdfoot
