// Tokens are lossless and end where DuckDB (scan.l) or Spark (SqlBaseLexer.g4) ends them.
#include "sql/lexer.hpp"

#include <gtest/gtest.h>

namespace birdfoot::sql {
namespace {

std::string Kinds(std::string_view text, Dialect dialect = Dialect::kDuckDb) {
    std::string out;
    std::string whole;
    for (const auto &token : Tokenize(text, dialect)) {
        whole += token.text;
        if (token.kind == TokenKind::kSpace) {
            continue;
        }
        constexpr std::string_view kNames = "!wqbsn?o ccm~";
        out += out.empty() ? "" : " ";
        out += kNames[static_cast<size_t>(token.kind)];
        out += ":";
        out += token.text;
    }
    EXPECT_EQ(whole, text);
    return out;
}

TEST(Lexer, Words) {
    EXPECT_EQ(Kinds("select a_1 FROM tä$x"), "w:select w:a_1 w:FROM w:tä$x");
    EXPECT_EQ(Kinds("a.b.c"), "w:a o:. w:b o:. w:c");
    EXPECT_EQ(Kinds(""), "");
}

TEST(Lexer, QuotedNames) {
    EXPECT_EQ(Kinds("\"a\"\"b\"`c``d`"), "q:\"a\"\"b\" b:`c``d`");
    EXPECT_EQ(Kinds("delta.`/data/it's -- no; comment`"), "w:delta o:. b:`/data/it's -- no; comment`");
    EXPECT_EQ(NameOf(Tokenize("`c``d`")[0]), "c`d");
    EXPECT_EQ(NameOf(Tokenize("\"c\"\"d\"")[0]), "c\"d");
    EXPECT_EQ(Kinds("`a"), "~:`a");
    EXPECT_EQ(Kinds("\"a"), "~:\"a");
}

TEST(Lexer, Strings) {
    EXPECT_EQ(Kinds("'it''s' 'a\\' x"), "s:'it''s' s:'a\\' w:x");
    EXPECT_EQ(Kinds("E'it\\'s' e'' Ex 'y'"), "s:E'it\\'s' s:e'' w:Ex s:'y'");
    EXPECT_EQ(Kinds("$$it's `not` a \"name\"$$"), "s:$$it's `not` a \"name\"$$");
    EXPECT_EQ(Kinds("$tag$a$$b$tag$c"), "s:$tag$a$$b$tag$ w:c");
    EXPECT_EQ(Kinds("$tag$a$$"), "~:$tag$a$$");
    EXPECT_EQ(Kinds("'open"), "~:'open");
    EXPECT_EQ(Kinds("X'41'"), "w:X s:'41'");
}

TEST(Lexer, Parameters) { EXPECT_EQ(Kinds("? ?12 $1 $name $1$ $"), "?:? ?:?12 ?:$1 ?:$name ?:$1 o:$ o:$"); }

TEST(Lexer, Numbers) {
    EXPECT_EQ(Kinds("1 1.5 .5 1e3 1E-3 1_000 1..5 1."), "n:1 n:1.5 n:.5 n:1e3 n:1E-3 n:1_000 n:1 o:.. n:5 n:1.");
    EXPECT_EQ(Kinds("1L"), "n:1 w:L");
    EXPECT_EQ(Kinds("1L 1.5BD 2e3D", Dialect::kSpark), "n:1L n:1.5BD n:2e3D");
    EXPECT_EQ(Kinds("t1.2"), "w:t1 n:.2");
}

TEST(Lexer, Comments) {
    EXPECT_EQ(Kinds("a -- b `c\nd"), "w:a c:-- b `c w:d");
    EXPECT_EQ(Kinds("a/* x /* y */ z */b"), "w:a c:/* x /* y */ z */ w:b");
    EXPECT_EQ(Kinds("5--3"), "n:5 c:--3");
    EXPECT_EQ(Kinds("a /* x"), "w:a ~:/* x");
    EXPECT_EQ(Kinds("// one\n  // two\nselect 7 // 2; // three"),
              "c:// one c:// two w:select n:7 o:// n:2 o:; c:// three");
    EXPECT_EQ(Kinds("%sql select 1 %sql"), "m:%sql w:select n:1 o:% w:sql");
    EXPECT_EQ(Kinds("%sqlx"), "o:% w:sqlx");
}

TEST(Lexer, Operators) {
    EXPECT_EQ(Kinds("a<=>b=>c::d->>e!=f"), "w:a o:<=> w:b o:=> w:c o::: w:d o:->> w:e o:!= w:f");
    EXPECT_EQ(Kinds("ARRAY<ARRAY<INT>>"), "w:ARRAY o:< w:ARRAY o:< w:INT o:> o:>");
}

TEST(Lexer, SparkStrings) {
    EXPECT_EQ(Kinds("'it\\'s' \"it's\" r'a\\' R\"b\"", Dialect::kSpark), "s:'it\\'s' s:\"it's\" s:r'a\\' s:R\"b\"");
    EXPECT_EQ(TextOf(Tokenize("'it\\'s\\n\\u00e9\\%'", Dialect::kSpark)[0], Dialect::kSpark), "it's\né\\%");
    EXPECT_EQ(TextOf(Tokenize("r'a\\n'", Dialect::kSpark)[0], Dialect::kSpark), "a\\n");
    EXPECT_EQ(TextOf(Tokenize("'a''b'", Dialect::kSpark)[0], Dialect::kSpark), std::nullopt);
    EXPECT_EQ(TextOf(Tokenize("'a\\x'", Dialect::kSpark)[0], Dialect::kSpark), std::nullopt);
    EXPECT_EQ(TextOf(Tokenize("'\\ud800'", Dialect::kSpark)[0], Dialect::kSpark), std::nullopt);
}

TEST(Lexer, TextOfStrings) {
    EXPECT_EQ(TextOf(Tokenize("'it''s\\'")[0]), "it's\\");
    EXPECT_EQ(TextOf(Tokenize("E'a\\tb\\\\'")[0]), "a\tb\\");
    EXPECT_EQ(TextOf(Tokenize("$x$it's$x$")[0]), "it's");
    EXPECT_EQ(TextOf(Tokenize("$$$$")[0]), "");
    EXPECT_EQ(QuoteText("it's"), "'it''s'");
    EXPECT_EQ(QuoteName("a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(QuoteSparkText("it's\\"), "'it\\'s\\\\'");
    EXPECT_EQ(QuoteSparkName("a`b"), "`a``b`");
}

TEST(Lexer, SplitStatements) {
    using Texts = std::vector<std::string_view>;
    EXPECT_EQ(SplitStatements("a; b;;c -- ;\n;"), (Texts{"a", " b", "c -- ;\n"}));
    EXPECT_EQ(SplitStatements("';' ; `;` ; \";\" ; /*;*/ $$;$$"), (Texts{"';' ", " `;` ", " \";\" ", " /*;*/ $$;$$"}));
    EXPECT_EQ(SplitStatements(" -- nothing\n ; // nothing either"), Texts{});
    EXPECT_EQ(SplitStatements(""), Texts{});
}

}  // namespace
}  // namespace birdfoot::sql
