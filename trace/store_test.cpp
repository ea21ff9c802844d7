#include "trace/store.h"

#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "trace/spelling.h"
#include "trace/tiny_gpu.h"
#include "trace/tiny_kernels.h"

namespace warplock::trace {
namespace {

using diagnostics::InputError;
using testing::HasSubstr;

std::string stored(const Trace& trace) {
  std::ostringstream out;
  write(out, trace);
  return out.str();
}

Trace parsed(const std::string& text) {
  return read(std::make_shared<const diagnostics::SourceText>("t.trace", text));
}

void expect_equal(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.executor, b.executor);
  EXPECT_EQ(a.executor_version, b.executor_version);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.launch_digest, b.launch_digest);
  EXPECT_EQ(a.program_digest, b.program_digest);
  EXPECT_EQ(a.ptx_file, b.ptx_file);
  EXPECT_EQ(a.cuda_file, b.cuda_file);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.warp_width, b.warp_width);
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(a.register_names, b.register_names);
  EXPECT_EQ(a.objects, b.objects);
  EXPECT_EQ(a.events, b.events);
}

Trace small() {
  Trace trace;
  trace.executor = "reference";
  trace.executor_version = "0.1";
  trace.kernel = "dot";
  trace.launch_digest = "aa";
  trace.program_digest = "bb";
  trace.level = Level::kRegisters;
  trace.warp_width = 4;
  trace.instructions = {{0, 5, 2, "ld.global.u32 %r1, [%rd1]"}};
  trace.register_names = {"%r1"};
  trace.objects = {{"a", Space::kGlobal, 4096, 16, 8}};
  Event load;
  load.kind = EventKind::kLoad;
  load.space = Space::kGlobal;
  load.thread = 3;
  load.width = 4;
  load.offset = 12;
  load.value = 7;
  Event result;
  result.thread = 3;
  result.width = 4;
  result.value = 7;
  trace.events = {load, result};
  return trace;
}

TEST(Store, LooksAsDocumented) {
  EXPECT_EQ(stored(small()),
            R"({"format":"warplock trace","version":1,"executor":"reference",)"
            R"("executor_version":"0.1","device":"","kernel":"dot","launch":"aa","program":"bb",)"
            R"("ptx_file":"","cuda_file":"","level":"registers","warp_width":4,"events":2,)"
            R"("objects":[{"name":"a","space":"global","base":4096,"size":16,"reach":8}],)"
            R"("registers":["%r1"],)"
            R"("instructions":[{"ptx":0,"line":5,"cuda":2,"text":"ld.global.u32 %r1, [%rd1]"}]})"
            "\n"
            R"({"c":0,"t":3,"i":0,"n":0,"k":"load","o":"a","at":12,"w":4,"v":7})"
            "\n"
            R"({"c":0,"t":3,"i":0,"n":0,"k":"reg","r":"%r1","w":4,"v":7})"
            "\n");
}

TEST(Store, RoundTripsWholeExecutions) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    TinyLaunch launch;
    launch.seed = seed;
    launch.memory["counter"] = launch.memory["lock"] = {0};
    for (const std::string* program : {&tiny_kernels::kPlain, &tiny_kernels::kLock}) {
      Trace trace = run_tiny(*program, launch);
      expect_equal(trace, parsed(stored(trace)));
      expect_equal(without_ptx(trace), parsed(stored(without_ptx(trace))));
    }
  }
}

