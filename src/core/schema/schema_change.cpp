#include "core/schema/schema_change.hpp"

#include <algorithm>

#include "core/schema/schema_rules.hpp"

namespace birdfoot {
namespace {

Error NotFound(const FieldPath &path, const StructType &schema) {
    std::string names;
    for (const auto &field : schema.fields) {
        names += (names.empty() ? "" : ", ") + field.name;
    }
    return Fail(Condition::DELTA_COLUMN_NOT_FOUND, "There is no column {} in the table. Its columns are: {}.",
                PathText(path), names);
}

//! The type at `path` changed by `change`, everything around it as it was.
Result<DataType> Edit(const DataType &type, const FieldPath &path, size_t at, const StructType &schema,
                      const std::function<Result<DataType>(const DataType &)> &change) {
    if (at == path.size()) {
        return change(type);
    }
    const auto is = [&](std::string_view step) { return EqualsIgnoreCase(path[at], step); };
    switch (type.kind()) {
    case TypeKind::kStruct: {
        auto fields = type.struct_type();
        const auto index = fields.IndexOf(path[at]);
        if (!index) {
            return NotFound(path, schema);
        }
        BF_ASSIGN(fields.fields[*index].type, Edit(fields.fields[*index].type, path, at + 1, schema, change));
        return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray: {
        if (!is("element")) {
            return NotFound(path, schema);
        }
        BF_ASSIGN(auto element, Edit(type.array_type().element, path, at + 1, schema, change));
        return DataType::Array(std::move(element), type.array_type().contains_null);
    }
    case TypeKind::kMap: {
        auto map = type.map_type();
        if (!is("key") && !is("value")) {
            return NotFound(path, schema);
        }
        auto &side = is("key") ? map.key : map.value;
        BF_ASSIGN(side, Edit(side, path, at + 1, schema, change));
        return DataType::Map(std::move(map.key), std::move(map.value), map.value_contains_null);
    }
    default: return NotFound(path, schema);
    }
}

Result<StructType> EditAt(const StructType &schema, const FieldPath &path,
                          const std::function<Result<DataType>(const DataType &)> &change) {
    BF_ASSIGN(const auto type, Edit(DataType::Struct(schema), path, 0, schema, change));
    return type.struct_type();
}

FieldPath ParentOf(const FieldPath &path) { return {path.begin(), path.end() - 1}; }

//! Puts a field among others, none of which has its name.
Status Insert(std::vector<StructField> &fields, StructField field, const FieldPlace &place, const FieldPath &parent,
              const StructType &schema) {
    auto at = place.first ? fields.begin() : fields.end();
    if (!place.after.empty()) {
        at = std::find_if(fields.begin(), fields.end(), [&](auto &f) { return EqualsIgnoreCase(f.name, place.after); });
        if (at == fields.end()) {
            auto path = parent;
            path.push_back(place.after);
            return NotFound(path, schema);
        }
        ++at;
    }
    fields.insert(at, std::move(field));
    return {};
}

void AppendName(std::string &text, std::string_view name, std::string_view quoted_for) {
    if (!name.empty() && name.find_first_of(quoted_for) == std::string_view::npos) {
        text += name;
        return;
    }
    text += '`';
    for (const char c : name) {
        text += c;
        if (c == '`') {
            text += c;
        }
    }
    text += '`';
}

void AppendPath(std::string &text, const FieldPath &path, std::string_view quoted_for) {
    for (size_t i = 0; i < path.size(); ++i) {
        text += i > 0 ? "." : "";
        AppendName(text, path[i], quoted_for);
    }
}

//! Reads a list of paths, Spark's multipartIdentifierList.
class PathListReader {
public:
    explicit PathListReader(std::string_view text) : text_(text) {}

    std::optional<std::vector<FieldPath>> Read() {
        std::vector<FieldPath> paths;
        SkipSpace();
        if (at_ == text_.size()) {
            return paths;
        }
        while (true) {
            paths.emplace_back();
            do {
                auto name = Name();
                if (!name) {
                    return std::nullopt;
                }
                paths.back().push_back(*std::move(name));
                SkipSpace();
            } while (at_ < text_.size() && text_[at_] == '.' && ++at_);
            if (at_ == text_.size()) {
                return paths;
            }
            if (text_[at_++] != ',') {
                return std::nullopt;
            }
        }
    }

private:
    void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    std::optional<std::string> Name() {
        SkipSpace();
        if (at_ < text_.size() && text_[at_] == '`') {
            return Quoted();
        }
        const auto end = std::min(text_.find_first_of(" \t\r\n,.`", at_), text_.size());
        std::string name(text_.substr(at_, end - at_));
        at_ = end;
        return name.empty() ? std::nullopt : std::optional(std::move(name));
    }

    std::optional<std::string> Quoted() {
        std::string name;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '`' && (at_ + 1 == text_.size() || text_[at_ + 1] != '`')) {
                ++at_;
                return name;
            }
            at_ += text_[at_] == '`' ? 1 : 0;
            name += text_[at_];
        }
        return std::nullopt;
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

std::string PathText(const FieldPath &path) {
    std::string text;
    AppendPath(text, path, ".`");
    return text;
}

std::optional<std::vector<FieldPath>> ParsePathList(std::string_view text) { return PathListReader(text).Read(); }

std::string PathListText(const std::vector<FieldPath> &paths) {
    std::string text;
    for (const auto &path : paths) {
        text += text.empty() ? "" : ",";
        AppendPath(text, path, ".`, \t\r\n");
    }
    return text;
}

std::string FieldPlace::ToText() const { return first ? "FIRST" : "AFTER " + after; }

Result<DataType> TypeAt(const StructType &schema, const FieldPath &path, FieldPath *spelt) {
    DataType type = DataType::Struct(schema);
    for (const auto &step : path) {
        std::string name = step;
        if (type.kind() == TypeKind::kStruct) {
            const auto *field = type.struct_type().Find(step);
            if (!field) {
                return NotFound(path, schema);
            }
            name = field->name;
            type = DataType(field->type);
        } else if (type.kind() == TypeKind::kArray && EqualsIgnoreCase(step, "element")) {
            name = "element";
            type = DataType(type.array_type().element);
        } else if (type.kind() == TypeKind::kMap &&
                   (EqualsIgnoreCase(step, "key") || EqualsIgnoreCase(step, "value"))) {
            const bool key = EqualsIgnoreCase(step, "key");
            name = key ? "key" : "value";
            type = DataType(key ? type.map_type().key : type.map_type().value);
        } else {
            return NotFound(path, schema);
        }
        if (spelt) {
            spelt->push_back(std::move(name));
        }
    }
    return type;
}

Result<const StructField *> FindField(const StructType &schema, const FieldPath &path, FieldPath *spelt) {
    const StructType *fields = &schema;
    const StructField *found = nullptr;
    DataType type;  // shares its parts with `schema`, so that pointers into it stay good
    for (const auto &step : path) {
        found = fields ? fields->Find(step) : nullptr;
        if (found) {
            type = found->type;
        } else if (!fields && type.kind() == TypeKind::kArray && EqualsIgnoreCase(step, "element")) {
            type = DataType(type.array_type().element);
        } else if (!fields && type.kind() == TypeKind::kMap && EqualsIgnoreCase(step, "key")) {
            type = DataType(type.map_type().key);
        } else if (!fields && type.kind() == TypeKind::kMap && EqualsIgnoreCase(step, "value")) {
            type = DataType(type.map_type().value);
        } else {
            return NotFound(path, schema);
        }
        if (spelt) {
            spelt->push_back(found ? found->name : step);
        }
        fields = type.kind() == TypeKind::kStruct ? &type.struct_type() : nullptr;
    }
    if (!found) {
        return NotFound(path, schema);
    }
    return found;
}

Result<StructType> WithField(const StructType &schema, const FieldPath &parent, StructField field,
                             const FieldPlace &place) {
    return EditAt(schema, parent, [&](const DataType &type) -> Result<DataType> {
        auto path = parent;
        path.push_back(field.name);
        if (type.kind() != TypeKind::kStruct) {
            return Fail(Condition::DELTA_ADD_COLUMN_PARENT_NOT_STRUCT,
                        "Cannot add {} because its parent is not a struct but {}.{}", PathText(path), type.ToString(),
                        type.kind() == TypeKind::kArray ? " The fields of its elements are below …element."
                        : type.kind() == TypeKind::kMap ? " The fields of its values are below …value."
                                                        : "");
        }
        auto fields = type.struct_type();
        if (fields.Find(field.name)) {
            return Fail(Condition::FIELD_ALREADY_EXISTS, "Cannot add column, because {} already exists in {}.",
                        PathText(path), type.ToString());
        }
        BF_RETURN_IF_ERROR(Insert(fields.fields, field, place, parent, schema));
        return DataType::Struct(std::move(fields));
    });
}

Result<StructType> WithoutField(const StructType &schema, const FieldPath &path) {
    return EditAt(schema, ParentOf(path), [&](const DataType &type) -> Result<DataType> {
        if (type.kind() != TypeKind::kStruct) {
            return Fail(Condition::DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE,
                        "Can only drop nested columns from a struct. Found {} above {}.", type.ToString(),
                        PathText(path));
        }
        auto fields = type.struct_type();
        const auto index = fields.IndexOf(path.back());
        if (!index) {
            return NotFound(path, schema);
        }
        if (fields.fields.size() == 1) {
            return Fail(Condition::DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA,
                        "Cannot drop column {} from a schema with a single column. Drop what it is a part of instead. "
                        "Schema:\n{}",
                        PathText(path), SchemaToTree(fields));
        }
        fields.fields.erase(fields.fields.begin() + static_cast<ptrdiff_t>(*index));
        return DataType::Struct(std::move(fields));
    });
}

Result<StructType> WithChangedField(const StructType &schema, const FieldPath &path,
                                    const std::function<Status(StructField &)> &change,
                                    const std::optional<FieldPlace> &place) {
    return EditAt(schema, ParentOf(path), [&](const DataType &type) -> Result<DataType> {
        auto fields = type.kind() == TypeKind::kStruct ? type.struct_type() : StructType();
        const auto index = fields.IndexOf(path.back());
        if (!index) {
            return NotFound(path, schema);
        }
        auto field = fields.fields[*index];
        BF_RETURN_IF_ERROR(change(field));
        const auto at = fields.fields.begin() + static_cast<ptrdiff_t>(*index);
        if (!place || EqualsIgnoreCase(place->after, path.back())) {
            *at = std::move(field);
        } else {
            fields.fields.erase(at);
            BF_RETURN_IF_ERROR(Insert(fields.fields, std::move(field), *place, ParentOf(path), schema));
        }
        return DataType::Struct(std::move(fields));
    });
}

Result<StructType> WithType(const StructType &schema, const FieldPath &path, const DataType &type) {
    return EditAt(schema, path, [&](const DataType &) -> Result<DataType> { return type; });
}

}  // namespace birdfoot
