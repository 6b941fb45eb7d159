// The translator at work, for the files of this folder only: a Value is a translated piece with Spark's type of it.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sql/expression.hpp"
#include "sql/translate/spark_types.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::sql {

struct Value {
    std::string text;
    SparkType type;
    bool can_fail = false;                // evaluating it may raise an error
    const Expression *literal = nullptr;  // of a literal, else null
};

using Values = std::vector<Value>;

//! `form` with {0}, {1} … replaced.
std::string Fill(std::string_view form, const std::vector<std::string> &parts);
//! `body` as a function of the text under the name `name`, which it may repeat: the text is evaluated once.
std::string Once(const std::string &text, std::string_view name,
                 const std::function<std::string(const std::string &)> &body);

Error UnsupportedExpression(std::string_view what);
Error Mismatch(std::string_view what);

//! Spark's CAST and TRY_CAST, of what they are known to do alike.
Result<Value> Cast(Value value, const SparkType &type);
Result<Value> TryCast(Value value, const SparkType &type);
//! The cast of an argument that Spark makes unasked.
Result<Value> Implicitly(Value value, const SparkType &type, std::string_view function);
//! A number literal becomes the decimal of its own digits, an integer that of its type.
Result<Value> AsDecimal(Value value);

//! A time on the session's wall clock as an instant: the earlier of two, and behind a gap, as Java has it.
std::string InstantOf(const std::string &wall);
//! The wall clock's time of an instant.
std::string WallOf(const std::string &instant);
//! `wall` as an instant of the same offset as `instant`'s, where there is such a one.
std::string InstantLike(const std::string &instant, const std::string &wall);
//! The wall clock's time of a date, timestamp or timestamp_ntz.
Result<std::string> WallTime(Value value, std::string_view function);

//! value ± interval, of a date or timestamp.
Result<Value> AddInterval(Value value, const Value &interval, bool minus);

class Translator {
public:
    explicit Translator(const StructType &schema) : schema_(schema) {}

    Result<Value> Any(const Expression &node);
    Result<Values> All(const std::vector<Expression> &nodes);
    //! A call; the arguments are not translated yet.
    Result<Value> Function(const Expression &node);
    //! a op b, both translated.
    Result<Value> Arithmetic(const std::string &op, Value a, Value b);
    Result<Value> Compare(const std::string &op, Value a, Value b);
    //! All cast to their common type.
    Result<Values> Alike(Values values, bool text_gives_way, std::string_view where);
    //! [condition, result]…, else; conditions are boolean.
    Result<Value> CaseOf(Values parts, bool has_else);

    void NoteVaries() { varies_ = true; }
    void NoteCheckOnly(std::string_view what) { check_only_ = check_only_.empty() ? std::string(what) : check_only_; }

    const std::vector<std::string> &columns() const { return columns_; }
    bool varies() const { return varies_; }
    const std::string &check_only() const { return check_only_; }

private:
    Result<Value> Literal(const Expression &node);
    Result<Value> Number(const Expression &node, bool negative);
    Result<Value> Column(const Expression &node);
    Result<Value> Field(Value value, const std::string &name);
    Result<Value> Subscript(const Expression &node);
    Result<Value> Logic(const Expression &node);
    Result<Value> Binary(const Expression &node);
    Result<Value> Bits(const std::string &op, Value a, Value b);
    Result<Value> Integers(const std::string &op, Value a, Value b);
    Result<Value> In(const Expression &node);
    Result<Value> Like(const Expression &node);
    Result<Value> Case(const Expression &node);
    Result<Value> Is(const Expression &node);

    const StructType &schema_;
    std::vector<std::string> columns_;
    bool varies_ = false;
    std::string check_only_;
};

//! A condition: a boolean, or NULL.
Result<Value> Condition_(Value value, std::string_view where);

}  // namespace birdfoot::sql
