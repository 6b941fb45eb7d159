// ChangeSet and its JSON form: the actions as the log has them, around them what the log does not keep. Literals of
// predicates are written exactly (integers as such, reals as the bits' shortest text, binary as hexadecimal digits).
#include "core/txn/change_set.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace birdfoot {
namespace {

constexpr int kDeepestPredicate = 200;

constexpr std::array<std::string_view, static_cast<size_t>(PredicateKind::kNull) + 1> kKinds = {
    "true", "false", "unknown", "compare", "isNull", "isNotNull", "and", "or", "not", "null"};
constexpr std::array<std::string_view, 6> kOperators = {"=", "<>", "<", "<=", ">", ">="};

Error Malformed(std::string_view what) {
    return Fail(Condition::BIRDFOOT_INVALID_INPUT, "This is no change set: {}.", what);
}

template <size_t N>
std::optional<size_t> IndexOf(const std::array<std::string_view, N> &names, JsonValue name) {
    for (size_t i = 0; i < N; ++i) {
        if (name.string() == names[i]) {
            return i;
        }
    }
    return std::nullopt;
}

// ---- literals ----

std::string HexOf(std::string_view bytes) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += kHex[static_cast<unsigned char>(c) >> 4];
        text += kHex[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

std::optional<std::string> BytesOfHex(std::string_view text) {
    std::string bytes;
    for (size_t i = 0; i < text.size(); i += 2) {
        unsigned value = 0;
        const auto pair = text.substr(i, 2);
        const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), value, 16);
        if (pair.size() != 2 || error != std::errc() || end != pair.data() + 2) {
            return std::nullopt;
        }
        bytes += static_cast<char>(value);
    }
    return bytes;
}

std::string LiteralText(const Scalar &literal) {
    switch (literal.type().kind()) {
    case TypeKind::kString: return literal.text();
    case TypeKind::kBinary: return HexOf(literal.text());
    case TypeKind::kFloat:
    case TypeKind::kDouble: return fmt::format("{}", literal.real());
    case TypeKind::kDecimal: return DecimalToText(literal.decimal(), literal.type().scale());
    default: return fmt::format("{}", literal.integer());
    }
}

std::optional<double> RealOf(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<Scalar> LiteralOf(const DataType &type, std::string_view text) {
    switch (type.kind()) {
    case TypeKind::kString: return Scalar::Text(type, std::string(text));
    case TypeKind::kBinary: {
        auto bytes = BytesOfHex(text);
        return bytes ? std::optional(Scalar::Text(type, *std::move(bytes))) : std::nullopt;
    }
    case TypeKind::kFloat:
    case TypeKind::kDouble: {
        const auto value = RealOf(text);
        return value ? std::optional(Scalar::Real(type, *value)) : std::nullopt;
    }
    case TypeKind::kDecimal: {
        const auto value = DecimalFromText(text, type.precision(), type.scale());
        return value ? std::optional(Scalar::DecimalOf(type, *value)) : std::nullopt;
    }
    case TypeKind::kBoolean:
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: {
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) {
            return std::nullopt;
        }
        return type.kind() == TypeKind::kBoolean ? Scalar::Bool(value != 0) : Scalar::Integer(type, value);
    }
    default: return std::nullopt;
    }
}

// ---- predicates ----

void WritePredicate(JsonWriter &out, const Predicate &predicate) {
    out.BeginObject().Key("kind").String(kKinds[static_cast<size_t>(predicate.kind)]);
    if (!predicate.column.empty()) {
        out.Key("column").BeginArray();
        for (const auto &part : predicate.column) {
            out.String(part);
        }
        out.EndArray().Key("type").Raw(TypeToJson(predicate.type));
    }
    if (predicate.kind == PredicateKind::kCompare) {
        out.Key("op").String(kOperators[static_cast<size_t>(predicate.op)]);
        out.Key("literalType").Raw(TypeToJson(predicate.literal.type()));
        out.Key("literal").String(LiteralText(predicate.literal));
    }
    if (!predicate.children.empty()) {
        out.Key("children").BeginArray();
        for (const auto &child : predicate.children) {
            WritePredicate(out, child);
        }
        out.EndArray();
    }
    out.EndObject();
}