/// Any trace that its tables allow, with every field of every event at random: also those that its
/// kind does not use, names that occur twice, and the largest numbers.
TEST(Store, RoundTripsWhateverIsValid) {
  std::mt19937_64 random(1);
  auto below = [&](uint64_t limit) { return random() % limit; };
  auto number = [&]() -> uint64_t {
    switch (below(4)) {
      case 0:
        return ~uint64_t{0} - below(2);
      case 1:
        return below(3);
      case 2:
        return uint64_t{1} << below(64);
      default:
        return random();
    }
  };
  auto text = [&] {
    std::string out;
    const char* pieces[] = {"%r",   "\"", "\\", "\n", "\t",   "\x01",
                            "\x7f", "é",  "𝄞",  " ",  "</a>", "0"};
    for (uint64_t n = below(5); n > 0; --n) out += pieces[below(std::size(pieces))];
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    Trace trace;
    for (std::string* s :
         {&trace.executor, &trace.executor_version, &trace.device, &trace.kernel,
          &trace.launch_digest, &trace.program_digest, &trace.ptx_file, &trace.cuda_file}) {
      *s = text();
    }
    trace.level = Level::kRegisters;
    trace.warp_width = static_cast<uint32_t>(number());
    for (uint64_t n = 1 + below(3); n > 0; --n) {
      trace.instructions.push_back({static_cast<uint32_t>(number()),
                                    static_cast<uint32_t>(number()),
                                    static_cast<uint32_t>(number()), text()});
      trace.instructions.back().elided = below(2) != 0;
      trace.register_names.push_back(text());
      trace.objects.push_back(
          {text(), static_cast<Space>(below(4)), number(), 16 + below(100), number()});
    }
    for (uint64_t n = below(20); n > 0; --n) {
      Event e;
      e.cta = static_cast<uint32_t>(number());
      e.thread = static_cast<uint32_t>(number());
      e.instruction = static_cast<uint32_t>(below(trace.instructions.size()));
      e.occurrence = static_cast<uint32_t>(number());
      e.kind = static_cast<EventKind>(below(8));
      e.space = static_cast<Space>(below(4));
      e.width = static_cast<uint8_t>(1 + below(8));
      e.element = static_cast<uint8_t>(number());
      e.object = static_cast<uint32_t>(below(trace.objects.size()));
      e.offset = is_memory(e.kind) ? below(8) : number();
      e.value = number();
      e.old = number();
      if (e.kind == EventKind::kExit && below(2)) e.object = static_cast<uint32_t>(number());
      trace.events.push_back(e);
    }
    SCOPED_TRACE(stored(trace));
    expect_equal(trace, parsed(stored(trace)));
    if (HasFailure()) return;
  }
}

TEST(Store, ReplacesWhatIsNotUtf8) {
  Trace trace = small();
  trace.ptx_file = "a\xff.ptx";
  EXPECT_EQ(parsed(stored(trace)).ptx_file, "a\xef\xbf\xbd.ptx");
}

TEST(Store, RefusesToWriteWhatItCouldNotRead) {
  auto broken = [](auto change) {
    Trace trace = small();
    change(trace);
    EXPECT_THROW(stored(trace), InputError);
  };
  broken([](Trace& t) { t.events[0].instruction = 1; });
  broken([](Trace& t) { t.events[0].object = 1; });
  broken([](Trace& t) { t.events[1].object = 1; });
  broken([](Trace& t) { t.events[0].offset = 13; });
  broken([](Trace& t) { t.events[0].offset = ~uint64_t{0} - 1; });
  broken([](Trace& t) { t.events[0].width = 0; });
  broken([](Trace& t) { t.events[0].width = 9; });
  broken([](Trace& t) { t.events[0].kind = static_cast<EventKind>(8); });
  broken([](Trace& t) { t.events[0].space = static_cast<Space>(4); });
  broken([](Trace& t) { t.level = Level::kMemory; });
  broken([](Trace& t) { t.level = Level::kOff; });
}

TEST(Store, RefusesATraceThatIsCutOffAnywhere) {
  const std::string text = stored(small());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(parsed(text.substr(0, length)), InputError) << length;
  }
}

struct Malformed {
  const char *from, *to;
  uint32_t line, column;
  const char* message;
};

class Refused : public testing::TestWithParam<Malformed> {};

