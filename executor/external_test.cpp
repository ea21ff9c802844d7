#include "executor/external.h"

#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/test_programs.h"

namespace warplock::executor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Refusal::Kind;

constexpr const char* kFolder = WARPLOCK_SOURCE_DIR "/executor/";

ExternalDefinition definition(const std::string& script, double timeout_seconds) {
  ExternalDefinition out;
  out.name = "odd";
  out.command = {"python3", kFolder + script};
  out.max_level = trace::Level::kMemory;
  out.timeout_seconds = timeout_seconds;
  return out;
}

class Misbehaving : public testing::Test {
 protected:
  explicit Misbehaving(double timeout_seconds = 60)
      : executor_(make_external(definition("testdata/misbehaving.py", timeout_seconds))) {}

  Outcome run(const std::string& mode, trace::Level level = trace::Level::kMemory) {
    return executor_->run(program_, launch_of(mode), level);
  }

  Refusal refused(const std::string& mode) {
    Outcome outcome = run(mode);
    if (auto* refusal = std::get_if<Refusal>(&outcome)) return *refusal;
    ADD_FAILURE() << mode << " was accepted";
    return {};
  }

  void expect_right(const std::string& mode) {
    Outcome outcome = run(mode);
    if (auto* refusal = std::get_if<Refusal>(&outcome)) {
      ADD_FAILURE() << mode << " was refused: " << refusal->reason;
      return;
    }
    const auto& outputs = std::get<Execution>(outcome).outputs;
    ASSERT_EQ(outputs.size(), 3u) << mode;
    EXPECT_EQ(outputs[2].first, "out");
    EXPECT_THAT(outputs[2].second, ElementsAre(1, 1, 1, 1, 1, 1)) << mode;
  }

  Program program_ = vector_add();
  std::unique_ptr<Executor> executor_;
};

class ImpatientWithMisbehaving : public Misbehaving {
 protected:
  ImpatientWithMisbehaving() : Misbehaving(5) {}
};

struct Expected {
  const char* mode;
  Kind kind;
  const char* reason;
};

TEST_F(Misbehaving, CostsTheRequestAlone) {
  const Expected all[] = {
      {"crash", Kind::kCrash, "was killed by SIGSEGV"},
      {"exit", Kind::kCrash, "exited with status 3 without an answer: first line | cannot go on"},
      {"leave", Kind::kCrash, "exited with status 0 without an answer"},
      {"half_exit", Kind::kCrash, "exited with status 0"},
      {"garbage", Kind::kError, "broken answer"},
      {"not_utf8", Kind::kError, "UTF-8"},
      {"deep", Kind::kError, "nested deeper"},
      {"array", Kind::kError, "must be an object"},
      {"twice", Kind::kError, "more than one answer"},
      {"unknown_id", Kind::kError, "which there is not"},
      {"no_id", Kind::kError, "no \"id\""},
      {"string_id", Kind::kError, "\"id\" must be an integer"},
      {"no_outputs", Kind::kError, "one of \"outputs\""},
      {"empty_outputs", Kind::kError, "no buffer"},
      {"short_output", Kind::kError, "\"out\" has 1 words, the buffer has 6"},
      {"other_output", Kind::kError, "no buffer of the launch"},
      {"large_word", Kind::kError, "word 0 of \"out\""},
      {"no_events", Kind::kError, "no \"events\""},
      {"two_answers_in_one", Kind::kError, "one of \"outputs\""},
      {"misspelt", Kind::kError, "did you mean \"outputs\"?"},
      {"unsupported", Kind::kUnsupported, "needs 37 blocks, there are 32"},
      {"error", Kind::kError, "the board is on fire"},
  };
  for (const Expected& expected : all) {
    Refusal refusal = refused(expected.mode);
    EXPECT_EQ(refusal.kind, expected.kind) << expected.mode << ": " << refusal.reason;
    EXPECT_THAT(refusal.reason, HasSubstr(expected.reason)) << expected.mode;
    expect_right("right");
  }
}

TEST_F(Misbehaving, IsForgivenWhatDoesNoHarm) {
  for (const char* mode : {"blank_lines", "flood_stderr", "twice_late"}) {
    expect_right(mode);
    expect_right("right");
  }
}

// The second answer comes after the first was used: the next request is sent to a new process.
TEST_F(Misbehaving, AnswersOfEarlierRequestsCostNothing) {
  expect_right("right");
  Refusal refusal = refused("previous_first");  // and a new process does it again
  EXPECT_EQ(refusal.kind, Kind::kError);
  expect_right("right");
  expect_right("twice_late");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  expect_right("right");
}