Result<DataType> ReadType(JsonValue json) { return ParseTypeJson(json.ToText()); }

Result<Predicate> ReadPredicate(JsonValue json, int depth) {
    const auto kind = IndexOf(kKinds, json["kind"]);
    if (!kind) {
        return Malformed("a predicate is of no known kind");
    }
    if (depth > kDeepestPredicate) {
        return Malformed("a predicate is nested too deeply");
    }
    Predicate predicate;
    predicate.kind = static_cast<PredicateKind>(*kind);
    BF_RETURN_IF_ERROR(json["column"].ForEachElement([&](JsonValue part) -> Status {
        predicate.column.emplace_back(part.string().value_or(""));
        return {};
    }));
    const bool compares = predicate.kind == PredicateKind::kCompare;
    if (compares || predicate.kind == PredicateKind::kIsNull || predicate.kind == PredicateKind::kIsNotNull) {
        if (predicate.column.empty()) {
            return Malformed("a predicate names no column");
        }
        BF_ASSIGN(predicate.type, ReadType(json["type"]));
    }
    if (compares) {
        const auto op = IndexOf(kOperators, json["op"]);
        BF_ASSIGN(const auto type, ReadType(json["literalType"]));
        auto literal = LiteralOf(type, json["literal"].string().value_or(""));
        if (!op || !literal) {
            return Malformed("a comparison has no operator or no literal of its type");
        }
        predicate.op = static_cast<CompareOp>(*op);
        predicate.literal = *std::move(literal);
    }
    BF_RETURN_IF_ERROR(json["children"].ForEachElement([&](JsonValue child) -> Status {
        BF_ASSIGN(auto read, ReadPredicate(child, depth + 1));
        predicate.children.push_back(std::move(read));
        return {};
    }));
    if (predicate.kind == PredicateKind::kNot && predicate.children.size() != 1) {
        return Malformed("a negation needs one predicate");
    }
    return predicate;
}

// ---- the parts around the actions ----

template <typename Pairs>
void WriteTexts(JsonWriter &out, std::string_view name, const Pairs &pairs) {
    out.Key(name).BeginObject();
    for (const auto &[key, value] : pairs) {
        out.Key(key).String(value);
    }
    out.EndObject();
}

void WriteReads(JsonWriter &out, const ReadSet &reads) {
    out.Key("reads").BeginArray();
    for (const auto &predicate : reads.predicates()) {
        WritePredicate(out, predicate);
    }
    out.EndArray().Key("readAppIds").BeginArray();
    for (const auto &app_id : reads.app_ids()) {
        out.String(app_id);
    }
    out.EndArray();
}

Status ReadReads(JsonValue root, ReadSet &reads) {
    BF_RETURN_IF_ERROR(root["reads"].ForEachElement([&](JsonValue json) -> Status {
        BF_ASSIGN(auto predicate, ReadPredicate(json, 0));
        reads.Narrow(reads.AddRead(), std::move(predicate));
        return {};
    }));
    return root["readAppIds"].ForEachElement([&](JsonValue app_id) -> Status {
        reads.ReadTransaction(std::string(app_id.string().value_or("")));
        return {};
    });
}

void ReadOperation(JsonValue json, Operation &operation) {
    operation.name = std::string(json["name"].string().value_or(operation.name));
    (void)json["parameters"].ForEachMember([&](std::string_view key, JsonValue value) -> Status {
        operation.parameters.emplace_back(key, value.string().value_or(""));
        return {};
    });
    (void)json["metrics"].ForEachMember([&](std::string_view key, JsonValue value) -> Status {
        operation.metrics.emplace(key, value.string().value_or(""));
        return {};
    });
}

