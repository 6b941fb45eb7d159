// TableRules: what a table says of its rows in expressions: CHECK constraints (PROTOCOL.md, "CHECK Constraints"),
// column invariants and generated columns, translated and bound for one writer. NOT NULL and lengths are RowChecks'
// business.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/expression_executor.hpp"

#include "core/log/actions.hpp"
#include "core/schema/types.hpp"
#include "core/table/table_rules.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

//! One expression of a table, bound over chunks of its columns.
struct BoundRule {
    std::string name;  // of the constraint, for messages
    std::string text;  // Spark's
    std::vector<sql::ColumnUse> columns;
    std::vector<size_t> positions;  // of those columns in the schema
    duckdb::unique_ptr<duckdb::Expression> expression;
};

//! The value of a generated column. Throws where the expression is not understood, naming it.
BoundRule BindGenerated(duckdb::ClientContext &context, const StructType &schema, const GeneratedColumn &column);

class TableRules {
public:
    //! `computed`: generated columns (by position) whose values are made by a ColumnFiller and need no comparison.
    //! Throws where an expression is not understood, naming it.
    TableRules(duckdb::ClientContext &context, const Metadata &metadata, const Protocol &protocol,
               const StructType &schema, const std::vector<size_t> &computed);

    //! One a thread.
    struct Local {
        std::vector<std::unique_ptr<duckdb::ExpressionExecutor>> executors;
        duckdb::DataChunk result;
    };
    std::unique_ptr<Local> MakeLocal(duckdb::ClientContext &context) const;

    //! DELTA_VIOLATE_CONSTRAINT_WITH_VALUES for a row of which a constraint is not true. The chunk has the schema's
    //! columns.
    void Check(Local &local, duckdb::DataChunk &chunk) const;

private:
    std::vector<BoundRule> rules_;
};

}  // namespace birdfoot::duck
