// Predicates: building and evaluating. A negation is carried down to the leaves while evaluating, where `NOT (x <= c)`
// is `x > c`: both are satisfied by no NULL, and in the one order of numbers that Spark and DuckDB share (NaN above
// all) a value satisfies exactly one of them.
#include "core/scan/predicate.hpp"

#include <algorithm>
#include <cmath>

namespace birdfoot {
namespace {

CompareOp Inverse(CompareOp op) {
    switch (op) {
    case CompareOp::kEqual: return CompareOp::kNotEqual;
    case CompareOp::kNotEqual: return CompareOp::kEqual;
    case CompareOp::kLess: return CompareOp::kGreaterEqual;
    case CompareOp::kLessEqual: return CompareOp::kGreater;
    case CompareOp::kGreater: return CompareOp::kLessEqual;
    case CompareOp::kGreaterEqual: return CompareOp::kLess;
    }
    return op;
}

std::string_view OpText(CompareOp op) {
    switch (op) {
    case CompareOp::kEqual: return "=";
    case CompareOp::kNotEqual: return "<>";
    case CompareOp::kLess: return "<";
    case CompareOp::kLessEqual: return "<=";
    case CompareOp::kGreater: return ">";
    case CompareOp::kGreaterEqual: return ">=";
    }
    return "?";
}

Ternary NullTest(bool wants_null, const ColumnFacts &facts) {
    const auto &certain = wants_null ? facts.all_null : facts.none_null;
    const auto &never = wants_null ? facts.none_null : facts.all_null;
    return certain == true ? Ternary::kTrue : never == true ? Ternary::kFalse : Ternary::kUnknown;
}

//! Where the rows of a file lie, seen from the literal: each is only true where it is certain.
struct Position {
    bool all_below = false;      // every non-null value < literal
    bool all_not_above = false;  // <=
    bool all_not_below = false;  // >=
    bool all_above = false;      // >
};

Position Locate(const ColumnFacts &facts, const Scalar &literal, const DataType &type) {
    Position position;
    const bool is_real = type.kind() == TypeKind::kFloat || type.kind() == TypeKind::kDouble;
    const bool nan_above = is_real && !facts.nan_is_bounded;
    if (facts.min) {
        if (const auto order = Scalar::Compare(*facts.min, literal)) {
            position.all_above = *order > 0;
            position.all_not_below = *order >= 0;
        }
    }
    if (facts.max && !nan_above) {
        if (const auto order = Scalar::Compare(*facts.max, literal)) {
            position.all_below = *order < 0;
            position.all_not_above = *order <= 0;
        }
    }
    const auto literal_kind = literal.type().kind();
    if (is_real && (literal_kind == TypeKind::kFloat || literal_kind == TypeKind::kDouble) &&
        std::isnan(literal.real())) {
        position.all_not_above = true;
    }
    return position;
}

//! True if every non-null value is either NaN or below the literal, which is not NaN: enough for `=` to find nothing.
bool AllBelowOrNan(const ColumnFacts &facts, const Scalar &literal) {
    if (!facts.max) {
        return false;
    }
    const auto kind = literal.type().kind();
    const bool literal_nan = (kind == TypeKind::kFloat || kind == TypeKind::kDouble) && std::isnan(literal.real());
    const auto order = Scalar::Compare(*facts.max, literal);
    return !literal_nan && order && *order < 0;
}

//! Asks for the facts about a column once, however often it occurs (an IN list is one comparison after the other).
class KnownFacts {
public:
    explicit KnownFacts(const FactsOf &facts_of) : facts_of_(facts_of) {}

