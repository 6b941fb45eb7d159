// Bytes as a table's schema: parsed, written, parsed again to the same, and walked by whatever walks schemas.
#include <cstdlib>

#include "core/schema/schema_merge.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/schema/type_widening.hpp"

using namespace birdfoot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const auto schema = ParseSchema(text);
    (void)ParseTypeJson(text);
    if (!schema.ok()) {
        return 0;
    }
    const auto json = SchemaToJson(*schema);
    const auto again = ParseSchema(json);
    if (!again.ok() || SchemaToJson(*again) != json) {
        std::abort();
    }
    (void)CheckSchemaForWrite(*schema, ColumnMappingMode::kNone);
    (void)CheckVoidColumns(*schema);
    (void)CheckTypeChanges(*schema);
    (void)SchemaToTree(*schema);
    int64_t max_id = 0;
    const auto mapped = AssignColumnMapping(*schema, true, &max_id);
    (void)CheckColumnMapping(mapped, ColumnMappingMode::kId);
    MergeOptions options;
    options.evolve = options.widen = true;
    if (const auto merged = MergeSchemas(*schema, mapped, options);
        merged.ok() && merged->fields.size() < schema->fields.size()) {
        std::abort();
    }
    return 0;
}
