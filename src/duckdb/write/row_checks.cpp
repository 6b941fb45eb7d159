// The checks walk only the columns that have a rule. As in Spark a NOT NULL field needs every struct around it to be
// there, an empty string in a partition column counts as NULL, and a length is a number of characters.
#include "duckdb/write/row_checks.hpp"

#include <charconv>

#include "duckdb/common/types/vector.hpp"

#include "core/table/table_definition.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::idx_t;

//! Spark keeps char(n) and varchar(n) as text in the metadata of the top column, e.g. "struct<a:varchar(5),b:int>".
constexpr std::string_view kCharVarcharKey = "__CHAR_VARCHAR_TYPE_STRING";

//! Walks such a text along the column's type and writes the lengths into its nodes.
class LengthReader {
public:
    explicit LengthReader(std::string_view text) : text_(text) {}

    void Read(const DataType &type, RowCheck &node) {
        switch (type.kind()) {
        case TypeKind::kStruct:
            Skip('<');
            for (auto &child : node.children) {
                SkipName(type.struct_type().fields[child.position].name);
                Read(type.struct_type().fields[child.position].type, child);
                Next();
            }
            break;
        case TypeKind::kArray:
            Skip('<');
            Read(type.array_type().element, node.children[0]);
            Next();
            break;
        case TypeKind::kMap:
            Skip('<');
            Read(type.map_type().key, node.children[0]);
            Next();
            Read(type.map_type().value, node.children[1]);
            Next();
            break;
        default: ReadLeaf(node); break;
        }
    }

private:
    void Skip(char end) {
        while (position_ < text_.size() && text_[position_++] != end) {
        }
    }
    //! Behind a part of a nested type: its comma or closing bracket.
    void Next() {
        if (position_ < text_.size()) {
            position_++;
        }
    }
    void SkipName(std::string_view name) {
        bool quoted = position_ < text_.size() && text_[position_] == '`';
        position_ += name.size() + (quoted ? 2 : 0);
        Skip(':');
    }
    void ReadLeaf(RowCheck &node) {
        auto start = position_;
        int depth = 0;
        for (; position_ < text_.size(); position_++) {
            char c = text_[position_];
            if (depth == 0 && (c == ',' || c == '>')) {
                break;
            }
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        auto leaf = text_.substr(start, position_ - start);
        if (leaf.starts_with("varchar(") || leaf.starts_with("char(")) {
            auto digits = leaf.substr(leaf.find('(') + 1);
            std::from_chars(digits.data(), digits.data() + digits.size(), node.max_length);
            node.length_type = leaf;
        }
    }

    std::string_view text_;
    size_t position_ = 0;
};

RowCheck MakeNode(size_t position, const DataType &type, bool nullable, std::string path) {
    RowCheck node;
    node.position = position;
    node.kind = type.kind();
    node.not_null = !nullable;
    node.temporal =
        type.kind() == TypeKind::kDate || type.kind() == TypeKind::kTimestamp || type.kind() == TypeKind::kTimestampNtz;
    switch (type.kind()) {
    case TypeKind::kStruct:
        for (size_t i = 0; i < type.struct_type().fields.size(); i++) {
            const auto &field = type.struct_type().fields[i];
            node.children.push_back(MakeNode(i, field.type, field.nullable, path + "." + field.name));
        }
        break;
    case TypeKind::kArray:
        node.children.push_back(
            MakeNode(0, type.array_type().element, type.array_type().contains_null, path + ".element"));
        break;
    case TypeKind::kMap:
        node.children.push_back(MakeNode(0, type.map_type().key, false, path + ".key"));
        node.children.push_back(
            MakeNode(1, type.map_type().value, type.map_type().value_contains_null, path + ".value"));
        break;
    default: break;
    }
    node.path = std::move(path);
    return node;
}

void Prune(RowCheck &node) {
    for (auto &child : node.children) {
        Prune(child);
    }
    std::erase_if(node.children, [](const auto &child) { return child.idle(); });
}

[[noreturn]] void ThrowNull(const RowCheck &node) {
    Throw(Fail(Condition::DELTA_NOT_NULL_CONSTRAINT_VIOLATED,
               "NOT NULL constraint violated for column: {}. A row, to be written or in the table already, has "
               "no value there. Give it one first, or drop the constraint.",
               node.path));
}

size_t CountCharacters(const char *text, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    }
    return count;
}

//! The value's length is in bytes first, since text is seldom longer in bytes than its limit in characters.
void CheckText(const RowCheck &node, const duckdb::string_t &value, bool is_null_if_empty) {
    if (is_null_if_empty && node.not_null && value.GetSize() == 0) {
        ThrowNull(node);
    }
    if (node.max_length && value.GetSize() > node.max_length &&
        CountCharacters(value.GetData(), value.GetSize()) > node.max_length) {
        Throw(Fail(Condition::DELTA_EXCEED_CHAR_VARCHAR_LIMIT,
                   "Value '{}' exceeds the length of column {}, which is {}. Shorten it, or widen the column.",
                   value.GetString(), node.path, node.length_type));
    }
}

[[noreturn]] void ThrowInfinity(const RowCheck &node) {
    Throw(
        Fail(Condition::BIRDFOOT_UNSUPPORTED,
             "Column {} has an infinite date or timestamp in a row to be written. Delta Lake has no such value. Write "
             "NULL or a finite one.",
             node.path));
}