TEST_F(ImpatientWithMisbehaving, TimesOut) {
  for (const char* mode : {"hang", "spin", "half"}) {
    Refusal refusal = refused(mode);
    EXPECT_EQ(refusal.kind, Kind::kTimeout) << mode;
    EXPECT_THAT(refusal.reason, HasSubstr("5 s")) << mode;
    expect_right("right");
  }
}

TEST_F(Misbehaving, FloodsAreCutOff) {
  auto begin = std::chrono::steady_clock::now();
  Refusal refusal = refused("flood");
  EXPECT_EQ(refusal.kind, Kind::kError);
  EXPECT_THAT(refusal.reason, HasSubstr("a line of more than"));
  expect_right("right");
  EXPECT_EQ(refused("flood_lines").kind, Kind::kError);
  expect_right("right");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(Misbehaving, MayStopReading) {
  Launch launch = launch_of("deaf");
  launch.arguments[0].words.assign(1 << 20, 7);
  Outcome outcome = executor_->run(program_, launch, trace::Level::kOff);
  EXPECT_TRUE(std::holds_alternative<Execution>(outcome));
  expect_right("right");
}

TEST_F(Misbehaving, UnlistedBuffersAreUnchanged) {
  Outcome outcome = run("only_out");
  const auto& outputs = std::get<Execution>(outcome).outputs;
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].second, vector_add_launch().arguments[0].words);
  EXPECT_THAT(outputs[2].second, ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST_F(Misbehaving, IsNotToldWhatIsExpected) {
  std::string request = refused("tell_request").reason;
  EXPECT_THAT(request, HasSubstr("\"entry\": \"tell_request\""));
  EXPECT_THAT(request, HasSubstr("\"buffer\": [0, 0, 0, 0, 0, 0]"));
  EXPECT_THAT(request, HasSubstr("\"trace\": \"memory\""));
  EXPECT_THAT(request, HasSubstr("vector_add.ptx\""));
  EXPECT_THAT(request, testing::Not(HasSubstr("expect")));
}

TEST_F(Misbehaving, ImpossibleEventsAreRefused) {
  const std::pair<const char*, const char*> events[] = {
      {R"(5)", "must be an object"},
      {R"({"thread": 0, "line": 36})", "no \"kind\""},
      {R"({"kind": "explode", "thread": 0, "line": 36})", "\"kind\" is one of"},
      {R"({"kind": "exit", "line": 38})", "no \"thread\""},
      {R"({"kind": "exit", "thread": 4, "line": 38})", "from 0 to 3"},
      {R"({"kind": "exit", "thread": 0, "cta": 2, "line": 38})", "from 0 to 1"},
      {R"({"kind": "exit", "thread": 0})", "no \"line\""},
      {R"({"kind": "exit", "thread": 0, "line": 1})", "no instruction"},
      {R"({"kind": "exit", "thread": 0, "instruction": 99})", "no such instruction"},
      {R"({"kind": "reg", "thread": 0, "line": 35, "register": "%r6", "value": 1})",
       "none was asked for"},
      {R"({"kind": "store", "thread": 0, "line": 36, "offset": 0, "value": 1})", "no \"buffer\""},
      {R"({"kind": "store", "thread": 0, "line": 36, "buffer": "x", "offset": 0, "value": 1})",
       "no such buffer"},
      {R"({"kind": "store", "thread": 0, "line": 36, "buffer": "out", "value": 1})",
       "no \"offset\""},
      {R"({"kind": "store", "thread": 0, "line": 36, "buffer": "out", "offset": 21, "value": 1})",
       "outside of the 24 bytes"},
      {R"({"kind": "store", "thread": 0, "line": 36, "buffer": "out", "offset": 0, "width": 3,)"
       R"( "value": 1})",
       "1, 2, 4 or 8"},
      {R"({"kind": "store", "thread": 0, "line": 36, "buffer": "out", "offset": 0})",
       "no \"value\""},
      {R"({"kind": "atom", "thread": 0, "line": 36, "buffer": "out", "offset": 0, "value": 1})",
       "no \"old\""},
      {R"({"kind": "branch", "thread": 0, "line": 22})", "no \"value\""},
      {R"({"kind": "branch", "thread": 0, "line": 22, "taken": 1})", "true or false"},
      {R"({"kind": "branch", "thread": 0, "line": 36, "taken": true})", "is for bra"},
      {R"({"kind": "exit", "thread": 0, "line": 38, "colour": 1})", "no key \"colour\""},
  };
  for (const auto& [event, reason] : events) {
    Refusal refusal = refused(std::string("event:") + event);
    EXPECT_EQ(refusal.kind, Kind::kError) << event;
    EXPECT_THAT(refusal.reason, HasSubstr(reason)) << event;
  }
}

TEST(External, RunsTheExampleOfTheManual) {
  auto executor = make_external(definition("examples/tiny_executor.py", 60));
  EXPECT_EQ(executor->name(), "external:odd");
  Program program = vector_add();
  Launch launch = vector_add_launch();
  for (int repeat = 0; repeat < 2; ++repeat) {
    Outcome outcome = executor->run(program, launch, trace::Level::kRegisters);
    ASSERT_TRUE(std::holds_alternative<Execution>(outcome)) << std::get<Refusal>(outcome).reason;
    const Execution& execution = std::get<Execution>(outcome);
    EXPECT_EQ(execution.outputs.at(2).second, launch.expect.at("out"));
    const trace::Trace& trace = execution.trace;
    EXPECT_EQ(trace.level, trace::Level::kMemory);  // all that it offers
    EXPECT_EQ(trace.executor, "external:odd");
    EXPECT_EQ(trace.launch_digest, digest(launch));
    EXPECT_EQ(trace.program_digest, program.digest);
    // Six threads: branch, two loads, a store, exit. Two threads: branch, exit.
    ASSERT_EQ(trace.events.size(), 34u);
    const trace::Event& store = trace.events[3];
    EXPECT_EQ(store.kind, trace::EventKind::kStore);
    EXPECT_EQ(store.value, 11u);
    EXPECT_EQ(trace.objects.at(store.object).name, "out");
    EXPECT_EQ(trace.instructions.at(store.instruction).ptx_line, 36u);
    EXPECT_THAT(trace.instructions.at(store.instruction).text, HasSubstr("st.global.u32"));
  }
}

// A register that holds a small number must not look like a pointer into a buffer at address 0.
TEST_F(Misbehaving, AddressesAreThoseThatItTells) {
  Outcome outcome = run("right");
  for (const trace::Object& object : std::get<Execution>(outcome).trace.objects) {
    EXPECT_GT(object.base, uint64_t{1} << 60) << object.name;
  }
  outcome = run("addresses:{\"out\": 4096}");
  const auto& objects = std::get<Execution>(outcome).trace.objects;
  EXPECT_EQ(objects.at(2).base, 4096u);
  EXPECT_GT(objects.at(0).base, uint64_t{1} << 60);
  EXPECT_THAT(refused("addresses:{\"x\": 4096}").reason, HasSubstr("no such buffer"));
  EXPECT_THAT(refused("addresses:{\"out\": -1}").reason, HasSubstr("an address"));
}

TEST(External, LetsAWrongExecutorBeWrong) {
  auto executor = make_external(definition("examples/wrong_executor.py", 60));
  Outcome outcome = executor->run(vector_add(), vector_add_launch(), trace::Level::kMemory);
  ASSERT_TRUE(std::holds_alternative<Execution>(outcome)) << std::get<Refusal>(outcome).reason;
  EXPECT_EQ(std::get<Execution>(outcome).outputs.at(2).second.at(0), 0u - 9u);
}

TEST(External, SaysWhatItCannotDo) {
  auto executor = make_external(definition("examples/tiny_executor.py", 60));
  std::string path = testing::TempDir() + "unknown_instruction.ptx";
  std::ofstream(path)
      << ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry vector_add()\n"
         "{\n.reg .b32 %r<3>;\nmov.u32 %r1, %tid.x;\nclz.b32 %r2, %r1;\nret;\n}\n";
  Launch launch = vector_add_launch();
  launch.arguments.clear();
  Outcome outcome = executor->run(program_from(path), launch, trace::Level::kMemory);
  ASSERT_TRUE(std::holds_alternative<Refusal>(outcome));
  EXPECT_EQ(std::get<Refusal>(outcome).kind, Kind::kUnsupported);
  EXPECT_THAT(std::get<Refusal>(outcome).reason, HasSubstr("clz"));

  ExternalDefinition narrow = definition("examples/tiny_executor.py", 60);
  narrow.warp_widths = {32};
  outcome = make_external(narrow)->run(vector_add(), vector_add_launch(), trace::Level::kOff);
  EXPECT_EQ(std::get<Refusal>(outcome).kind, Kind::kUnsupported);
  EXPECT_THAT(std::get<Refusal>(outcome).reason, HasSubstr("no warps of 4 lanes"));
}

TEST(External, SaysThatItCannotBeStarted) {
  ExternalDefinition none = definition("", 60);
  none.command = {"/nonexistent/executor"};
  auto executor = make_external(none);
  Outcome outcome = executor->run(vector_add(), vector_add_launch(), trace::Level::kOff);
  EXPECT_EQ(std::get<Refusal>(outcome).kind, Kind::kError);
  EXPECT_THAT(std::get<Refusal>(outcome).reason, HasSubstr("No such file"));
}

}  // namespace
}  // namespace warplock::executor
