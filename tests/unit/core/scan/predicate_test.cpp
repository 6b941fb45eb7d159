#include "core/scan/predicate.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

const DataType kInt(TypeKind::kInteger);
const DataType kDouble(TypeKind::kDouble);
const double kNan = std::nan("");

Scalar I(int64_t value) { return Scalar::Integer(kInt, value); }
Scalar D(double value) { return Scalar::Real(kDouble, value); }
Predicate X(CompareOp op, Scalar literal) {
    const auto type = literal.type();
    return Predicate::Compare({"x"}, type, op, std::move(literal));
}
Predicate U() { return Predicate::Unknown(); }

FactsOf Facts(std::optional<Scalar> min, std::optional<Scalar> max, std::optional<bool> all_null = {},
              std::optional<bool> none_null = {}) {
    ColumnFacts facts;
    facts.min = std::move(min);
    facts.max = std::move(max);
    facts.all_null = all_null;
    facts.none_null = none_null;
    return [facts](const std::vector<std::string> &, const DataType &) { return facts; };
}

TEST(PredicateTest, ComparisonsAgainstBounds) {
    using enum CompareOp;
    using enum Ternary;
    // What a file with values in [10, 20] and no NULL says; with NULLs, kTrue becomes kUnknown.
    const struct {
        CompareOp op;
        int64_t literal;
        Ternary verdict;
    } cases[] = {
        {kEqual, 9, kFalse},         {kEqual, 10, kUnknown},
        {kEqual, 20, kUnknown},      {kEqual, 21, kFalse},
        {kNotEqual, 9, kTrue},       {kNotEqual, 15, kUnknown},
        {kNotEqual, 21, kTrue},      {kLess, 10, kFalse},
        {kLess, 11, kUnknown},       {kLess, 20, kUnknown},
        {kLess, 21, kTrue},          {kLessEqual, 9, kFalse},
        {kLessEqual, 10, kUnknown},  {kLessEqual, 20, kTrue},
        {kGreater, 20, kFalse},      {kGreater, 19, kUnknown},
        {kGreater, 10, kUnknown},    {kGreater, 9, kTrue},
        {kGreaterEqual, 21, kFalse}, {kGreaterEqual, 20, kUnknown},
        {kGreaterEqual, 10, kTrue},
    };
    for (const auto &[op, literal, verdict] : cases) {
        const auto predicate = X(op, I(literal));
        EXPECT_EQ(Evaluate(predicate, Facts(I(10), I(20), false, true)), verdict) << predicate.ToString();
        EXPECT_EQ(Evaluate(predicate, Facts(I(10), I(20))), verdict == kTrue ? kUnknown : verdict)
            << predicate.ToString();
        EXPECT_EQ(Evaluate(predicate, Facts({}, {}, true)), kFalse) << predicate.ToString();
        EXPECT_EQ(Evaluate(Predicate::Not(predicate), Facts({}, {}, true)), kFalse) << predicate.ToString();
        EXPECT_EQ(Evaluate(predicate, Facts({}, {})), kUnknown) << predicate.ToString();
    }
    EXPECT_EQ(Evaluate(X(kEqual, I(5)), Facts(I(5), I(5), {}, true)), kTrue);
    EXPECT_EQ(Evaluate(X(kNotEqual, I(5)), Facts(I(5), I(5))), kFalse);
    EXPECT_EQ(Evaluate(X(kLess, I(5)), Facts(I(5), {})), kFalse);
    EXPECT_EQ(Evaluate(X(kGreater, I(5)), Facts({}, I(5))), kFalse);
}

