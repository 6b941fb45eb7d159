// Warehouse: a folder of schema/table folders and what names stand for in it. A table is a folder with a log; an external
// table is a small file schema/name.location.json, created create-only, which DROP removes; a folder with a log directly
// in the root belongs to the schema "main". It is about names, never about a table's content.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/object_store.hpp"

namespace birdfoot::duck {

inline constexpr const char *kMainSchema = "main";

class Warehouse {
public:
    Warehouse(std::shared_ptr<ObjectStore> store, std::string root) : store_(std::move(store)), root_(std::move(root)) {}

    struct Place {
        std::string name;  // as it is spelt in the store
        std::string root;  // where the table is, or would be
        bool managed = true;
        std::string name_file;  // of an external table
    };

    const std::string &root() const { return root_; }
    //! In order of their names; "main" is always there.
    Result<std::vector<std::string>> Schemas(const Call &call) const;
    //! The spelling of a schema that exists; none otherwise. Names compare without regard to case, exact ones first.
    Result<std::optional<std::string>> FindSchema(const std::string &schema, const Call &call) const;
    Result<std::vector<Place>> Tables(const std::string &schema, const Call &call) const;
    //! Where the name points to; none if there is no such name. The folder need not hold a readable table.
    Result<std::optional<Place>> Find(const std::string &schema, const std::string &table, const Call &call) const;
    //! The place of a table to be created: its folder, or `location` and the name file that will point there.
    //! BIRDFOOT_INVALID_INPUT for a name that is no folder name.
    Result<Place> PlaceFor(const std::string &schema, const std::string &table,
                           const std::optional<std::string> &location) const;

    //! DELTA_TABLE_ALREADY_EXISTS when the name stands for another location.
    Status WriteName(const Place &place, const Call &call) const;
    Status RemoveName(const Place &place, const Call &call) const;
    Status CreateSchema(const std::string &schema, const Call &call) const;
    Status RemoveSchema(const std::string &schema, const Call &call) const;

private:
    std::string Join(const std::string &schema, const std::string &name = {}) const;
    Result<std::string> ReadLocation(const std::string &name_file, const Call &call) const;

    std::shared_ptr<ObjectStore> store_;
    std::string root_;
};

}  // namespace birdfoot::duck
