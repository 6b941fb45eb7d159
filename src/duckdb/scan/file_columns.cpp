// The columns of a data file and those of the table.
#include "duckdb/scan/file_columns.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;
using duckdb::ParquetColumnSchema;
using Definitions = duckdb::vector<MultiFileColumnDefinition>;
using Nodes = duckdb::vector<ParquetColumnSchema>;

namespace {

bool IsInteger(LogicalTypeId id) {
    switch (id) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::UINTEGER: return true;
    default: return false;
    }
}

bool IsTimestamp(LogicalTypeId id) {
    return id == LogicalTypeId::TIMESTAMP || id == LogicalTypeId::TIMESTAMP_TZ || id == LogicalTypeId::TIMESTAMP_NS;
}

//! True if a cast from the file's type to the table's loses nothing, or fails where it would.
bool CastIsExact(const LogicalType &from, const LogicalType &to) {
    if (from == to || from.id() == LogicalTypeId::SQLNULL) {
        return true;
    }
    switch (to.id()) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT: return IsInteger(from.id());
    case LogicalTypeId::DOUBLE:
        return from.id() == LogicalTypeId::FLOAT || (IsInteger(from.id()) && from.id() != LogicalTypeId::BIGINT);
    case LogicalTypeId::DECIMAL: {
        if (IsInteger(from.id())) {
            return true;
        }
        if (from.id() != LogicalTypeId::DECIMAL) {
            return false;
        }
        const int from_scale = duckdb::DecimalType::GetScale(from);
        const int to_scale = duckdb::DecimalType::GetScale(to);
        return from_scale <= to_scale &&
               duckdb::DecimalType::GetWidth(from) - from_scale <= duckdb::DecimalType::GetWidth(to) - to_scale;
    }
    case LogicalTypeId::TIMESTAMP: return from.id() == LogicalTypeId::DATE;
    default: return false;
    }
}

class Tie {
public:
    Tie(const BoundScan &scan, duckdb::ParquetReader &reader)
        : reader_(reader), root_(scan.snapshot().root()), by_id_(scan.snapshot().mapping() == ColumnMappingMode::kId) {}

    void Fields(const std::vector<ScanColumn> &wanted, Definitions &columns, Nodes &nodes, const std::string &parent) {
        const auto tied = by_id_ ? ById(wanted, columns, parent) : ByName(wanted, columns);
        for (auto &column : columns) {
            column.identifier = duckdb::Value::INTEGER(next_own_id_--);
        }
        for (size_t i = 0; i < wanted.size(); ++i) {
            if (tied[i]) {
                const auto name = parent.empty() ? wanted[i].name : parent + "." + wanted[i].name;
                Column(wanted[i], columns[*tied[i]], nodes[*tied[i]], name);
            }
        }
    }

private:
    using Positions = std::vector<std::optional<size_t>>;

    static Positions ByName(const std::vector<ScanColumn> &wanted, const Definitions &columns) {
        Positions tied(wanted.size());
        for (size_t i = 0; i < wanted.size(); ++i) {
            for (size_t k = 0; k < columns.size(); ++k) {
                // The exact name before one that differs in case.
                if (columns[k].name == wanted[i].physical) {
                    tied[i] = k;
                    break;
                }
                if (!tied[i] && EqualsIgnoreCase(columns[k].name, wanted[i].physical)) {
                    tied[i] = k;
                }
            }
        }
        return tied;
    }

    Positions ById(const std::vector<ScanColumn> &wanted, const Definitions &columns, const std::string &parent) const {
        Positions tied(wanted.size());
        bool any_id = false;
        for (size_t k = 0; k < columns.size(); ++k) {
            if (columns[k].identifier.IsNull()) {
                continue;
            }
            any_id = true;
            const auto id = columns[k].identifier.GetValue<int32_t>();
            for (size_t i = 0; i < wanted.size(); ++i) {
                if (!tied[i] && wanted[i].field_id == id) {
                    tied[i] = k;
                }
            }
        }
        for (size_t i = 0; i < wanted.size(); ++i) {
            if (!wanted[i].field_id) {  // a column of the change feed
                tied[i] = ByName({wanted[i]}, columns)[0];
            }
        }
        if (!any_id && !columns.empty()) {
            Throw(
                Fail(Condition::DELTA_MISSING_COLUMN_ID,
                     "The columns of the table {} are mapped by id, but its file {} has no field ids{}. Write the rows "
                     "of the file again.",
                     root_, reader_.GetFileName(), parent.empty() ? "" : " below " + parent));
        }
        return tied;
    }