// B42: [1.0, NaN] with min = max = 1.0, as writers that leave NaN out have it.
TEST(PredicateTest, NanLiesAboveTheMaximumOfAFloatColumn) {
    using enum CompareOp;
    const auto file = Facts(D(1), D(1), {}, true);
    for (const auto &keep : {X(kGreater, D(10)), X(kEqual, D(kNan)), X(kGreaterEqual, D(kNan)), X(kNotEqual, D(1)),
                             Predicate::Not(X(kLessEqual, D(10))), Predicate::Not(X(kEqual, D(1)))}) {
        EXPECT_NE(Evaluate(keep, file), Ternary::kFalse) << keep.ToString();
    }
    for (const auto &not_all :
         {X(kLess, D(10)), X(kLessEqual, D(1)), X(kEqual, D(1)), Predicate::Not(X(kGreater, D(1)))}) {
        EXPECT_NE(Evaluate(not_all, file), Ternary::kTrue) << not_all.ToString();
    }
    EXPECT_EQ(Evaluate(X(kEqual, D(2)), file), Ternary::kFalse);  // NaN is not 2 either
    EXPECT_EQ(Evaluate(X(kNotEqual, D(2)), file), Ternary::kTrue);
    EXPECT_EQ(Evaluate(X(kLess, D(1)), file), Ternary::kFalse);
    EXPECT_EQ(Evaluate(X(kGreater, D(kNan)), file), Ternary::kFalse);  // nothing is above NaN
    EXPECT_EQ(Evaluate(X(kLessEqual, D(kNan)), file), Ternary::kTrue);
    ColumnFacts exact;
    exact.min = exact.max = D(1);
    exact.none_null = true;
    exact.nan_is_bounded = true;
    const FactsOf partition = [&](auto &, auto &) { return exact; };
    EXPECT_EQ(Evaluate(X(kGreater, D(10)), partition), Ternary::kFalse);
    EXPECT_EQ(Evaluate(X(kEqual, D(1)), partition), Ternary::kTrue);
}

// B50
TEST(PredicateTest, WhatIsNotUnderstoodNeverDecides) {
    const auto file = Facts(I(10), I(20), {}, true);
    const auto no = X(CompareOp::kLess, I(2));
    const auto yes = X(CompareOp::kGreater, I(2));
    EXPECT_EQ(Evaluate(Predicate::And({no, U()}), file), Ternary::kFalse);
    EXPECT_EQ(Evaluate(Predicate::Or({no, U()}), file), Ternary::kUnknown);
    EXPECT_EQ(Evaluate(Predicate::And({yes, U()}), file), Ternary::kUnknown);
    EXPECT_EQ(Evaluate(Predicate::Or({yes, U()}), file), Ternary::kTrue);
    EXPECT_EQ(Evaluate(Predicate::Not(Predicate::And({yes, U()})), file), Ternary::kUnknown);
    EXPECT_EQ(Evaluate(Predicate::Not(Predicate::Or({yes, U()})), file), Ternary::kFalse);
    EXPECT_EQ(Evaluate(Predicate::Not(U()), file), Ternary::kUnknown);
    // Types that have no common order: B57
    EXPECT_EQ(Evaluate(X(CompareOp::kEqual, Scalar::Text(DataType(TypeKind::kString), "255")), file),
              Ternary::kUnknown);
}

TEST(PredicateTest, NullTests) {
    const auto null = Predicate::IsNull({"x"}, kInt);
    const auto not_null = Predicate::IsNotNull({"x"}, kInt);
    EXPECT_EQ(Evaluate(null, Facts({}, {}, true)), Ternary::kTrue);
    EXPECT_EQ(Evaluate(null, Facts({}, {}, {}, true)), Ternary::kFalse);
    EXPECT_EQ(Evaluate(null, Facts({}, {}, false, false)), Ternary::kUnknown);
    EXPECT_EQ(Evaluate(Predicate::Not(null), Facts({}, {}, true)), Ternary::kFalse);
    EXPECT_EQ(Evaluate(not_null, Facts({}, {}, {}, true)), Ternary::kTrue);
    EXPECT_EQ(Evaluate(not_null, Facts({}, {}, true)), Ternary::kFalse);
    EXPECT_EQ(Evaluate(Predicate::Not(not_null), Facts({}, {}, true)), Ternary::kTrue);
}