    const ColumnFacts &Of(const Predicate &predicate) {
        for (const auto &[column, facts] : known_) {
            if (*column == predicate.column) {
                return facts;
            }
        }
        return known_.emplace_back(&predicate.column, facts_of_(predicate.column, predicate.type)).second;
    }

private:
    const FactsOf &facts_of_;
    std::vector<std::pair<const std::vector<std::string> *, ColumnFacts>> known_;
};

Ternary CompareTest(const Predicate &predicate, CompareOp op, const ColumnFacts &facts) {
    if (facts.all_null == true) {
        return Ternary::kFalse;
    }
    const auto at = Locate(facts, predicate.literal, predicate.type);
    const bool all_equal = at.all_not_above && at.all_not_below;
    const bool none_equal = at.all_above || at.all_below || AllBelowOrNan(facts, predicate.literal);
    bool always = false;  // every non-null value satisfies it
    bool never = false;
    switch (op) {
    case CompareOp::kEqual:
        always = all_equal;
        never = none_equal;
        break;
    case CompareOp::kNotEqual:
        always = none_equal;
        never = all_equal;
        break;
    case CompareOp::kLess:
        always = at.all_below;
        never = at.all_not_below;
        break;
    case CompareOp::kLessEqual:
        always = at.all_not_above;
        never = at.all_above;
        break;
    case CompareOp::kGreater:
        always = at.all_above;
        never = at.all_not_above;
        break;
    case CompareOp::kGreaterEqual:
        always = at.all_not_below;
        never = at.all_below;
        break;
    }
    if (never) {
        return Ternary::kFalse;
    }
    return always && facts.none_null == true ? Ternary::kTrue : Ternary::kUnknown;
}

Ternary EvaluateNegated(const Predicate &predicate, bool negated, KnownFacts &facts);

//! Of all children, for And; with the roles of true and false exchanged, for Or.
Ternary EvaluateChildren(const Predicate &predicate, bool negated, bool conjunction, KnownFacts &facts) {
    const auto decides = conjunction ? Ternary::kFalse : Ternary::kTrue;
    auto result = conjunction ? Ternary::kTrue : Ternary::kFalse;
    for (const auto &child : predicate.children) {
        const auto verdict = EvaluateNegated(child, negated, facts);
        if (verdict == decides) {
            return decides;
        }
        if (verdict == Ternary::kUnknown) {
            result = Ternary::kUnknown;
        }
    }
    return result;
}

Ternary EvaluateNegated(const Predicate &predicate, bool negated, KnownFacts &facts) {
    switch (predicate.kind) {
    case PredicateKind::kTrue: return negated ? Ternary::kFalse : Ternary::kTrue;
    case PredicateKind::kFalse: return negated ? Ternary::kTrue : Ternary::kFalse;
    case PredicateKind::kUnknown: return Ternary::kUnknown;
    case PredicateKind::kNull: return Ternary::kFalse;
    case PredicateKind::kCompare:
        return CompareTest(predicate, negated ? Inverse(predicate.op) : predicate.op, facts.Of(predicate));
    case PredicateKind::kIsNull: return NullTest(!negated, facts.Of(predicate));
    case PredicateKind::kIsNotNull: return NullTest(negated, facts.Of(predicate));
    case PredicateKind::kAnd: return EvaluateChildren(predicate, negated, !negated, facts);
    case PredicateKind::kOr: return EvaluateChildren(predicate, negated, negated, facts);
    case PredicateKind::kNot: return EvaluateNegated(predicate.children.front(), !negated, facts);
    }
    return Ternary::kUnknown;
}

std::string ColumnText(const std::vector<std::string> &column) {
    std::string text;
    for (const auto &part : column) {
        const bool plain = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
        text += text.empty() ? "" : ".";
        if (plain) {
            text += part;
            continue;
        }
        text += '`';
        for (const char c : part) {
            text += c == '`' ? std::string("``") : std::string(1, c);
        }
        text += '`';
    }
    return text;
}

Predicate OfColumn(PredicateKind kind, std::vector<std::string> column, DataType type) {
    Predicate predicate;
    predicate.kind = kind;
    predicate.column = std::move(column);
    predicate.type = std::move(type);
    return predicate;
}

Predicate Combine(PredicateKind kind, PredicateKind neutral, PredicateKind decisive, std::vector<Predicate> children) {
    Predicate combined;
    combined.kind = kind;
    for (auto &child : children) {
        if (child.kind == decisive) {
            return std::move(child);
        }
        if (child.kind == kind) {
            std::move(child.children.begin(), child.children.end(), std::back_inserter(combined.children));
        } else if (child.kind != neutral) {
            combined.children.push_back(std::move(child));
        }
    }
    if (combined.children.size() == 1) {
        return Predicate(std::move(combined.children.front()));
    }
    if (combined.children.empty()) {
        combined.kind = neutral;
    }
    return combined;
}

}  // namespace

Predicate Predicate::Compare(std::vector<std::string> column, DataType type, CompareOp op, Scalar literal) {
    if (literal.is_null()) {
        return Null();
    }
    auto predicate = OfColumn(PredicateKind::kCompare, std::move(column), std::move(type));
    predicate.op = op;
    predicate.literal = std::move(literal);
    return predicate;
}

Predicate Predicate::IsNull(std::vector<std::string> column, DataType type) {
    return OfColumn(PredicateKind::kIsNull, std::move(column), std::move(type));
}

Predicate Predicate::IsNotNull(std::vector<std::string> column, DataType type) {
    return OfColumn(PredicateKind::kIsNotNull, std::move(column), std::move(type));
}

Predicate Predicate::And(std::vector<Predicate> children) {
    return Combine(PredicateKind::kAnd, PredicateKind::kTrue, PredicateKind::kFalse, std::move(children));
}

Predicate Predicate::Or(std::vector<Predicate> children) {
    return Combine(PredicateKind::kOr, PredicateKind::kFalse, PredicateKind::kTrue, std::move(children));
}

Predicate Predicate::Not(Predicate child) {
    switch (child.kind) {
    case PredicateKind::kTrue: return False();
    case PredicateKind::kFalse: return True();
    case PredicateKind::kUnknown:
    case PredicateKind::kNull: return child;
    case PredicateKind::kNot: return Predicate(std::move(child.children.front()));
    default: break;
    }
    Predicate negation;
    negation.kind = PredicateKind::kNot;
    negation.children.push_back(std::move(child));
    return negation;
}

bool Predicate::OnlyUses(const std::vector<std::string> &columns) const {
    if (kind == PredicateKind::kUnknown) {
        return false;
    }
    if (!column.empty() && std::find(columns.begin(), columns.end(), column.front()) == columns.end()) {
        return false;
    }
    return std::all_of(children.begin(), children.end(), [&](auto &child) { return child.OnlyUses(columns); });
}

std::string Predicate::ToString() const {
    const auto join = [&](std::string_view separator) {
        std::string text;
        for (const auto &child : children) {
            text += (text.empty() ? "" : fmt::format(" {} ", separator)) + child.ToString();
        }
        return "(" + text + ")";
    };
    switch (kind) {
    case PredicateKind::kTrue: return "TRUE";
    case PredicateKind::kFalse: return "FALSE";
    case PredicateKind::kNull: return "NULL";
    case PredicateKind::kUnknown: return "?";
    case PredicateKind::kCompare: return fmt::format("{} {} {}", ColumnText(column), OpText(op), literal.ToString());
    case PredicateKind::kIsNull: return ColumnText(column) + " IS NULL";
    case PredicateKind::kIsNotNull: return ColumnText(column) + " IS NOT NULL";
    case PredicateKind::kAnd: return join("AND");
    case PredicateKind::kOr: return join("OR");
    case PredicateKind::kNot: return "NOT (" + children.front().ToString() + ")";
    }
    return "?";
}

Ternary Evaluate(const Predicate &predicate, const FactsOf &facts) {
    KnownFacts known(facts);
    return EvaluateNegated(predicate, false, known);
}

}  // namespace birdfoot