    void Column(const ScanColumn &wanted, MultiFileColumnDefinition &column, ParquetColumnSchema &node,
                const std::string &name) {
        column.identifier = duckdb::Value::INTEGER(wanted.id);
        switch (wanted.type.kind()) {
        case TypeKind::kStruct:
            if (node.type.id() == LogicalTypeId::VARIANT) {
                // A struct of two binaries looks like an unmarked variant.
                node.schema_type = duckdb::ParquetColumnSchemaType::COLUMN;
            } else if (node.type.id() != LogicalTypeId::STRUCT) {
                Refuse(wanted, node, name);
            }
            Fields(wanted.children, column.children, node.children, name);
            node.type = StructOf(node);
            break;
        case TypeKind::kArray:
            if (node.type.id() != LogicalTypeId::LIST) {
                Refuse(wanted, node, name);
            }
            // Files name it "element", "array", "bag" or "array_element"; DuckDB's mapper knows "list" alone.
            column.children[0].name = "list";
            Column(wanted.children[0], column.children[0], node.children[0], name + ".element");
            node.type = LogicalType::LIST(node.children[0].type);
            break;
        case TypeKind::kMap: {
            if (node.type.id() != LogicalTypeId::MAP || node.children[0].children.size() != 2) {
                Refuse(wanted, node, name);
            }
            auto &entry = column.children[0];
            entry.name = "key_value";
            entry.children[0].name = "key";
            entry.children[1].name = "value";
            Column(wanted.children[0], entry.children[0], node.children[0].children[0], name + ".key");
            Column(wanted.children[1], entry.children[1], node.children[0].children[1], name + ".value");
            node.type = LogicalType::MAP(node.children[0].children[0].type, node.children[0].children[1].type);
            node.children[0].type = duckdb::ListType::GetChildType(node.type);
            entry.type = node.children[0].type;
            break;
        }
        case TypeKind::kVariant:
            column.children.clear();
            if (node.type.id() != LogicalTypeId::VARIANT) {
                Refuse(wanted, node, name);
            }
            break;
        default: Leaf(wanted, node, name); column.children.clear();
        }
        column.type = node.type;
    }

    static LogicalType StructOf(const ParquetColumnSchema &node) {
        duckdb::child_list_t<LogicalType> children;
        for (const auto &child : node.children) {
            children.emplace_back(child.name, child.type);
        }
        return LogicalType::STRUCT(std::move(children));
    }

    void Leaf(const ScanColumn &wanted, ParquetColumnSchema &node, const std::string &name) const {
        if (node.schema_type == duckdb::ParquetColumnSchemaType::GEOMETRY) {
            auto binary = node.children[0];  // GeoParquet's mark on a binary column
            node = std::move(binary);
        }
        if (!node.children.empty()) {
            Refuse(wanted, node, name);
        }
        const auto &to = wanted.duck_type;
        const auto from = node.type.id();
        const bool both_times = IsTimestamp(from) && IsTimestamp(to.id());
        const bool both_bytes = (from == LogicalTypeId::VARCHAR || from == LogicalTypeId::BLOB) &&
                                (to.id() == LogicalTypeId::VARCHAR || to.id() == LogicalTypeId::BLOB);
        if (both_times || both_bytes) {
            // The same instants and the same bytes, whatever the file calls them. A cast would move instants by the
            // session's time zone and escape bytes.
            node.type = to;
        } else if (!CastIsExact(node.type, to)) {
            Refuse(wanted, node, name);
        }
    }

    [[noreturn]] void Refuse(const ScanColumn &wanted, const ParquetColumnSchema &node, const std::string &name) const {
        Throw(Fail(Condition::FAILED_READ_FILE,
                   "Column {} of the file {} holds {}, which cannot be read as the table's {} without a guess.", name,
                   reader_.GetFileName(), node.type.ToString(), wanted.type.ToString()));
    }

    duckdb::ParquetReader &reader_;
    const std::string &root_;
    const bool by_id_;
    int32_t next_own_id_ = -1;
};

}  // namespace

void TieColumns(const BoundScan &scan, duckdb::ParquetReader &reader) {
    Tie(scan, reader).Fields(scan.columns(), reader.columns, reader.root_schema->children, "");
}

std::optional<size_t> FindTied(const Definitions &columns, int32_t id) {
    for (size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].identifier.IsNull() && columns[i].identifier.GetValue<int32_t>() == id) {
            return i;
        }
    }
    return {};
}

bool IsSame(const ScanColumn &column, const MultiFileColumnDefinition &in_file) {
    if (in_file.type != column.duck_type || in_file.identifier.IsNull() ||
        in_file.identifier.GetValue<int32_t>() != column.id) {
        return false;
    }
    const auto &parts = column.type.kind() == TypeKind::kMap ? in_file.children[0].children : in_file.children;
    if (parts.size() != column.children.size()) {
        return false;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
        if (!IsSame(column.children[i], parts[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace birdfoot::duck
