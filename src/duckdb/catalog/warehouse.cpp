#include "duckdb/catalog/warehouse.hpp"

#include <algorithm>
#include <filesystem>

#include "core/base/json.hpp"
#include "core/base/uuid.hpp"
#include "core/schema/types.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot::duck {

namespace {

constexpr std::string_view kNameFileSuffix = ".location.json";
constexpr std::string_view kSchemaMarker =
    ".schema.json";  // keeps an empty schema where folders do not exist by themselves

//! Names that begin so belong to others: temporary files, logs, change data.
bool IsHidden(std::string_view name) { return name.empty() || name[0] == '.' || name[0] == '_'; }

bool IsFolderName(std::string_view name) {
    return !IsHidden(name) && name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

//! What is in the file of a name.
std::string NameText(const Warehouse::Place &place) {
    std::string text;
    JsonWriter(text).BeginObject().Key("location").String(place.root).EndObject();
    return text;
}

template <typename Names, typename NameOf>
const typename Names::value_type *FindName(const Names &names, const std::string &wanted, NameOf name_of) {
    const typename Names::value_type *found = nullptr;
    for (auto &candidate : names) {
        if (name_of(candidate) == wanted) {
            return &candidate;
        }
        if (!found && EqualsIgnoreCase(name_of(candidate), wanted)) {
            found = &candidate;
        }
    }
    return found;
}

//! For lists, which must not fail for a folder that is somebody else's: what cannot be read is no table.
Result<bool> IsReadableTable(const Engine &engine, const std::string &folder, const Call &call) {
    auto is_table = IsDeltaTable(engine, folder, call);
    return !is_table.ok() && is_table.error().condition() == Condition::BIRDFOOT_IO ? false : std::move(is_table);
}

}  // namespace

Result<std::vector<std::string>> Warehouse::Schemas(const Call &call) const {
    std::vector<std::string> schemas = {kMainSchema};
    BF_ASSIGN(auto folders, engine_.store->ListFolders(root_, call));
    for (auto &folder : folders) {
        if (IsHidden(folder) || folder == kMainSchema) {
            continue;
        }
        BF_ASSIGN(auto is_table, IsReadableTable(engine_, root_ + "/" + folder, call));
        if (!is_table) {
            schemas.push_back(std::move(folder));
        }
    }
    std::sort(schemas.begin(), schemas.end());
    return schemas;
}

Result<std::optional<std::string>> Warehouse::FindSchema(const std::string &schema, const Call &call) const {
    if (EqualsIgnoreCase(schema, kMainSchema)) {
        return std::optional<std::string>(kMainSchema);
    }
    BF_ASSIGN(auto folders, engine_.store->ListFolders(root_, call));
    auto *found = FindName(folders, schema, [](const std::string &name) { return name; });
    if (!found || IsHidden(*found)) {
        return std::optional<std::string>();
    }
    BF_ASSIGN(auto is_table, IsDeltaTable(engine_, root_ + "/" + *found, call));
    return is_table ? std::nullopt : std::optional<std::string>(*found);
}

Result<std::vector<Warehouse::Place>> Warehouse::Tables(const std::string &schema, const Call &call) const {
    auto folder = root_ + "/" + schema;
    std::vector<Place> tables;
    BF_ASSIGN(auto names, engine_.store->ListFolders(folder, call));
    for (auto &name : names) {
        if (!IsHidden(name)) {
            tables.push_back({name, folder + "/" + name, true, {}});
        }
    }
    BF_ASSIGN(auto files, engine_.store->List(folder, "", call));
    for (auto &file : files) {
        if (IsHidden(file.name) || !file.name.ends_with(kNameFileSuffix)) {
            continue;
        }
        auto name_file = folder + "/" + file.name;
        BF_ASSIGN(auto location, ReadLocation(name_file, call));
        tables.push_back({file.name.substr(0, file.name.size() - kNameFileSuffix.size()), std::move(location), false,
                          std::move(name_file)});
    }
    if (schema == kMainSchema) {
        BF_ASSIGN(auto top, engine_.store->ListFolders(root_, call));
        for (auto &name : top) {
            if (IsHidden(name) || name == kMainSchema) {
                continue;
            }
            BF_ASSIGN(auto is_table, IsReadableTable(engine_, root_ + "/" + name, call));
            if (is_table) {
                tables.push_back({name, root_ + "/" + name, true, {}});
            }
        }
    }
    std::stable_sort(tables.begin(), tables.end(), [](const Place &a, const Place &b) { return a.name < b.name; });
    tables.erase(
        std::unique(tables.begin(), tables.end(), [](const Place &a, const Place &b) { return a.name == b.name; }),
        tables.end());
    return tables;
}

Result<std::optional<Warehouse::Place>> Warehouse::FindExactly(const std::string &schema, const std::string &table,
                                                               const Call &call) const {
    const auto folder = root_ + "/" + schema;
    BF_ASSIGN(auto in_schema, IsDeltaTable(engine_, folder + "/" + table, call));
    if (in_schema) {
        return std::optional<Place>({table, folder + "/" + table, true, {}});
    }
    auto name_file = folder + "/" + table + std::string(kNameFileSuffix);
    auto location = ReadLocation(name_file, call);
    if (location.ok()) {
        return std::optional<Place>({table, std::move(*location), false, std::move(name_file)});
    }
    if (location.error().condition() != Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
        return location.error();
    }
    if (schema == kMainSchema) {
        BF_ASSIGN(auto at_top, IsDeltaTable(engine_, root_ + "/" + table, call));
        if (at_top) {
            return std::optional<Place>({table, root_ + "/" + table, true, {}});
        }
    }
    return std::optional<Place>();
}

Result<std::optional<Warehouse::Place>> Warehouse::Find(const std::string &schema, const std::string &table,
                                                        const Call &call) const {
    if (!IsFolderName(table)) {
        return std::optional<Place>();
    }
    BF_ASSIGN(auto exact, FindExactly(schema, table, call));
    if (exact) {
        return exact;
    }
    BF_ASSIGN(auto tables, Tables(schema, call));
    auto *found = FindName(tables, table, [](const Place &place) { return place.name; });
    return found ? std::optional<Place>(*found) : std::nullopt;
}

Result<Warehouse::Place> Warehouse::PlaceFor(const std::string &schema, const std::string &table,
                                             const std::optional<std::string> &location) const {
    BF_RETURN_IF_ERROR(CheckName(table));
    auto folder = root_ + "/" + schema;
    if (!location) {
        return Place{table, folder + "/" + table, true, {}};
    }
    return Place{table, NormalizeTableRoot(*location), false, folder + "/" + table + std::string(kNameFileSuffix)};
}

Result<std::string> Warehouse::ReadLocation(const std::string &name_file, const Call &call) const {
    BF_ASSIGN(auto text, engine_.store->Get(name_file, std::nullopt, call));
    auto document = JsonDocument::Parse(text);
    auto location = document.ok() ? document->root()["location"].string() : std::nullopt;
    if (!location) {
        return Fail(
            Condition::BIRDFOOT_INVALID_INPUT,
            "{} does not say where its table is. It should hold {{\"location\": \"/path\"}}. Mend or delete it.",
            name_file);
    }
    return NormalizeTableRoot(*location);
}

Result<bool> Warehouse::WriteName(const Place &place, const Call &call) const {
    BF_ASSIGN(auto put, engine_.store->Put(place.name_file, NameText(place), PutMode::kCreateOnly, call));
    if (put == PutResult::kWritten) {
        return true;
    }
    BF_ASSIGN(auto location, ReadLocation(place.name_file, call));
    if (location != place.root) {
        return Fail(Condition::DELTA_TABLE_ALREADY_EXISTS, "The name {} stands for {} already. Choose another name.",
                    place.name, location);
    }
    return false;
}

Status Warehouse::ReplaceName(const Place &place, const Call &call) const {
    BF_ASSIGN(auto put, engine_.store->Put(place.name_file, NameText(place), PutMode::kOverwrite, call));
    (void)put;
    return {};
}

Status Warehouse::RemoveName(const Place &place, const Call &call) const {
    return engine_.store->Delete(place.name_file, call);
}

Status Warehouse::CheckName(const std::string &name) {
    if (IsFolderName(name)) {
        return {};
    }
    return Fail(
        Condition::BIRDFOOT_INVALID_INPUT,
        "'{}' cannot be a name in a warehouse. It becomes a folder's name: it must not be empty, begin with '.' or "
        "'_', or hold a '/'. To create a table at a path, write delta.\"/path\".",
        name);
}

Result<std::vector<std::string>> Warehouse::OthersIn(const std::string &schema, const Call &call) const {
    std::vector<std::string> others;
    BF_ASSIGN(auto files, engine_.store->List(root_ + "/" + schema, "", call));
    for (auto &file : files) {
        if (file.name != kSchemaMarker && !file.name.ends_with(kNameFileSuffix)) {
            others.push_back(file.name);
        }
    }
    BF_ASSIGN(auto folders, engine_.store->ListFolders(root_ + "/" + schema, call));
    for (auto &folder : folders) {
        if (IsHidden(folder)) {
            others.push_back(folder);
        }
    }
    return others;
}

Status Warehouse::CreateSchema(const std::string &schema, const Call &call) const {
    BF_ASSIGN(auto put, engine_.store->Put(root_ + "/" + schema + "/" + std::string(kSchemaMarker), "{}",
                                           PutMode::kCreateOnly, call));
    (void)put;
    return {};
}

Result<std::string> Warehouse::SetAside(const std::string &folder) {
    const std::filesystem::path path(folder);
    if (std::error_code ignored; std::filesystem::is_symlink(path, ignored)) {
        return Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                    "{} is a symbolic link, not a folder, so it is not dropped. Remove the link by hand.", folder);
    }
    auto aside = path.parent_path() / (".dropped-" + path.filename().string() + "-" + RandomUuid());
    BF_RETURN_IF_ERROR(MoveFolder(folder, aside.string()));
    return aside.string();
}

Status Warehouse::MoveFolder(const std::string &from, const std::string &to) {
    std::error_code problem;
    std::filesystem::create_directories(std::filesystem::path(to).parent_path(), problem);
    if (!problem) {
        std::filesystem::rename(from, to, problem);
    }
    if (problem) {
        return Fail(Condition::BIRDFOOT_IO, "Cannot move {} to {}: {}. Nothing was changed.", from, to,
                    problem.message());
    }
    return {};
}

}  // namespace birdfoot::duck