bool IsFinite(duckdb::date_t value) {
    return value.days != duckdb::date_t::infinity().days && value.days != duckdb::date_t::ninfinity().days;
}
bool IsFinite(duckdb::timestamp_t value) {
    return value.value != duckdb::timestamp_t::infinity().value &&
           value.value != duckdb::timestamp_t::ninfinity().value;
}

template <typename T>
void CheckFinite(const RowCheck &node, const duckdb::UnifiedVectorFormat &format, idx_t count) {
    const auto *values = duckdb::UnifiedVectorFormat::GetData<T>(format);
    if (format.validity.AllValid() && !format.sel->IsSet()) {
        bool infinite = false;
        for (idx_t i = 0; i < count; i++) {
            infinite |= !IsFinite(values[i]);
        }
        if (infinite) {
            ThrowInfinity(node);
        }
        return;
    }
    for (idx_t i = 0; i < count; i++) {
        auto index = format.sel->get_index(i);
        if (format.validity.RowIsValid(index) && !IsFinite(values[index])) {
            ThrowInfinity(node);
        }
    }
}

void CheckLeaf(const RowCheck &node, const duckdb::UnifiedVectorFormat &format, idx_t count) {
    if (node.kind == TypeKind::kDate) {
        return CheckFinite<duckdb::date_t>(node, format, count);
    }
    if (node.temporal) {
        return CheckFinite<duckdb::timestamp_t>(node, format, count);
    }
    if (!node.max_length && !(node.empty_is_null && node.not_null)) {
        return;
    }
    const auto *values = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
    for (idx_t i = 0; i < count; i++) {
        auto index = format.sel->get_index(i);
        if (format.validity.RowIsValid(index)) {
            CheckText(node, values[index], node.empty_is_null);
        }
    }
}

void CheckVector(const RowCheck &node, duckdb::Vector &vector, idx_t count);

void CheckStruct(const RowCheck &node, duckdb::Vector &vector, idx_t count) {
    vector.Flatten(count);
    auto &validity = duckdb::FlatVector::Validity(vector);
    auto &entries = duckdb::StructVector::GetEntries(vector);
    for (const auto &child : node.children) {
        if (!validity.AllValid() && child.not_null && validity.CountValid(count) < count) {
            ThrowNull(child);
        }
        if (validity.AllValid()) {
            CheckVector(child, *entries[child.position], count);
            continue;
        }
        duckdb::SelectionVector present(count);
        idx_t rows = 0;
        for (idx_t i = 0; i < count; i++) {
            if (validity.RowIsValid(i)) {
                present.set_index(rows++, i);
            }
        }
        duckdb::Vector values(*entries[child.position], present, rows);
        CheckVector(child, values, rows);
    }
}

//! Only elements that a list refers to count: a filtered vector keeps the others.
void CheckList(const RowCheck &node, duckdb::Vector &vector, idx_t count) {
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(count, format);
    const auto *lists = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(format);
    std::vector<duckdb::sel_t> elements;
    for (idx_t i = 0; i < count; i++) {
        auto index = format.sel->get_index(i);
        if (format.validity.RowIsValid(index)) {
            for (idx_t k = 0; k < lists[index].length; k++) {
                elements.push_back(static_cast<duckdb::sel_t>(lists[index].offset + k));
            }
        }
    }
    if (elements.empty()) {
        return;
    }
    duckdb::SelectionVector selection(elements.data());
    duckdb::Vector values(duckdb::ListVector::GetEntry(vector), selection, elements.size());
    if (node.kind == TypeKind::kArray) {
        return CheckVector(node.children[0], values, elements.size());
    }
    values.Flatten(elements.size());  // entries of a map: struct<key, value>
    auto &entries = duckdb::StructVector::GetEntries(values);
    for (const auto &child : node.children) {
        CheckVector(child, *entries[child.position], elements.size());
    }
}

void CheckVector(const RowCheck &node, duckdb::Vector &vector, idx_t count) {
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(count, format);
    if (node.not_null && !format.validity.AllValid()) {
        for (idx_t i = 0; i < count; i++) {
            if (!format.validity.RowIsValid(format.sel->get_index(i))) {
                ThrowNull(node);
            }
        }
    }
    switch (node.kind) {
    case TypeKind::kStruct: return node.children.empty() ? void() : CheckStruct(node, vector, count);
    case TypeKind::kArray:
    case TypeKind::kMap: return node.children.empty() ? void() : CheckList(node, vector, count);
    default: return CheckLeaf(node, format, count);
    }
}

}  // namespace

RowChecks::RowChecks(const StructType &schema, const Metadata &metadata) {
    for (size_t i = 0; i < schema.fields.size(); i++) {
        const auto &field = schema.fields[i];
        auto node = MakeNode(i, field.type, field.nullable, field.name);
        node.empty_is_null = field.type.kind() == TypeKind::kString && IsPartitionColumn(metadata, field.name);
        if (auto text = field.metadata.StringOf(kCharVarcharKey)) {
            LengthReader(*text).Read(field.type, node);
        }
        Prune(node);
        if (!node.idle()) {
            columns_.push_back(std::move(node));
        }
    }
}

void RowChecks::Check(duckdb::DataChunk &chunk) const {
    for (const auto &column : columns_) {
        CheckVector(column, chunk.data[column.position], chunk.size());
    }
}

}  // namespace birdfoot::duck
