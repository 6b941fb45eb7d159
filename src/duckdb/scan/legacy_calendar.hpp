// Files that Spark wrote with its legacy calendar, which is Julian before 1582-10-15: they say so in their footer.
// Dates are moved to the same day of the proleptic Gregorian calendar, as Spark does when it reads them; timestamps too
// where they were written in UTC. Those of other zones are refused if they lie before 1900, since then the zone's own
// history counts.
#pragma once

#include "duckdb.hpp"
#include "duckdb/planner/expression.hpp"
#include "parquet_reader.hpp"

namespace birdfoot::duck {

struct LegacyCalendar {
    bool datetime = false;  // dates and INT64 timestamps
    bool int96 = false;
    bool utc = false;  // the zone that the writer had

    static LegacyCalendar Of(const duckdb_parquet::FileMetaData &footer);
    //! True if a column holds something that has to be looked at.
    bool Concerns(const duckdb::ParquetColumnSchema &column) const;
    //! `value`, an expression of the column's type, moved to the calendar that we count in.
    duckdb::unique_ptr<duckdb::Expression> Rebase(duckdb::unique_ptr<duckdb::Expression> value,
                                                  const duckdb::ParquetColumnSchema &column,
                                                  const std::string &file) const;
};

//! The day of the proleptic Gregorian calendar with the same year, month and day as a day number of the Julian calendar
//! before 1582-10-15; later days as they are.
int32_t GregorianDay(int32_t legacy_day);

}  // namespace birdfoot::duck
