#include "unit/support/fake_parquet.hpp"

#include <algorithm>

namespace birdfoot::test {
namespace {

constexpr std::string_view kMagic = "PAR1 fake";

void AppendNull(ColumnVector &column) {
    column.valid.push_back(0);
    switch (column.kind) {
    case ColumnKind::kBool:
    case ColumnKind::kInt64:
    case ColumnKind::kDate:
    case ColumnKind::kTimestamp: column.ints.push_back(0); break;
    case ColumnKind::kDouble: column.doubles.push_back(0); break;
    case ColumnKind::kString:
    case ColumnKind::kDecimal: column.strings.emplace_back(); break;
    case ColumnKind::kStruct:
        for (auto &child : column.children) {
            AppendNull(child);
        }
        break;
    case ColumnKind::kMap:
    case ColumnKind::kList: column.offsets.push_back(column.offsets.back()); break;
    }
}

//! An empty column of the type.
ColumnVector Empty(const ColumnType &type) {
    ColumnVector column;
    column.kind = type.kind;
    for (const auto &child : type.children) {
        column.children.push_back(Empty(child));
    }
    if (type.kind == ColumnKind::kMap && column.children.empty()) {
        column.children.resize(2);
    }
    if (type.kind == ColumnKind::kList && column.children.empty()) {
        column.children.resize(1);
    }
    if (type.kind == ColumnKind::kMap || type.kind == ColumnKind::kList) {
        column.offsets.push_back(0);
    }
    return column;
}

//! Appends one value; `null_above`: a struct around it is null.
void AppendRow(ColumnVector &to, const ColumnVector &from, size_t row, std::deque<std::string> *texts,
               bool null_above) {
    if (null_above || from.is_null(row)) {
        AppendNull(to);
        return;
    }
    to.valid.push_back(1);
    switch (to.kind) {
    case ColumnKind::kBool:
    case ColumnKind::kInt64:
    case ColumnKind::kDate:
    case ColumnKind::kTimestamp: to.ints.push_back(from.ints[row]); break;
    case ColumnKind::kDouble: to.doubles.push_back(from.doubles[row]); break;
    case ColumnKind::kString:
    case ColumnKind::kDecimal:
        if (texts) {
            to.strings.push_back(texts->emplace_back(from.strings[row]));
        } else {
            to.strings.push_back(from.strings[row]);
        }
        break;
    case ColumnKind::kStruct:
        for (size_t i = 0; i < to.children.size(); ++i) {
            AppendRow(to.children[i], from.children[i], row, texts, false);
        }
        break;
    case ColumnKind::kMap:
    case ColumnKind::kList:
        for (size_t i = from.offsets[row]; i < from.offsets[row + 1]; ++i) {
            for (size_t c = 0; c < to.children.size(); ++c) {
                to.children[c].kind = from.children[c].kind;
                AppendRow(to.children[c], from.children[c], i, texts, false);
            }
        }
        to.offsets.push_back(static_cast<uint32_t>(to.children[0].size()));
        break;
    }
}

void AppendJson(ColumnVector &to, const ColumnType &type, JsonValue value, std::deque<std::string> &texts) {
    if (value.is_null()) {
        AppendNull(to);
        return;
    }
    to.valid.push_back(1);
    switch (type.kind) {
    case ColumnKind::kBool: to.ints.push_back(*value.boolean()); break;
    case ColumnKind::kInt64:
    case ColumnKind::kDate:
    case ColumnKind::kTimestamp: to.ints.push_back(*value.int64()); break;
    case ColumnKind::kDouble: to.doubles.push_back(*value.number()); break;
    case ColumnKind::kString: to.strings.push_back(texts.emplace_back(*value.string())); break;
    case ColumnKind::kDecimal: to.strings.push_back(texts.emplace_back(value.number_text())); break;
    case ColumnKind::kStruct:
        for (size_t i = 0; i < type.children.size(); ++i) {
            AppendJson(to.children[i], type.children[i], value[type.children[i].name], texts);
        }
        break;
    case ColumnKind::kMap:
        (void)value.ForEachMember([&](std::string_view key, JsonValue member) -> Status {
            to.children[0].valid.push_back(1);
            to.children[0].strings.push_back(texts.emplace_back(key));
            to.children[1].valid.push_back(!member.is_null());
            to.children[1].strings.push_back(texts.emplace_back(member.string().value_or("")));
            return {};
        });
        to.offsets.push_back(static_cast<uint32_t>(to.children[0].size()));
        break;
    case ColumnKind::kList:
        (void)value.ForEachElement([&](JsonValue element) -> Status {
            to.children[0].valid.push_back(1);
            to.children[0].strings.push_back(texts.emplace_back(*element.string()));
            return {};
        });
        to.offsets.push_back(static_cast<uint32_t>(to.children[0].size()));
        break;
    }
}

void WriteJson(JsonWriter &out, const ColumnType &type, const ColumnVector &column, size_t row) {
    if (column.is_null(row)) {
        out.Null();
        return;
    }
    switch (type.kind) {
    case ColumnKind::kBool: out.Bool(column.ints[row] != 0); break;
    case ColumnKind::kInt64:
    case ColumnKind::kDate:
    case ColumnKind::kTimestamp: out.Int(column.ints[row]); break;
    case ColumnKind::kDouble: out.Raw(fmt::format("{}", column.doubles[row])); break;
    case ColumnKind::kString: out.String(column.strings[row]); break;
    case ColumnKind::kDecimal: out.Raw(column.strings[row]); break;
    case ColumnKind::kStruct:
        out.BeginObject();
        for (size_t i = 0; i < type.children.size(); ++i) {
            if (!column.children[i].is_null(row)) {
                out.Key(type.children[i].name);
                WriteJson(out, type.children[i], column.children[i], row);
            }
        }
        out.EndObject();
        break;
    case ColumnKind::kMap:
        out.BeginObject();
        for (size_t i = column.offsets[row]; i < column.offsets[row + 1]; ++i) {
            out.Key(column.children[0].strings[i]);
            if (column.children[1].is_null(i)) {
                out.Null();
            } else {
                out.String(column.children[1].strings[i]);
            }
        }
        out.EndObject();
        break;
    case ColumnKind::kList:
        out.BeginArray();
        for (size_t i = column.offsets[row]; i < column.offsets[row + 1]; ++i) {
            out.String(column.children[0].strings[i]);
        }
        out.EndArray();
        break;
    }
}

//! A column by its path, with the structs around it (whose nulls it inherits).
struct Found {
    const ColumnType *type = nullptr;
    const ColumnVector *column = nullptr;
    std::vector<const ColumnVector *> around;
    bool is_null(size_t row) const {
        return std::any_of(around.begin(), around.end(), [&](auto *c) { return c->is_null(row); }) ||
               column->is_null(row);
    }
};

std::optional<Found> FindColumn(const FakeParquet::File &file, const std::vector<std::string> &path) {
    Found found;
    const auto *types = &file.schema;
    const auto *columns = &file.columns;
    for (const auto &name : path) {
        const auto it = std::find_if(types->begin(), types->end(), [&](const auto &type) { return type.name == name; });
        if (it == types->end()) {
            return std::nullopt;
        }
        if (found.column) {
            found.around.push_back(found.column);
        }
        found.type = &*it;
        found.column = &(*columns)[static_cast<size_t>(it - types->begin())];
        types = &it->children;
        columns = &found.column->children;
    }
    return found;
}

ParquetField FieldOf(const ColumnType &type) {
    ParquetField field;
    field.name = type.name;
    field.kind = type.kind;
    field.precision = type.precision;
    field.scale = type.scale;
    field.ntz = type.ntz;
    field.binary = type.binary;
    for (const auto &child : type.children) {
        field.children.push_back(FieldOf(child));
    }
    return field;
}

}  // namespace

Result<const FakeParquet::File *> FakeParquet::Find(const std::string &path) const {
    const auto object = store_->objects.find(path);
    if (object == store_->objects.end()) {
        return Fail(Condition::BIRDFOOT_OBJECT_NOT_FOUND, "There is no {}.", path);
    }
    const auto it = files.find(path);
    if (it == files.end() || !object->second.bytes.starts_with(kMagic)) {
        return Fail(Condition::FAILED_READ_FILE, "{} is not Parquet.", path);
    }
    return &it->second;
}

Status FakeParquet::Read(const ReadRequest &request, const std::function<Status(const ReadBatch &)> &visit,
                         const Call &call) {
    ++reads;
    for (const auto &column : request.columns) {
        paths_read.push_back(fmt::format("{}", fmt::join(column.path, ".")));
    }
    for (size_t f = 0; f < request.files.size(); ++f) {
        BF_ASSIGN(const File *file, Find(request.files[f]));
        std::vector<size_t> rows;
        for (size_t row = 0; row < file->rows; ++row) {
            const bool asked =
                !request.only_rows ||
                std::binary_search(request.only_rows->begin(), request.only_rows->end(), static_cast<int64_t>(row));
            const bool some =
                request.any_not_null.empty() ||
                std::any_of(request.any_not_null.begin(), request.any_not_null.end(), [&](const auto &path) {
                    const auto found = FindColumn(*file, path);
                    return found && !found->is_null(row);
                });
            if (asked && some) {
                rows.push_back(row);
            }
        }
        for (size_t from = 0; from < rows.size(); from += batch_rows) {
            BF_RETURN_IF_ERROR(call.Check());
            ReadBatch batch;
            batch.rows = std::min(batch_rows, rows.size() - from);
            for (const auto &wanted : request.columns) {
                ColumnType type;
                type.kind = wanted.kind;
                auto column = Empty(type);
                const auto found = FindColumn(*file, wanted.path);
                if (found && found->type->kind != wanted.kind) {
                    return Fail(Condition::FAILED_READ_FILE, "{} of {} has another type.", wanted.path.back(),
                                request.files[f]);
                }
                for (size_t i = 0; i < batch.rows; ++i) {
                    const size_t row = rows[from + i];
                    if (found) {
                        AppendRow(column, *found->column, row, nullptr, found->is_null(row));
                    } else {
                        AppendNull(column);
                    }
                }
                batch.columns.push_back(std::move(column));
            }
            for (size_t i = 0; i < batch.rows && request.row_numbers; ++i) {
                batch.row.push_back(static_cast<int64_t>(rows[from + i]));
                batch.file.push_back(static_cast<uint32_t>(f));
            }
            BF_RETURN_IF_ERROR(visit(batch));
        }
    }
    return {};
}

Result<ParquetFooter> FakeParquet::ReadFooter(const std::string &path, const Call &) {
    ++footers;
    BF_ASSIGN(const File *file, Find(path));
    ParquetFooter footer;
    footer.rows = static_cast<int64_t>(file->rows);
    for (const auto &type : file->schema) {
        footer.fields.push_back(FieldOf(type));
    }
    return footer;
}

Result<uint64_t> FakeParquet::Write(const std::string &path, const std::vector<ColumnType> &schema,
                                    const std::function<Result<std::optional<std::vector<ColumnVector>>>()> &next,
                                    const Call &call) {
    File file;
    file.schema = schema;
    for (const auto &type : schema) {
        file.columns.push_back(Empty(type));
    }
    while (true) {
        BF_ASSIGN(auto batch, next());
        if (!batch) {
            break;
        }
        const size_t rows = batch->empty() ? 0 : batch->front().size();
        for (size_t c = 0; c < schema.size(); ++c) {
            if (batch->size() != schema.size() || (*batch)[c].size() != rows) {
                return Fail(Condition::BIRDFOOT_INTERNAL, "A batch does not fit its schema.");
            }
            for (size_t row = 0; row < rows; ++row) {
                AppendRow(file.columns[c], (*batch)[c], row, &file.texts, false);
            }
        }
        file.rows += rows;
    }
    files[path] = std::move(file);
    const std::string bytes = fmt::format("{} {}", kMagic, files[path].rows);
    BF_ASSIGN(const auto result, store_->Put(path, bytes, PutMode::kOverwrite, call));
    (void)result;
    return static_cast<uint64_t>(bytes.size());
}

void FakeParquet::SetRows(const std::string &path, const std::vector<ColumnType> &schema,
                          const std::vector<std::string> &rows) {
    File &file = files[path] = File();
    file.schema = schema;
    for (const auto &type : schema) {
        file.columns.push_back(Empty(type));
    }
    for (const auto &row : rows) {
        const auto document = JsonDocument::Parse(row);
        for (size_t c = 0; c < schema.size(); ++c) {
            AppendJson(file.columns[c], schema[c], document->root()[schema[c].name], file.texts);
        }
        ++file.rows;
    }
    store_->Set(path, fmt::format("{} {}", kMagic, file.rows));
}

void FakeParquet::DropColumn(const std::string &path, const std::vector<std::string> &column) {
    File &file = files.at(path);
    auto *types = &file.schema;
    auto *columns = &file.columns;
    for (size_t depth = 0; depth < column.size(); ++depth) {
        const auto it =
            std::find_if(types->begin(), types->end(), [&](auto &type) { return type.name == column[depth]; });
        if (it == types->end()) {
            return;
        }
        const auto at = it - types->begin();
        if (depth + 1 == column.size()) {
            types->erase(it);
            columns->erase(columns->begin() + at);
            return;
        }
        columns = &(*columns)[static_cast<size_t>(at)].children;
        types = &it->children;
    }
}

std::vector<std::string> FakeParquet::Rows(const std::string &path) const {
    const File &file = files.at(path);
    std::vector<std::string> rows;
    for (size_t row = 0; row < file.rows; ++row) {
        std::string text;
        JsonWriter out(text);
        out.BeginObject();
        for (size_t c = 0; c < file.schema.size(); ++c) {
            if (!file.columns[c].is_null(row)) {
                out.Key(file.schema[c].name);
                WriteJson(out, file.schema[c], file.columns[c], row);
            }
        }
        out.EndObject();
        rows.push_back(std::move(text));
    }
    return rows;
}

}  // namespace birdfoot::test
