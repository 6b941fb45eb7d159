// BoundSource: the source of a statement that changes its table's schema, bound before the change: what it reads of
// that table itself has the columns that there were.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/parser/query_node.hpp"
#include "duckdb/parser/tableref.hpp"
#include "duckdb/planner/binder.hpp"

#include "duckdb/write/pending_schema.hpp"

namespace birdfoot::duck {

class BoundSource {
public:
    //! `ctes` are those that the statement begins with; then the source has `alias` for its only name.
    BoundSource(duckdb::ClientContext &context, duckdb::Binder &parent, duckdb::unique_ptr<duckdb::TableRef> source,
                const duckdb::CommonTableExpressionMap &ctes, const std::string &alias);

    QueryColumns Columns();
    bool Reads(const std::string &root) const;
    //! What stands for the source in the statement, which is then bound with a child of `parent`. Call once.
    duckdb::unique_ptr<duckdb::TableRef> Take();

private:
    duckdb::shared_ptr<duckdb::Binder> binder_;
    duckdb::BoundStatement bound_;
};

}  // namespace birdfoot::duck