TEST(PredicateTest, ComparingWithNullIsSatisfiedByNothingNegatedOrNot) {
    const auto null = X(CompareOp::kEqual, Scalar::Null(kInt));
    EXPECT_EQ(null.kind, PredicateKind::kNull);
    EXPECT_EQ(Evaluate(null, Facts({}, {})), Ternary::kFalse);
    EXPECT_EQ(Evaluate(Predicate::Not(null), Facts({}, {})), Ternary::kFalse);
    // NOT (NULL AND x < 2) is true where x >= 2.
    const auto both = Predicate::And({null, X(CompareOp::kLess, I(2))});
    EXPECT_EQ(Evaluate(Predicate::Not(both), Facts(I(10), I(20), {}, true)), Ternary::kTrue);
}

TEST(PredicateTest, ConstantsAreFolded) {
    const auto x = X(CompareOp::kLess, I(2));
    EXPECT_TRUE(Predicate::And({}).is_true());
    EXPECT_EQ(Predicate::Or({}).kind, PredicateKind::kFalse);
    EXPECT_EQ(Predicate::And({Predicate::True(), x}).kind, PredicateKind::kCompare);
    EXPECT_EQ(Predicate::And({Predicate::False(), x}).kind, PredicateKind::kFalse);
    EXPECT_TRUE(Predicate::Or({Predicate::True(), x}).is_true());
    EXPECT_EQ(Predicate::Not(Predicate::Not(x)).kind, PredicateKind::kCompare);
    EXPECT_EQ(Predicate::And({x, Predicate::And({x, x})}).children.size(), 3U);
}

TEST(PredicateTest, OnlyUsesAndText) {
    const auto both =
        Predicate::And({X(CompareOp::kLess, I(2)), Predicate::Not(Predicate::IsNull({"a b", "c"}, kInt))});
    EXPECT_TRUE(both.OnlyUses({"x", "a b"}));
    EXPECT_FALSE(both.OnlyUses({"x"}));
    EXPECT_FALSE(Predicate::And({X(CompareOp::kLess, I(2)), U()}).OnlyUses({"x"}));
    EXPECT_EQ(both.ToString(), "(x < 2 AND NOT (`a b`.c IS NULL))");
    EXPECT_EQ(X(CompareOp::kNotEqual, Scalar::Text(DataType(TypeKind::kString), "it's")).ToString(), "x <> 'it''s'");
}

// Rows against facts: never kFalse where a row satisfies the predicate, never kTrue where one does not.
class Differential {
public:
    using Value = std::optional<double>;
    using Row = std::vector<Value>;  // columns x and y

    void Round() {
        std::vector<Row> rows(1 + random_() % 4);
        for (auto &row : rows) {
            row = {RandomValue(), RandomValue()};
        }
        const auto predicate = RandomPredicate(3);
        std::vector<ColumnFacts> facts = {FactsOfColumn(rows, 0), FactsOfColumn(rows, 1)};
        const auto verdict = Evaluate(predicate, [&](auto &column, auto &) { return facts[column[0] == "x" ? 0 : 1]; });
        size_t satisfied = 0;
        for (const auto &row : rows) {
            satisfied += Satisfies(predicate, row) == true ? 1 : 0;
        }
        ASSERT_FALSE(verdict == Ternary::kFalse && satisfied > 0) << predicate.ToString();
        ASSERT_FALSE(verdict == Ternary::kTrue && satisfied < rows.size()) << predicate.ToString();
        decided_ += verdict != Ternary::kUnknown ? 1 : 0;
    }
    int decided() const { return decided_; }

private:
    Value RandomValue() {
        static constexpr double kValues[] = {-1, -0.0, 0.0, 1, 2, 3, INFINITY, -INFINITY};
        const auto pick = random_() % 11;
        return pick == 10 ? Value() : pick == 9 ? Value(kNan) : pick == 8 ? Value(1.5) : Value(kValues[pick]);
    }

