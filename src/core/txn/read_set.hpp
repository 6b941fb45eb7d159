// ReadSet: what a transaction read, for the conflict checker. A read is registered as "whole table" when its scan is
// bound and narrowed once, by the conjunction of the first filter push-down; never by files opened, dynamic filters,
// LIMIT or top-N.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/scan/predicate.hpp"

namespace birdfoot {

class ReadSet {
public:
    //! Registers a read of the whole table; the number names it for Narrow.
    size_t AddRead();
    //! Narrows a read, the first time only.
    void Narrow(size_t read, Predicate predicate);
    //! The statement that made the read has changed every row that the read found, each by what is in that row alone,
    //! so that other rows had no say in it.
    void TouchesWhatItReads(size_t read);
    void ReadTransaction(std::string app_id);

    bool empty() const;  // nothing of the table's rows was read
    bool reads_whole_table() const;
    bool touched_is_read() const;               // of every read, if there is one
    std::vector<Predicate> predicates() const;  // one a read
    std::set<std::string> app_ids() const;

private:
    struct Read {
        Predicate predicate;
        bool narrowed = false;
        bool touched = false;
    };
    mutable std::mutex mutex_;
    std::vector<Read> reads_;
    std::set<std::string> app_ids_;
};

}  // namespace birdfoot
