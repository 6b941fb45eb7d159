// See describe_table.hpp.
#include "duckdb/commands/describe_table.hpp"

#include "core/table/report.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/translate/errors.hpp"
#include "sql/create_text.hpp"
#include "sql/types.hpp"

namespace birdfoot::duck {
namespace {

std::optional<std::string> CommentOf(const StructField &field) {
    return field.metadata.StringOf(sql::kCommentMetadata);
}

std::string TypeNameOf(const StructField &field) {
    return field.metadata.StringOf(sql::kCharVarcharMetadata).value_or(field.type.ToString());
}

const StructField &FieldOf(const Snapshot &table, const sql::ColumnPath &path) {
    const StructField *field = nullptr;
    const StructType *level = &table.schema();
    for (const auto &part : path) {
        field = level != nullptr ? level->Find(part) : nullptr;
        if (field == nullptr) {
            Throw(Fail(Condition::DELTA_COLUMN_NOT_FOUND,
                       "There is no column {} in the table {}. DESCRIBE it to see its columns.", part, table.root()));
        }
        level = field->type.kind() == TypeKind::kStruct ? &field->type.struct_type() : nullptr;
    }
    return *field;
}

std::string PropertiesText(const Snapshot &snapshot) {
    std::string text;
    OkOrThrow(ReportProperties(snapshot, [&](ReportRow &&row) -> Status {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", std::get<Scalar>(row[0].value).text(),
                            std::get<Scalar>(row[1].value).text());
        return {};
    }));
    return "[" + text + "]";
}

}  // namespace

std::vector<DescribeRow> DescribeRows(const DeltaTableEntry &table, const sql::TableName &name,
                                      const sql::ColumnPath &column) {
    const auto &snapshot = *table.snapshot();
    if (!column.empty()) {
        const auto &field = FieldOf(snapshot, column);
        return {{"col_name", field.name, std::nullopt},
                {"data_type", TypeNameOf(field), std::nullopt},
                {"comment", CommentOf(field).value_or("NULL"), std::nullopt}};
    }
    std::vector<DescribeRow> rows;
    for (const auto &field : snapshot.schema().fields) {
        rows.push_back({field.name, TypeNameOf(field), CommentOf(field)});
    }
    const auto heading = [&](const char *text, const char *type, const char *comment) {
        rows.push_back({text, type, comment});
    };
    const auto &metadata = snapshot.metadata();
    if (!metadata.partition_columns.empty()) {
        heading("# Partition Information", "", "");
        heading("# col_name", "data_type", "comment");
        for (const auto &partition : metadata.partition_columns) {
            const auto &field = FieldOf(snapshot, {partition});
            rows.push_back({field.name, TypeNameOf(field), CommentOf(field)});
        }
    }
    heading("", "", "");
    heading("# Detailed Table Information", "", "");
    rows.push_back({"Name", name.ToText(), ""});
    rows.push_back({"Type", table.managed() ? "MANAGED" : "EXTERNAL", ""});
    if (metadata.description) {
        rows.push_back({"Comment", metadata.description, ""});
    }
    rows.push_back({"Location", snapshot.root(), ""});
    rows.push_back({"Provider", "delta", ""});
    rows.push_back({"Table Properties", PropertiesText(snapshot), ""});
    return rows;
}

std::string CreateTextOf(const DeltaTableEntry &table, const sql::TableName &name) {
    const auto &snapshot = *table.snapshot();
    sql::TableDescription description;
    description.name = name;
    description.schema = snapshot.schema();
    description.partition_columns = snapshot.metadata().partition_columns;
    if (table.delta_catalog().kind() == CatalogKind::kWarehouse && !table.managed()) {
        description.location = table.root();
    }
    description.comment = snapshot.metadata().description;
    description.properties = snapshot.metadata().configuration;
    return sql::CreateTableText(description);
}

std::vector<std::pair<std::string, duckdb::LogicalType>> DescribeTableCommand::Columns() const {
    return {{"col_name", duckdb::LogicalType::VARCHAR},
            {"data_type", duckdb::LogicalType::VARCHAR},
            {"comment", duckdb::LogicalType::VARCHAR}};
}

void DescribeTableCommand::Run(duckdb::ClientContext &, const RowSink &emit) const {
    for (const auto &row : rows_) {
        Row values;
        for (const auto &text : row) {
            values.push_back(text ? duckdb::Value(*text) : duckdb::Value(duckdb::LogicalType::VARCHAR));
        }
        emit(std::move(values));
    }
}

}  // namespace birdfoot::duck
