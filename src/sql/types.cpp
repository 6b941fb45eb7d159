// See types.hpp.
#include "sql/types.hpp"

#include <array>

namespace birdfoot::sql {
namespace {

constexpr size_t kMaxDepth = 64;

struct TypeWord {
    std::string_view word;
    TypeKind kind;
};
constexpr std::array kTypeWords = {
    TypeWord{"BOOLEAN", TypeKind::kBoolean},
    TypeWord{"BOOL", TypeKind::kBoolean},
    TypeWord{"LOGICAL", TypeKind::kBoolean},
    TypeWord{"TINYINT", TypeKind::kByte},
    TypeWord{"BYTE", TypeKind::kByte},
    TypeWord{"INT1", TypeKind::kByte},
    TypeWord{"SMALLINT", TypeKind::kShort},
    TypeWord{"SHORT", TypeKind::kShort},
    TypeWord{"INT2", TypeKind::kShort},
    TypeWord{"UTINYINT", TypeKind::kShort},
    TypeWord{"INT", TypeKind::kInteger},
    TypeWord{"INTEGER", TypeKind::kInteger},
    TypeWord{"INT4", TypeKind::kInteger},
    TypeWord{"SIGNED", TypeKind::kInteger},
    TypeWord{"USMALLINT", TypeKind::kInteger},
    TypeWord{"BIGINT", TypeKind::kLong},
    TypeWord{"LONG", TypeKind::kLong},
    TypeWord{"INT8", TypeKind::kLong},
    TypeWord{"UINTEGER", TypeKind::kLong},
    TypeWord{"FLOAT", TypeKind::kFloat},
    TypeWord{"REAL", TypeKind::kFloat},
    TypeWord{"FLOAT4", TypeKind::kFloat},
    TypeWord{"DOUBLE", TypeKind::kDouble},
    TypeWord{"FLOAT8", TypeKind::kDouble},
    TypeWord{"STRING", TypeKind::kString},
    TypeWord{"TEXT", TypeKind::kString},
    TypeWord{"JSON", TypeKind::kString},
    TypeWord{"UUID", TypeKind::kString},
    TypeWord{"BINARY", TypeKind::kBinary},
    TypeWord{"BLOB", TypeKind::kBinary},
    TypeWord{"BYTEA", TypeKind::kBinary},
    TypeWord{"VARBINARY", TypeKind::kBinary},
    TypeWord{"DATE", TypeKind::kDate},
    TypeWord{"TIMESTAMP", TypeKind::kTimestamp},
    TypeWord{"TIMESTAMP_LTZ", TypeKind::kTimestamp},
    TypeWord{"TIMESTAMPTZ", TypeKind::kTimestamp},
    TypeWord{"TIMESTAMP_NTZ", TypeKind::kTimestampNtz},
    TypeWord{"DATETIME", TypeKind::kTimestampNtz},
    TypeWord{"TIMESTAMP_S", TypeKind::kTimestampNtz},
    TypeWord{"TIMESTAMP_MS", TypeKind::kTimestampNtz},
    TypeWord{"TIMESTAMP_US", TypeKind::kTimestampNtz},
    TypeWord{"TIMESTAMP_NS", TypeKind::kTimestampNtz},
    TypeWord{"VARIANT", TypeKind::kVariant},
    TypeWord{"VOID", TypeKind::kVoid},
};

// Types of Spark or DuckDB that no Delta table can hold.
constexpr std::array<std::string_view, 13> kForeignTypes = {
    "INTERVAL", "TIME",   "TIMETZ",   "BIT",       "BITSTRING",        "ENUM",  "UNION",
    "UHUGEINT", "BIGNUM", "GEOMETRY", "GEOGRAPHY", "CALENDARINTERVAL", "OBJECT"};

class TypeParser {
public:
    explicit TypeParser(TokenCursor &cursor) : cursor_(cursor) {}

