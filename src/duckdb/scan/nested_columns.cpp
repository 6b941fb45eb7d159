// Nested columns that a file has in another shape than the table.
#include "duckdb/scan/nested_columns.hpp"

#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

#include "duckdb/scan/file_columns.hpp"

namespace birdfoot::duck {

using duckdb::FlatVector;
using duckdb::idx_t;
using duckdb::ListVector;
using duckdb::LogicalType;
using duckdb::StructVector;
using duckdb::Vector;

namespace {

//! What becomes of a value: for each part of the table's type where it is found in the file's.
struct Shape {
    struct Part {
        std::optional<size_t> from;  // position among the file's parts; none: NULL
        std::vector<Shape> shape;    // one, if `from`
        bool operator==(const Part &) const = default;
    };
    bool same = false;  // as it is
    bool leaf = false;  // cast
    std::vector<Part> parts;
    bool operator==(const Shape &) const = default;
};

Shape ShapeOf(const ScanColumn &column, const duckdb::MultiFileColumnDefinition &in_file) {
    Shape shape;
    shape.same = IsSame(column, in_file);
    shape.leaf = column.children.empty();
    if (shape.same || shape.leaf) {
        return shape;
    }
    const bool is_map = column.type.kind() == TypeKind::kMap;
    const auto &file_parts = is_map ? in_file.children[0].children : in_file.children;
    for (const auto &child : column.children) {
        Shape::Part part;
        part.from = FindTied(file_parts, child.id);
        if (part.from) {
            part.shape.push_back(ShapeOf(child, file_parts[*part.from]));
        }
        shape.parts.push_back(std::move(part));
    }
    return shape;
}

void Convert(const Shape &shape, Vector &from, Vector &to, idx_t count);

void ConvertFields(const Shape &shape, Vector &from, Vector &to, idx_t count) {
    FlatVector::SetValidity(to, FlatVector::Validity(from));
    auto &sources = StructVector::GetEntries(from);
    auto &targets = StructVector::GetEntries(to);
    for (size_t i = 0; i < shape.parts.size(); ++i) {
        const auto &part = shape.parts[i];
        if (part.from) {
            Convert(part.shape[0], *sources[*part.from], *targets[i], count);
        } else {
            targets[i]->SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
            duckdb::ConstantVector::SetNull(*targets[i], true);
            targets[i]->Flatten(count);
        }
    }
}

void ConvertEntries(const Shape &shape, Vector &from, Vector &to, idx_t count) {
    FlatVector::SetValidity(to, FlatVector::Validity(from));
    auto *sources = FlatVector::GetData<duckdb::list_entry_t>(from);
    std::copy(sources, sources + count, FlatVector::GetData<duckdb::list_entry_t>(to));
    const auto entries = ListVector::GetListSize(from);
    ListVector::Reserve(to, entries);
    auto &source = ListVector::GetEntry(from);
    auto &target = ListVector::GetEntry(to);
    source.Flatten(entries);
    if (to.GetType().id() == duckdb::LogicalTypeId::MAP) {
        ConvertFields(shape, source, target, entries);
    } else {
        Convert(shape.parts[0].shape[0], source, target, entries);
    }
    ListVector::SetListSize(to, entries);
}

void Convert(const Shape &shape, Vector &from, Vector &to, idx_t count) {
    from.Flatten(count);
    if (shape.same) {
        to.Reference(from);
    } else if (shape.leaf) {
        duckdb::VectorOperations::DefaultCast(from, to, count, true);
    } else if (to.GetType().InternalType() == duckdb::PhysicalType::STRUCT) {
        ConvertFields(shape, from, to, count);
    } else {
        ConvertEntries(shape, from, to, count);
    }
}

struct ShapeData : public duckdb::FunctionData {
    explicit ShapeData(Shape shape_p) : shape(std::move(shape_p)) {}
    duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<ShapeData>(shape); }
    bool Equals(const FunctionData &other) const override { return shape == other.Cast<ShapeData>().shape; }
    const Shape shape;
};

void ShapeFunction(duckdb::DataChunk &arguments, duckdb::ExpressionState &state, Vector &result) {
    auto &data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<ShapeData>();
    Convert(data.shape, arguments.data[0], result, arguments.size());
}

}  // namespace

duckdb::unique_ptr<duckdb::Expression> ToTableShape(duckdb::unique_ptr<duckdb::Expression> value,
                                                    const ScanColumn &column,
                                                    const duckdb::MultiFileColumnDefinition &in_file) {
    duckdb::ScalarFunction function("table_shape", {in_file.type}, column.duck_type, ShapeFunction);
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
    arguments.push_back(std::move(value));
    return duckdb::make_uniq<duckdb::BoundFunctionExpression>(column.duck_type, std::move(function),
                                                              std::move(arguments),
                                                              duckdb::make_uniq<ShapeData>(ShapeOf(column, in_file)));
}

}  // namespace birdfoot::duck
