#include "diagnostics/diagnostic.h"

#include <gtest/gtest.h>

namespace warplock::diagnostics {
namespace {

TEST(SourceText, GivesLinesAndPositions) {
  SourceText source("a.ptx", "one\r\ntwo\n\nlast");
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_EQ(source.line(5), "");
  EXPECT_EQ(source.position(5), (Position{2, 1}));
  EXPECT_EQ(source.position(12), (Position{4, 3}));
  EXPECT_EQ(source.position(1000), (Position{4, 5}));
}

TEST(Render, ShowsThePlaceTheLineAndACaret) {
  SourceText source("a.ptx", "add.u32 %r1, %r9;\n");
  EXPECT_EQ(render(error_at(source, {1, 14}, "undefined symbol", "%r9 is not declared")),
            "a.ptx:1:14: error: %r9 is not declared [undefined symbol]\n"
            "  add.u32 %r1, %r9;\n"
            "               ^\n");
}

TEST(Render, ShortensLongLinesAroundTheCaret) {
  SourceText source("a.ptx", std::string(100000, 'x') + "!" + std::string(100000, 'y'));
  std::string text = render(error_at(source, {1, 100001}, "syntax", "unexpected '!'"));
  EXPECT_LT(text.size(), 400u);
  size_t caret = text.find('^');
  size_t line = text.find("\n  ") + 1;
  size_t second = text.find('\n', line) + 1;
  EXPECT_EQ(text[line + (caret - second)], '!');
}

TEST(Render, NeverPrintsControlCharacters) {
  SourceText source("a.ptx", std::string("\x01\x1b[31m\xff\0abc", 10));
  std::string text = render(error_at(source, {1, 1}, "lexical", std::string("byte \x1b")));
  for (char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
}

TEST(ReadSource, RefusesWhatIsNotAReadableFileOfAllowedSize) {
  EXPECT_THROW(read_source("/nonexistent/file.ptx"), InputError);
  EXPECT_THROW(read_source("/"), InputError);
  EXPECT_THROW(read_source(WARPLOCK_SOURCE_DIR "/diagnostics/diagnostic_test.cpp", 10), InputError);
}

}  // namespace
}  // namespace warplock::diagnostics