Status Take(ChangeSet &changes, Action &&action) {
    return std::visit(
        [&](auto &&taken) -> Status {
            using T = std::decay_t<decltype(taken)>;
            if constexpr (std::is_same_v<T, AddFile>) {
                changes.adds.push_back(std::move(taken));
            } else if constexpr (std::is_same_v<T, RemoveFile>) {
                changes.removes.push_back(std::move(taken));
            } else if constexpr (std::is_same_v<T, AddCdcFile>) {
                changes.cdc.push_back(std::move(taken));
            } else if constexpr (std::is_same_v<T, SetTransaction>) {
                changes.transactions.push_back(std::move(taken));
            } else if constexpr (std::is_same_v<T, DomainMetadata>) {
                changes.domains.push_back(std::move(taken));
            } else if constexpr (std::is_same_v<T, Metadata>) {
                if (changes.metadata) {
                    return Malformed("it has two metadata actions");
                }
                changes.metadata = std::move(taken);
            } else if constexpr (std::is_same_v<T, Protocol>) {
                if (changes.protocol) {
                    return Malformed("it has two protocol actions");
                }
                changes.protocol = std::move(taken);
            } else {
                return Malformed("it has an action that no transaction makes");
            }
            return {};
        },
        std::move(action));
}

}  // namespace

bool ChangeSet::empty() const {
    return adds.empty() && removes.empty() && cdc.empty() && !metadata && !protocol && domains.empty() &&
           transactions.empty();
}

bool ChangeSet::IsBlindAppend() const { return removes.empty() && cdc.empty() && reads->empty(); }

std::vector<Action> ChangeSet::Actions() const {
    std::vector<Action> actions;
    actions.reserve(adds.size() + removes.size() + cdc.size() + domains.size() + transactions.size() + 2);
    if (metadata) {
        actions.emplace_back(*metadata);
    }
    if (protocol) {
        actions.emplace_back(*protocol);
    }
    actions.insert(actions.end(), domains.begin(), domains.end());
    actions.insert(actions.end(), transactions.begin(), transactions.end());
    actions.insert(actions.end(), removes.begin(), removes.end());
    actions.insert(actions.end(), adds.begin(), adds.end());
    actions.insert(actions.end(), cdc.begin(), cdc.end());
    return actions;
}

std::string ChangeSet::ToJson() const {
    std::string text;
    JsonWriter out(text);
    out.BeginObject().Key("operation").BeginObject().Key("name").String(operation.name);
    WriteTexts(out, "parameters", operation.parameters);
    WriteTexts(out, "metrics", operation.metrics);
    out.EndObject().Optional("userMetadata", user_metadata);
    out.Key("acknowledgedConstraints").BeginArray();
    for (const auto &constraint : acknowledged_constraints) {
        out.String(constraint);
    }
    out.EndArray().Key("touchedIsRead").Bool(touched_is_read).Key("dataChange").Bool(data_change);
    WriteReads(out, *reads);
    out.Key("actions").BeginArray();
    for (const auto &action : Actions()) {
        out.Raw(ActionToJson(action));
    }
    out.EndArray().EndObject();
    return text;
}

Result<ChangeSet> ChangeSet::FromJson(std::string_view json) {
    BF_ASSIGN(const auto document, JsonDocument::Parse(json));
    const auto root = document.root();
    if (!root["operation"].is_object() || !root["actions"].is_array()) {
        return Malformed("it has no operation or no actions");
    }
    ChangeSet changes;
    ReadOperation(root["operation"], changes.operation);
    if (const auto user_metadata = root["userMetadata"].string()) {
        changes.user_metadata = std::string(*user_metadata);
    }
    (void)root["acknowledgedConstraints"].ForEachElement([&](JsonValue constraint) -> Status {
        changes.acknowledged_constraints.emplace_back(constraint.string().value_or(""));
        return {};
    });
    changes.touched_is_read = root["touchedIsRead"].boolean().value_or(false);
    changes.data_change = root["dataChange"].boolean().value_or(true);
    BF_RETURN_IF_ERROR(ReadReads(root, *changes.reads));
    BF_RETURN_IF_ERROR(root["actions"].ForEachElement([&](JsonValue line) -> Status {
        size_t taken = 0;
        BF_RETURN_IF_ERROR(ParseActions(line.ToText(), "the change set", [&](Action &&action) {
            ++taken;
            return Take(changes, std::move(action));
        }));
        // A log's reader skips what it does not know; here that would lose a part of the change.
        return taken == 1 ? Status() : Status(Malformed("one of its actions is unknown"));
    }));
    return changes;
}

}  // namespace birdfoot
