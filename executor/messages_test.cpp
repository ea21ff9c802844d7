#include "executor/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/test_programs.h"
#include "executor/wire.h"

namespace warplock::executor {
namespace {

std::string some_answer() {
  Execution execution;
  execution.outputs = {{"out", {1, 2, 3}}, {"empty", {}}};
  execution.trace.executor = "test";
  execution.trace.level = trace::Level::kRegisters;
  execution.trace.instructions = {{1, 2, 3, "add", true}};
  execution.trace.register_names = {"%r1"};
  execution.trace.objects = {{"out", trace::Space::kGlobal, 1, 12, 3}};
  trace::Event event;
  event.width = 4;
  event.value = 77;
  execution.trace.events = {event, event};
  return encode(Answer(std::move(execution)));
}

TEST(Messages, CarryRequests) {
  Program program = vector_add();
  program.cuda_path = "k.cu";
  Launch launch = vector_add_launch();
  launch.arguments[3].scalar = ~uint64_t{0};
  launch.arguments[3].scalar_bytes = 8;
  Request request = decode_request(encode_request(program, launch, trace::Level::kRegisters));
  EXPECT_EQ(request.ptx_path, program.ptx_path);
  EXPECT_EQ(request.ptx_text, program.module->source->text());
  EXPECT_EQ(request.ptx_name, program.module->source->name());
  EXPECT_EQ(request.ptx_digest, program.digest);
  EXPECT_EQ(request.cuda_path, "k.cu");
  EXPECT_EQ(request.level, trace::Level::kRegisters);
  EXPECT_EQ(digest(request.launch), digest(launch));
  EXPECT_TRUE(request.launch.expect.empty());
  EXPECT_EQ(request.launch.entry_position, launch.entry_position);
  EXPECT_EQ(request.launch.source->line(launch.entry_position.line),
            launch.source->line(launch.entry_position.line));
}

TEST(Messages, CarryRequestsWithoutSource) {
  Launch launch = vector_add_launch();
  launch.source = nullptr;
  launch.entry_position = {};
  Request request = decode_request(encode_request(vector_add(), launch, trace::Level::kOff));
  EXPECT_EQ(digest(request.launch), digest(launch));
  EXPECT_EQ(request.cuda_path, std::nullopt);
}

TEST(Messages, CarryHello) {
  Hello hello{"n", "v", "d", {false, true, trace::Level::kOff, true}};
  Hello back = decode_hello(encode(hello));
  EXPECT_EQ(back.name, "n");
  EXPECT_EQ(back.version, "v");
  EXPECT_EQ(back.device, "d");
  EXPECT_FALSE(back.capabilities.width4);
  EXPECT_TRUE(back.capabilities.width32);
  EXPECT_TRUE(back.capabilities.needs_cuda);
  EXPECT_EQ(back.capabilities.max_level, trace::Level::kOff);
  std::string other = encode(hello);
  ++other[0];
  EXPECT_THROW(decode_hello(other), WireError);
}

TEST(Messages, AreRefusedWhenCutOffOrContinued) {
  std::string answer = some_answer();
  const auto decoded = decode_answer(answer);
  ASSERT_TRUE(std::holds_alternative<Execution>(decoded));
  EXPECT_EQ(std::get<Execution>(decoded).trace.instructions.at(0),
            (trace::Instruction{1, 2, 3, "add", true}));
  for (size_t size = 0; size < answer.size(); ++size) {
    EXPECT_THROW(decode_answer(answer.substr(0, size)), WireError) << size;
  }
  EXPECT_THROW(decode_answer(answer + "x"), WireError);
}

// Whatever bytes a broken worker sends: a refusal or a sound answer, never a crash or a giant
// allocation.
TEST(Messages, SurviveAnyChangedByte) {
  std::string answer = some_answer();
  size_t refused = 0;
  for (size_t at = 0; at < answer.size(); ++at) {
    for (int change : {0x01, 0x80, 0xff}) {
      std::string changed = answer;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        decode_answer(changed);
      } catch (const WireError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Messages, RefuseAnInputErrorWithoutDiagnostics) {
  EXPECT_THROW(decode_answer(encode(Answer(Diagnostics{}))), WireError);
}

TEST(FrameHeader, IsReadOnceItIsWhole) {
  std::string bytes = encode_header({MessageType::kAnswer, 5, 100});
  ASSERT_EQ(bytes.size(), kFrameHeaderBytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(decode_header(bytes.substr(0, size)), std::nullopt);
  }
  std::optional<FrameHeader> header = decode_header(bytes + "more");
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->type, MessageType::kAnswer);
  EXPECT_EQ(header->id, 5u);
  EXPECT_EQ(header->size, 100u);
  EXPECT_THROW(decode_header("x"), WireError);
  EXPECT_THROW(decode_header(encode_header({static_cast<MessageType>(9), 0, 0})), WireError);
  EXPECT_THROW(decode_header(encode_header({MessageType::kAnswer, 0, kMaxFrameBytes + 1})),
               WireError);
}

}  // namespace
}  // namespace warplock::executor