    Result<ParsedType> Parse() {
        if (++depth_ > kMaxDepth) {
            return cursor_.Syntax("the type is nested too deeply", "Flatten it");
        }
        BF_ASSIGN(auto type, Base());
        while (cursor_.AtOperator("[")) {
            cursor_.Take();
            if (cursor_.Peek().kind == TokenKind::kNumber) {
                cursor_.Take();
            }
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator("]"));
            type = ArrayOf(std::move(type));
        }
        depth_--;
        return type;
    }

private:
    static ParsedType Plain(DataType type) { return {type, type.ToString(), false}; }
    static ParsedType ArrayOf(ParsedType element) {
        auto text = fmt::format("array<{}>", element.catalog_text);
        return {DataType::Array(std::move(element.type), true), std::move(text), element.has_char};
    }

    Result<ParsedType> Base() {
        if (cursor_.Peek().kind == TokenKind::kQuoted) {  // as DuckDB prints a type that it has not looked up
            const auto text = cursor_.Peek().text;
            return Primitive(Upper(text.substr(1, text.size() - 2)));
        }
        if (cursor_.Peek().kind != TokenKind::kWord) {
            return cursor_.Syntax("a type is expected here", "Types are written like BIGINT, STRING or ARRAY<INT>");
        }
        const auto word = Upper(cursor_.Peek().text);
        if (word == "ARRAY" && cursor_.AtOperator("<", 1)) {
            return Array();
        }
        if (word == "MAP") {
            return Map();
        }
        if (word == "STRUCT" || word == "ROW") {
            return Struct();
        }
        if (word == "DECIMAL" || word == "DEC" || word == "NUMERIC") {
            return Decimal();
        }
        if (word == "CHAR" || word == "CHARACTER" || word == "VARCHAR") {
            return Characters(word == "VARCHAR");
        }
        if (word == "HUGEINT" || word == "INT128") {
            cursor_.Take();
            return Plain(DataType::Decimal(38, 0));
        }
        if (word == "UBIGINT") {
            cursor_.Take();
            return Plain(DataType::Decimal(20, 0));
        }
        return Primitive(word);
    }

    Result<ParsedType> Primitive(const std::string &word) {
        for (const auto &known : kTypeWords) {
            if (known.word != word) {
                continue;
            }
            cursor_.Take();
            auto kind = known.kind;
            if (word == "DOUBLE") {
                cursor_.Accept("PRECISION");
            } else if (word == "TIMESTAMP" && cursor_.Accept({"WITHOUT", "TIME", "ZONE"})) {
                kind = TypeKind::kTimestampNtz;
            } else if (word == "TIMESTAMP") {
                cursor_.Accept({"WITH", "TIME", "ZONE"});
            }
            return Plain(DataType(kind));
        }
        for (const auto foreign : kForeignTypes) {
            if (foreign == word) {
                return Fail(Condition::DELTA_UNSUPPORTED_DATA_TYPES,
                            "Delta has no type {}. No table can hold it. Use another type, or store it as STRING.",
                            word);
            }
        }
        return cursor_.Syntax("it is no type", "Types are written like BIGINT, STRING, DECIMAL(10,2) or ARRAY<INT>");
    }

