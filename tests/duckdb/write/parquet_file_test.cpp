#include "duckdb/write/parquet_file.hpp"

#include <gtest/gtest.h>

namespace birdfoot::duck {
namespace {

ParquetLayout OneColumn() {
    ParquetLayout layout;
    layout.names.push_back("a");
    return layout;
}

int GroupsWithout(DictionaryUse &use, uint64_t rows) {
    int skipped = 0;
    while (!use.Try(0, rows)) {
        skipped++;
    }
    return skipped;
}

TEST(DictionaryUseTest, IsTriedAgainAfterSomeRowGroups) {
    DictionaryUse use(OneColumn());
    EXPECT_EQ(GroupsWithout(use, 100'000), 0);
    use.Found(0, 100'000, false);
    EXPECT_EQ(GroupsWithout(use, 100'000), 7);
    use.Found(0, 100'000, true);
    EXPECT_EQ(GroupsWithout(use, 100'000), 0);
}

TEST(DictionaryUseTest, ASmallRowGroupSaysNothingOfALargeOne) {
    DictionaryUse use(OneColumn());
    use.Found(0, 10, false);
    EXPECT_TRUE(use.Try(0, 100'000));
    EXPECT_FALSE(use.Try(0, 12));
    use.Found(0, 100'000, false);
    use.Found(0, 10, true);
    EXPECT_FALSE(use.Try(0, 100'000));
}

}  // namespace
}  // namespace birdfoot::duck
