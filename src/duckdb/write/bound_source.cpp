#include "duckdb/write/bound_source.hpp"

#include "duckdb/parser/expression/star_expression.hpp"
#include "duckdb/parser/query_node/select_node.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/bound_ref_wrapper.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/table_binding.hpp"

#include "duckdb/scan/delta_scan.hpp"

namespace birdfoot::duck {

namespace {

//! WITH … SELECT * FROM source
duckdb::unique_ptr<duckdb::TableRef> WithExpressions(duckdb::unique_ptr<duckdb::TableRef> source,
                                                     const duckdb::CommonTableExpressionMap &ctes,
                                                     const std::string &alias) {
    auto node = duckdb::make_uniq<duckdb::SelectNode>();
    node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
    node->from_table = std::move(source);
    node->cte_map = ctes.Copy();
    auto select = duckdb::make_uniq<duckdb::SelectStatement>();
    select->node = std::move(node);
    return duckdb::make_uniq<duckdb::SubqueryRef>(std::move(select), alias);
}

bool ReadsTable(const duckdb::LogicalOperator &op, const std::string &root) {
    if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
        const auto &get = op.Cast<duckdb::LogicalGet>();
        if (get.bind_data && IsDeltaScanOf(get.function, *get.bind_data, root)) {
            return true;
        }
    }
    for (const auto &child : op.children) {
        if (ReadsTable(*child, root)) {
            return true;
        }
    }
    return false;
}

}  // namespace

BoundSource::BoundSource(duckdb::ClientContext &context, duckdb::Binder &parent,
                         duckdb::unique_ptr<duckdb::TableRef> source, const duckdb::CommonTableExpressionMap &ctes,
                         const std::string &alias)
    : binder_(duckdb::Binder::CreateBinder(context, &parent)) {
    if (!ctes.map.empty()) {
        source = WithExpressions(std::move(source), ctes, alias);
    }
    bound_ = binder_->Bind(*source);
}

QueryColumns BoundSource::Columns() {
    QueryColumns columns;
    for (const auto &binding : binder_->bind_context.GetBindingsList()) {
        const auto &names = binding->GetColumnNames();
        columns.names.insert(columns.names.end(), names.begin(), names.end());
        const auto &types = binding->GetColumnTypes();
        columns.types.insert(columns.types.end(), types.begin(), types.end());
    }
    return columns;
}

bool BoundSource::Reads(const std::string &root) const { return ReadsTable(*bound_.plan, root); }

duckdb::unique_ptr<duckdb::TableRef> BoundSource::Take() {
    return duckdb::make_uniq<duckdb::BoundRefWrapper>(std::move(bound_), std::move(binder_));
}

}  // namespace birdfoot::duck
