// What a table may say of its rows, checked when it is created or changed: CHECK constraints, generated columns,
// defaults and identity columns, against the schema, in Spark's words and with Spark's errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duckdb.hpp"

#include "core/log/actions.hpp"
#include "core/schema/types.hpp"

namespace birdfoot::duck {

//! Throws for the first rule that cannot be, or that this version cannot evaluate. `schema` is that of the metadata.
void CheckTableRules(duckdb::ClientContext &context, const Metadata &metadata, const StructType &schema);

//! Throws where the CHECK is no condition over the schema. `name` is for the message.
void CheckConstraintText(const std::string &name, const std::string &expression, const StructType &schema);

}  // namespace birdfoot::duck
