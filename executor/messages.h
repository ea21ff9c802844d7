#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "executor/executor.h"

/// What `isolate` and `serve` say to each other: frames on two pipes. The worker begins with a
/// Hello; then every Request gets one Answer with the same id.
namespace warplock::executor {

/// Changes whenever a message does, so that a worker of another build is noticed.
constexpr uint32_t kMessageVersion = 1;

enum class MessageType : uint32_t { kHello, kRequest, kAnswer };

struct FrameHeader {
  MessageType type = MessageType::kHello;
  uint64_t id = 0;
  uint64_t size = 0;  ///< bytes of the message that follows
};
constexpr size_t kFrameHeaderBytes = 24;
/// No frame is longer: a register trace of eighty million events.
constexpr uint64_t kMaxFrameBytes = uint64_t{4} << 30;

std::string encode_header(const FrameHeader& header);
/// The header at the beginning of `bytes`; nothing while there are too few. Throws `WireError` when
/// it is none.
std::optional<FrameHeader> decode_header(std::string_view bytes);

struct Hello {
  std::string name, version, device;
  Capabilities capabilities;
};
std::string encode(const Hello& hello);
Hello decode_hello(std::string_view message);

struct Request {
  std::string ptx_path;            ///< of the file
  std::string ptx_name, ptx_text;  ///< of the module's source
  std::string ptx_digest;
  std::optional<std::string> cuda_path;
  Launch launch;  ///< without `expect`; of its source only the name and the entry's line
  trace::Level level = trace::Level::kOff;
};
std::string encode_request(const Program& program, const Launch& launch, trace::Level level);
Request decode_request(std::string_view message);

/// An outcome, an InputError's diagnostics, or what went wrong in the worker itself.
struct WorkerFailure {
  std::string reason;
};
using Diagnostics = std::vector<diagnostics::Diagnostic>;
using Answer = std::variant<Execution, Refusal, Diagnostics, WorkerFailure>;
std::string encode(const Answer& answer);
/// Also checks that every event names an instruction, object and register that the trace has, so
/// that a broken worker cannot make its reader fail later.
Answer decode_answer(std::string_view message);

}  // namespace warplock::executor
