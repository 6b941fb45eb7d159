// Warehouse: a folder of schema/table folders and what names stand for in it. A table is a folder with a log; an
// external table is a small file schema/name.location.json, created create-only, which DROP removes; a folder with a
// log directly in the root belongs to the schema "main". It is about names, never about a table's content.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/engine.hpp"

namespace birdfoot::duck {

inline constexpr const char *kMainSchema = "main";

class Warehouse {
public:
    Warehouse(Engine engine, std::string root) : engine_(std::move(engine)), root_(std::move(root)) {}

    struct Place {
        std::string name;  // as it is spelt in the store
        std::string root;  // where the table is, or would be
        bool managed = true;
        std::string name_file;  // of an external table
    };

    const std::string &root() const { return root_; }
    //! Sorted; "main" is always there.
    Result<std::vector<std::string>> Schemas(const Call &call) const;
    //! The spelling of a schema that exists; none otherwise. Compares as Find does.
    Result<std::optional<std::string>> FindSchema(const std::string &schema, const Call &call) const;
    //! What may be tables of a schema: its folders and name files, unopened.
    Result<std::vector<Place>> Tables(const std::string &schema, const Call &call) const;
    //! Where the name points to; none if there is no such name. Names compare without regard to case, exact ones first.
    Result<std::optional<Place>> Find(const std::string &schema, const std::string &table, const Call &call) const;
    //! The place of a table to be created: its folder, or `location` and the name file that will point there.
    Result<Place> PlaceFor(const std::string &schema, const std::string &table,
                           const std::optional<std::string> &location) const;

    //! False if the name stands for this location already; DELTA_TABLE_ALREADY_EXISTS when it stands for another.
    Result<bool> WriteName(const Place &place, const Call &call) const;
    //! Makes a name that exists stand for `place.root`, wherever it pointed before.
    Status ReplaceName(const Place &place, const Call &call) const;
    Status RemoveName(const Place &place, const Call &call) const;
    //! BIRDFOOT_INVALID_INPUT for what cannot be the name of a schema or of a managed table, since it is no folder's
    //! name.
    static Status CheckName(const std::string &name);
    //! What lies in a schema's folder and is neither a folder nor a name of a table.
    Result<std::vector<std::string>> OthersIn(const std::string &schema, const Call &call) const;
    Status CreateSchema(const std::string &schema, const Call &call) const;
    //! Where the folder of a schema is.
    std::string FolderOf(const std::string &schema) const { return root_ + "/" + schema; }
    //! Takes a folder out of the warehouse in one step, by a hidden name beside it: what is half deleted must not look
    //! like a table. Returns where it is now.
    static Result<std::string> SetAside(const std::string &folder);
    static Status MoveFolder(const std::string &from, const std::string &to);

private:
    Result<std::string> ReadLocation(const std::string &name_file, const Call &call) const;
    Result<std::optional<Place>> FindExactly(const std::string &schema, const std::string &table,
                                             const Call &call) const;

    Engine engine_;
    std::string root_;
};

}  // namespace birdfoot::duck
