// See create_text.hpp.
#include "sql/create_text.hpp"

#include "sql/lexer.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

constexpr std::string_view kConstraintPrefix = "delta.constraints.";
// What writers keep for themselves: a new table gets its own.
constexpr std::string_view kCounters[] = {"delta.columnMapping.maxColumnId", "delta.inCommitTimestampEnablementVersion",
                                          "delta.inCommitTimestampEnablementTimestamp",
                                          "delta.rowTracking.materializedRowIdColumnName",
                                          "delta.rowTracking.materializedRowCommitVersionColumnName"};

std::string NameText(std::string_view name) {
    TableName alone;
    alone.parts = {std::string(name)};
    return alone.ToText();
}

std::string TypeText(const DataType &type);

std::string FieldText(const StructField &field, std::string_view separator) {
    auto text = fmt::format("{}{}{}", NameText(field.name), separator, TypeText(field.type));
    if (!field.nullable) {
        text += " NOT NULL";
    }
    if (const auto comment = field.metadata.StringOf(kCommentMetadata)) {
        text += " COMMENT " + QuoteText(*comment);
    }
    return text;
}

std::string TypeText(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kArray: return fmt::format("ARRAY<{}>", TypeText(type.array_type().element));
    case TypeKind::kMap:
        return fmt::format("MAP<{}, {}>", TypeText(type.map_type().key), TypeText(type.map_type().value));
    case TypeKind::kStruct: {
        std::string text;
        for (const auto &field : type.struct_type().fields) {
            text += (text.empty() ? "" : ", ") + FieldText(field, ": ");
        }
        return fmt::format("STRUCT<{}>", text);
    }
    default: return Upper(type.ToString());
    }
}

//! An expression, which the table keeps in Spark's words, with its texts as this parser reads them: a backslash is one.
std::string ExpressionText(std::string_view expression) {
    std::string text;
    for (const auto &token : Tokenize(expression, Dialect::kSpark)) {
        const auto value = token.kind == TokenKind::kString ? TextOf(token, Dialect::kSpark) : std::nullopt;
        text += value ? QuoteText(*value) : std::string(token.text);
    }
    return text;
}

std::string ColumnText(const StructField &field) {
    auto column = field;
    const auto &metadata = field.metadata;
    column.metadata.Remove(kCommentMetadata);
    column.nullable = true;
    auto text = FieldText(column, " ");
    if (const auto characters = metadata.StringOf(kCharVarcharMetadata)) {
        text = fmt::format("{} {}", NameText(field.name), Upper(*characters));
    }
    text += field.nullable ? "" : " NOT NULL";
    if (const auto generated = metadata.StringOf("delta.generationExpression")) {
        text += fmt::format(" GENERATED ALWAYS AS ({})", ExpressionText(*generated));
    }
    if (const auto start = metadata.IntOf("delta.identity.start")) {
        const bool by_default = metadata.JsonOf("delta.identity.allowExplicitInsert") == "true";
        text += fmt::format(" GENERATED {} AS IDENTITY (START WITH {} INCREMENT BY {})",
                            by_default ? "BY DEFAULT" : "ALWAYS", *start,
                            metadata.IntOf("delta.identity.step").value_or(1));
    }
    if (const auto value = metadata.StringOf("CURRENT_DEFAULT")) {
        text += " DEFAULT " + ExpressionText(*value);
    }
    if (const auto comment = metadata.StringOf(kCommentMetadata)) {
        text += " COMMENT " + QuoteText(*comment);
    }
    return text;
}

std::string Names(const std::vector<std::string> &names) {
    std::string text;
    for (const auto &name : names) {
        text += (text.empty() ? "" : ", ") + NameText(name);
    }
    return text;
}

std::string PathsText(const std::vector<ColumnPath> &paths) {
    std::string text;
    for (const auto &path : paths) {
        TableName alone;
        alone.parts = path;
        text += (text.empty() ? "" : ", ") + alone.ToText();
    }
    return text;
}

//! CREATE TABLE takes a DEFAULT only where the feature is asked for by its name.
std::map<std::string, std::string> PropertiesOf(const TableDescription &table) {
    auto properties = table.properties;
    for (const auto &field : table.schema.fields) {
        if (field.metadata.StringOf("CURRENT_DEFAULT")) {
            properties.emplace("delta.feature.allowColumnDefaults", "supported");
        }
    }
    return properties;
}

bool IsCounter(std::string_view key) {
    for (const auto counter : kCounters) {
        if (key == counter) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string CreateTableText(const TableDescription &table) {
    auto text = "CREATE TABLE " + table.name.ToText() + " (";
    std::string separator = "\n  ";
    for (const auto &field : table.schema.fields) {
        text += separator + ColumnText(field);
        separator = ",\n  ";
    }
    std::string properties;
    for (const auto &[key, value] : PropertiesOf(table)) {
        if (std::string_view(key).substr(0, kConstraintPrefix.size()) == kConstraintPrefix) {
            text += fmt::format("{}CONSTRAINT {} CHECK ({})", separator, NameText(key.substr(kConstraintPrefix.size())),
                                ExpressionText(value));
        } else if (!IsCounter(key)) {
            properties += fmt::format("{}\n  {} = {}", properties.empty() ? "" : ",", QuoteText(key), QuoteText(value));
        }
    }
    text += ")\nUSING delta";
    if (!table.partition_columns.empty()) {
        text += fmt::format("\nPARTITIONED BY ({})", Names(table.partition_columns));
    }
    if (!table.cluster_columns.empty()) {
        text += fmt::format("\nCLUSTER BY ({})", PathsText(table.cluster_columns));
    }
    if (table.location) {
        text += "\nLOCATION " + QuoteText(*table.location);
    }
    if (table.comment) {
        text += "\nCOMMENT " + QuoteText(*table.comment);
    }
    if (!properties.empty()) {
        text += fmt::format("\nTBLPROPERTIES ({})", properties);
    }
    return text;
}

}  // namespace birdfoot::sql