    Predicate RandomPredicate(int depth) {
        const std::vector<std::string> column = {random_() % 2 ? "x" : "y"};
        switch (random_() % (depth > 0 ? 9 : 5)) {
        case 0: return Predicate::IsNull(column, kDouble);
        case 1: return Predicate::IsNotNull(column, kDouble);
        case 5: return Predicate::Not(RandomPredicate(depth - 1));
        case 6: return Predicate::And({RandomPredicate(depth - 1), RandomPredicate(depth - 1)});
        case 7: return Predicate::Or({RandomPredicate(depth - 1), RandomPredicate(depth - 1)});
        case 8: return random_() % 3 ? Predicate::Null() : Predicate::Not(RandomPredicate(depth - 1));
        default: {
            const auto literal = RandomValue();
            return Predicate::Compare(column, kDouble, static_cast<CompareOp>(random_() % 6),
                                      literal ? D(*literal) : Scalar::Null(kDouble));
        }
        }
    }

    //! True facts, as loose as a writer may leave them; NaN is left out of the bounds half of the time.
    ColumnFacts FactsOfColumn(const std::vector<Row> &rows, size_t column) {
        ColumnFacts facts;
        facts.nan_is_bounded = random_() % 2;
        size_t nulls = 0;
        for (const auto &row : rows) {
            if (!row[column]) {
                ++nulls;
                continue;
            }
            const auto value = D(*row[column]);
            if (std::isnan(value.real()) && !facts.nan_is_bounded) {
                continue;
            }
            if (!facts.min || *Scalar::Compare(value, *facts.min) < 0) {
                facts.min = value;
            }
            if (!facts.max || *Scalar::Compare(value, *facts.max) > 0) {
                facts.max = value;
            }
        }
        if (facts.min && random_() % 3 == 0) {
            facts.min = random_() % 2 ? std::nullopt : std::optional(D(facts.min->real() - 1));
        }
        if (facts.max && random_() % 3 == 0) {
            facts.max = random_() % 2 ? std::nullopt : std::optional(D(facts.max->real() + 1));
        }
        if (random_() % 4) {
            facts.all_null = nulls == rows.size();
            facts.none_null = nulls == 0;
        }
        return facts;
    }

    static std::optional<bool> Satisfies(const Predicate &predicate, const Row &row) {
        const auto &value = predicate.column.empty() ? Value() : row[predicate.column[0] == "x" ? 0 : 1];
        switch (predicate.kind) {
        case PredicateKind::kTrue: return true;
        case PredicateKind::kFalse: return false;
        case PredicateKind::kIsNull: return !value;
        case PredicateKind::kIsNotNull: return value.has_value();
        case PredicateKind::kNot: {
            const auto child = Satisfies(predicate.children[0], row);
            return child ? std::optional(!*child) : std::nullopt;
        }
        case PredicateKind::kAnd:
        case PredicateKind::kOr: {
            const bool decisive = predicate.kind == PredicateKind::kOr;
            bool unknown = false;
            for (const auto &child : predicate.children) {
                const auto part = Satisfies(child, row);
                if (part == decisive) {
                    return decisive;
                }
                unknown = unknown || !part;
            }
            return unknown ? std::optional<bool>() : !decisive;
        }
        case PredicateKind::kCompare: {
            if (!value) {
                return std::nullopt;
            }
            // The order of Spark and DuckDB, written down a second time.
            const double a = *value;
            const double b = predicate.literal.real();
            const bool equal = (std::isnan(a) && std::isnan(b)) || a == b;
            const bool less = !equal && (std::isnan(b) || a < b);
            switch (predicate.op) {
            case CompareOp::kEqual: return equal;
            case CompareOp::kNotEqual: return !equal;
            case CompareOp::kLess: return less;
            case CompareOp::kLessEqual: return less || equal;
            case CompareOp::kGreater: return !less && !equal;
            case CompareOp::kGreaterEqual: return !less;
            }
            return std::nullopt;
        }
        default: return std::nullopt;
        }
    }

    std::mt19937 random_{4711};
    int decided_ = 0;
};

TEST(PredicateTest, NeverContradictsTheRows) {
    Differential differential;
    for (int round = 0; round < 200'000; ++round) {
        ASSERT_NO_FATAL_FAILURE(differential.Round());
    }
    EXPECT_GT(differential.decided(), 50'000);  // and it does decide
}

}  // namespace
}  // namespace birdfoot