    Result<ParsedType> Decimal() {
        cursor_.Take();
        int64_t precision = 10;
        int64_t scale = 0;
        if (cursor_.AtOperator("(")) {
            cursor_.Take();
            BF_ASSIGN(precision, cursor_.Integer("a precision"));
            if (cursor_.AcceptOperator(",")) {
                BF_ASSIGN(scale, cursor_.Integer("a scale"));
            }
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        }
        if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
            return Fail(
                Condition::DELTA_UNSUPPORTED_DATA_TYPES,
                "DECIMAL({},{}) does not exist. A decimal has 1 to 38 digits, of which the scale are behind the "
                "point. Choose a precision up to 38 and a scale up to the precision.",
                precision, scale);
        }
        return Plain(DataType::Decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale)));
    }

    Result<ParsedType> Characters(bool varying) {
        cursor_.Take();
        varying = cursor_.Accept("VARYING") || varying;
        if (!cursor_.AtOperator("(")) {
            if (varying) {
                return Plain(DataType(TypeKind::kString));
            }
            return cursor_.Syntax("CHAR has no length", "Write CHAR(n), or STRING for a text of any length");
        }
        cursor_.Take();
        BF_ASSIGN(const auto length, cursor_.Integer("a length"));
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        if (length < 1) {
            return cursor_.Syntax("the length before it is not positive", "Give a length of 1 or more");
        }
        return ParsedType{DataType(TypeKind::kString), fmt::format("{}({})", varying ? "varchar" : "char", length),
                          true};
    }

    Result<ParsedType> Array() {
        cursor_.Take();
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator("<"));
        BF_ASSIGN(auto element, Parse());
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(">"));
        return ArrayOf(std::move(element));
    }

    // '<' for Spark or '(' for DuckDB; the closing one.
    Result<std::string_view> Open() {
        if (cursor_.AcceptOperator("<")) {
            return std::string_view(">");
        }
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
        return std::string_view(")");
    }

    Result<ParsedType> Map() {
        cursor_.Take();
        BF_ASSIGN(const auto close, Open());
        BF_ASSIGN(auto key, Parse());
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(","));
        BF_ASSIGN(auto value, Parse());
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(close));
        auto text = fmt::format("map<{},{}>", key.catalog_text, value.catalog_text);
        return ParsedType{DataType::Map(std::move(key.type), std::move(value.type), true), std::move(text),
                          key.has_char || value.has_char};
    }

    Result<ParsedType> Struct() {
        cursor_.Take();
        StructType type;
        ParsedType parsed;
        if (cursor_.AcceptOperator("<>")) {
            return ParsedType{DataType::Struct(std::move(type)), "struct<>", false};
        }
        BF_ASSIGN(const auto close, Open());
        parsed.catalog_text = "struct<";
        do {
            StructField field;
            BF_ASSIGN(field.name, cursor_.Name("field name"));
            cursor_.AcceptOperator(":");
            BF_ASSIGN(auto part, Parse());
            field.type = std::move(part.type);
            field.nullable = !cursor_.Accept({"NOT", "NULL"});
            if (cursor_.Accept("COMMENT")) {
                BF_ASSIGN(const auto comment, cursor_.Text("a comment"));
                field.metadata.SetString(std::string(kCommentMetadata), comment);
            }
            parsed.has_char = parsed.has_char || part.has_char;
            parsed.catalog_text +=
                fmt::format("{}{}:{}", type.fields.empty() ? "" : ",", field.name, part.catalog_text);
            type.fields.push_back(std::move(field));
        } while (cursor_.AcceptOperator(","));
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(close));
        parsed.catalog_text += ">";
        parsed.type = DataType::Struct(std::move(type));
        return parsed;
    }

    TokenCursor &cursor_;
    size_t depth_ = 0;
};

}  // namespace

Result<ParsedType> ParseType(TokenCursor &cursor) { return TypeParser(cursor).Parse(); }

Result<ParsedType> ParseTypeText(std::string_view text, Dialect dialect) {
    TokenCursor cursor(text, dialect);
    BF_ASSIGN(auto type, ParseType(cursor));
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return type;
}

std::string DuckDbTypeText(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kBoolean: return "BOOLEAN";
    case TypeKind::kByte: return "TINYINT";
    case TypeKind::kShort: return "SMALLINT";
    case TypeKind::kInteger: return "INTEGER";
    case TypeKind::kLong: return "BIGINT";
    case TypeKind::kFloat: return "FLOAT";
    case TypeKind::kDouble: return "DOUBLE";
    case TypeKind::kDecimal: return fmt::format("DECIMAL({},{})", type.precision(), type.scale());
    case TypeKind::kString: return "VARCHAR";
    case TypeKind::kBinary: return "BLOB";
    case TypeKind::kDate: return "DATE";
    case TypeKind::kTimestamp: return "TIMESTAMP WITH TIME ZONE";
    case TypeKind::kTimestampNtz: return "TIMESTAMP";
    case TypeKind::kVariant: return "VARIANT";
    case TypeKind::kVoid: return "\"NULL\"";
    case TypeKind::kArray: return DuckDbTypeText(type.array_type().element) + "[]";
    case TypeKind::kMap:
        return fmt::format("MAP({}, {})", DuckDbTypeText(type.map_type().key), DuckDbTypeText(type.map_type().value));
    case TypeKind::kStruct: {
        std::string text = "STRUCT(";
        for (const auto &field : type.struct_type().fields) {
            text += fmt::format("{}{} {}", text.back() == '(' ? "" : ", ", QuoteName(field.name),
                                DuckDbTypeText(field.type));
        }
        return text + ")";
    }
    }
    return {};
}

}  // namespace birdfoot::sql
