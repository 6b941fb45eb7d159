// Predicate: what a query asks of a table, in a small tree. One tree serves partition pruning, data skipping and the
// read set of the conflict checker. Evaluation is three-valued; a file is skipped only on certain-false, and *unknown*
// means keep the file in a scan and conflict in the checker. Columns are physical paths.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/schema/scalar.hpp"

namespace birdfoot {

//! kNull is the constant NULL (`x = NULL`): no row satisfies it, and none satisfies its negation.
enum class PredicateKind : uint8_t { kTrue, kFalse, kUnknown, kCompare, kIsNull, kIsNotNull, kAnd, kOr, kNot, kNull };
enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

struct Predicate {
    PredicateKind kind = PredicateKind::kTrue;
    std::vector<std::string> column;  // kCompare, kIsNull, kIsNotNull
    DataType type;                    // the column's
    CompareOp op = CompareOp::kEqual;
    Scalar literal;  // never NULL
    std::vector<Predicate> children;

    static Predicate True() { return {}; }
    static Predicate False() { return Leaf(PredicateKind::kFalse); }
    static Predicate Unknown() { return Leaf(PredicateKind::kUnknown); }
    static Predicate Null() { return Leaf(PredicateKind::kNull); }
    //! Null() where the literal is NULL.
    static Predicate Compare(std::vector<std::string> column, DataType type, CompareOp op, Scalar literal);
    static Predicate IsNull(std::vector<std::string> column, DataType type);
    static Predicate IsNotNull(std::vector<std::string> column, DataType type);
    //! And / Or of no children are True / False; constants are folded.
    static Predicate And(std::vector<Predicate> children);
    static Predicate Or(std::vector<Predicate> children);
    static Predicate Not(Predicate child);

    bool is_true() const { return kind == PredicateKind::kTrue; }
    //! True if every column in it is one of `columns` (top-level names) and nothing is unknown.
    bool OnlyUses(const std::vector<std::string> &columns) const;
    std::string ToString() const;

private:
    static Predicate Leaf(PredicateKind kind) {
        Predicate predicate;
        predicate.kind = kind;
        return predicate;
    }
};

enum class Ternary : uint8_t { kFalse, kTrue, kUnknown };

//! What is known of all rows of a file about one column.
struct ColumnFacts {
    std::optional<Scalar> min;    // a lower bound of all non-null values (safe, perhaps not tight)
    std::optional<Scalar> max;    // an upper bound; float columns: NaN may lie above it, unless nan_is_bounded
    bool nan_is_bounded = false;  // no NaN lies outside min and max (true of partition values)
    std::optional<bool> all_null;
    std::optional<bool> none_null;
};

//! Gives the facts about a column, by physical path.
using FactsOf = std::function<ColumnFacts(const std::vector<std::string> &column, const DataType &type)>;

//! kFalse: no row can satisfy it. kTrue: every row does. (A NULL comparison satisfies nothing, and neither does its
//! NOT.)
Ternary Evaluate(const Predicate &predicate, const FactsOf &facts);

}  // namespace birdfoot