TEST_P(Refused, WithThePlace) {
  std::string text = stored(small());
  size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  try {
    parsed(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const InputError& error) {
    const diagnostics::Diagnostic& found = error.diagnostics().front();
    EXPECT_EQ(found.klass, "trace");
    EXPECT_EQ(found.file, "t.trace");
    EXPECT_EQ(found.position.line, GetParam().line) << error.what();
    if (GetParam().column) {
      EXPECT_EQ(found.position.column, GetParam().column) << error.what();
    }
    EXPECT_THAT(found.message, HasSubstr(GetParam().message));
  }
}

const char kLoadLine[] = R"({"c":0,"t":3,"i":0,"n":0,"k":"load","o":"a","at":12,"w":4,"v":7})";

INSTANTIATE_TEST_SUITE_P(
    All, Refused,
    testing::Values(
        Malformed{"\"events\":2", "\"events\":3", 4, 1, "2 events, but the header promises 3"},
        Malformed{"\"events\":2", "\"events\":1", 3, 1, "more events than the header's 1"},
        Malformed{"\"events\":2", "\"events\":18446744073709551615", 4, 1, "promises"},
        Malformed{"\"events\":2", "\"events\":18446744073709551616", 1, 217, "whole number"},
        Malformed{"\"events\":2", "\"events\":-2", 1, 217, "whole number"},
        Malformed{"\"events\":2,", "", 1, 1, "no \"events\""},
        Malformed{"\"version\":1", "\"version\":2", 1, 38, "version 1"},
        Malformed{"warplock trace", "other", 1, 11, "not the format"},
        Malformed{"\"level\":\"registers\"", "\"level\":\"all\"", 1, 181, "is no level"},
        Malformed{"\"level\":\"registers\"", "\"level\":\"memory\"", 3, 1, "register event"},
        Malformed{"\"level\":\"registers\"", "\"level\":\"off\"", 2, 1, "level \"off\""},
        Malformed{"\"kernel\":\"dot\",", "", 1, 1, "lacks a name"},
        Malformed{"\"kernel\":\"dot\"", "\"kernel\":[\"dot\"]", 1, 0, "must be a string"},
        Malformed{"\"kernel\"", "\"colonel\"", 1, 0, "no key \"colonel\""},
        Malformed{"\"device\":\"\"", "\"kernel\":\"\"", 1, 0, "given twice"},
        Malformed{"\"reach\":8", "\"reach\":8.5", 1, 0, "whole number"},
        Malformed{",\"reach\":8", "", 1, 0, "has name, space, base, size and reach"},
        Malformed{"\"registers\":[\"%r1\"]", "\"registers\":{}", 1, 0, "must be an array"},
        Malformed{"\"registers\":[\"%r1\"]", "\"registers\":[[[[[1]]]]]", 1, 0,
                  "nested too deeply"},
        Malformed{"\"text\":", "\"txt\":", 1, 0, "no key \"txt\""},
        Malformed{"\"ptx\":0", "\"ptx\":4294967295", 1, 0, "no such index"},
        Malformed{"\"k\":\"load\"", "\"k\":\"lod\"", 2, 30, "\"lod\" is no kind of event"},
        Malformed{"\"k\":\"load\"", "\"k\":\"branch\"", 2, 43, "has no register or object"},
        Malformed{"\"k\":\"load\"", "\"k\":\"atom\"", 2, 1, "needs \"old\""},
        Malformed{"\"k\":\"load\",", "", 2, 1, "needs \"k\""},
        Malformed{"\"o\":\"a\"", "\"o\":\"b\"", 2, 41, "no object \"b\""},
        Malformed{"\"o\":\"a\"", "\"o\":\"a\",\"x\":1", 2, 49, "index 1 has another name"},
        Malformed{"\"r\":\"%r1\"", "\"r\":\"%r2\"", 3, 40, "no register \"%r2\""},
        Malformed{"\"at\":12", "\"at\":13", 2, 1, "offset 13"},
        Malformed{"\"at\":12", "\"at\":18446744073709551615", 2, 1, "offset"},
        Malformed{"\"at\":12,", "", 2, 1, "needs \"at\""},
        Malformed{"\"w\":4,\"v\":7}", "\"w\":9,\"v\":7}", 2, 57, "from 0 to 8"},
        Malformed{"\"w\":4,\"v\":7}", "\"w\":0,\"v\":7}", 2, 1, "width of 0"},
        Malformed{"\"v\":7}", "\"v\":NaN}", 2, 63, "invalid literal"},
        Malformed{"\"v\":7}", "\"v\":1e400}", 2, 0, "number overflow"},
        Malformed{"\"v\":7}", "\"v\":7.0}", 2, 63, "whole number"},
        Malformed{"\"v\":7}", "\"v\":-7}", 2, 63, "whole number"},
        Malformed{"\"v\":7}", "\"v\":\"7\"}", 2, 63, "whole number"},
        Malformed{"\"v\":7}", "\"v\":7,\"v\":7}", 2, 65, "given twice"},
        Malformed{"\"v\":7}", "\"v\":7,\"y\":7}", 2, 65, "no key \"y\""},
        Malformed{"\"v\":7}", "\"v\":7,\"s\":\"nowhere\"}", 2, 69, "is no space"},
        Malformed{"\"v\":7}", "\"v\":7} {}", 2, 0, "expected end of input"},
        Malformed{"\"i\":0", "\"i\":1", 2, 1, "instruction 1 of 1"},
        Malformed{"\"c\":0", "\"c\":4294967296", 2, 6, "from 0 to 4294967295"},
        Malformed{"\"c\":0", "\"c\":\"\xff\"", 2, 0, "UTF-8"},
        Malformed{kLoadLine, "", 2, 1, "expected an object"},
        Malformed{kLoadLine, "[1]", 2, 1, "expected an object"},
        Malformed{kLoadLine, "{\"format\":\"warplock trace\"}", 2, 2, "a second header"}));

}  // namespace
}  // namespace warplock::trace
