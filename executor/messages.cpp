#include "executor/messages.h"

#include <algorithm>

#include "executor/wire.h"
#include "trace/validate.h"

namespace warplock::executor {
namespace {

constexpr uint32_t kMagic = 0x4b4c5257;  // "WRLK"
/// Longer lines are not worth sending for a caret.
constexpr size_t kMaxQuotedLine = 65'536;
constexpr uint32_t kMaxQuotedLineNumber = 1'000'000;

static_assert(sizeof(trace::Event) == 48, "trace::Event changed: raise kMessageVersion");

void put(WireWriter& out, const diagnostics::Diagnostic& d) {
  out.number(static_cast<uint8_t>(d.severity));
  out.text(d.klass);
  out.text(d.message);
  out.text(d.file);
  out.number(d.position.line);
  out.number(d.position.column);
  out.text(d.line_text);
}

diagnostics::Diagnostic get_diagnostic(WireReader& in) {
  diagnostics::Diagnostic d;
  d.severity = in.enumerator(diagnostics::Severity::kNote);
  d.klass = in.text();
  d.message = in.text();
  d.file = in.text();
  d.position.line = in.number<uint32_t>();
  d.position.column = in.number<uint32_t>();
  d.line_text = in.text();
  return d;
}

void put(WireWriter& out, const Diagnostics& all) {
  out.number(uint64_t{all.size()});
  for (const diagnostics::Diagnostic& d : all) put(out, d);
}

Diagnostics get_diagnostics(WireReader& in) {
  Diagnostics all;
  for (size_t left = in.count(); left > 0; --left) all.push_back(get_diagnostic(in));
  return all;
}

void put(WireWriter& out, const Launch& launch) {
  out.text(launch.entry);
  for (uint32_t size : launch.grid) out.number(size);
  for (uint32_t size : launch.block) out.number(size);
  out.number(launch.warp_width);
  out.number(launch.shared_bytes);
  out.number(launch.max_steps);
  out.number(uint64_t{launch.arguments.size()});
  for (const Argument& argument : launch.arguments) {
    out.text(argument.name);
    out.number(static_cast<uint8_t>(argument.is_buffer));
    out.array(argument.words);
    out.number(argument.scalar);
    out.number(argument.scalar_bytes);
  }
  diagnostics::Position entry = launch.entry_position;
  std::string_view line;
  if (launch.source && entry.line <= kMaxQuotedLineNumber) line = launch.source->line(entry.line);
  if (line.size() > kMaxQuotedLine) line = {};
  out.text(launch.source ? launch.source->name() : std::string());
  out.number(entry.line);
  out.number(entry.column);
  out.text(line);
}

Launch get_launch(WireReader& in) {
  Launch launch;
  launch.entry = in.text();
  for (uint32_t& size : launch.grid) size = in.number<uint32_t>();
  for (uint32_t& size : launch.block) size = in.number<uint32_t>();
  launch.warp_width = in.number<uint32_t>();
  launch.shared_bytes = in.number<uint32_t>();
  launch.max_steps = in.number<uint64_t>();
  for (size_t left = in.count(); left > 0; --left) {
    Argument argument;
    argument.name = in.text();
    argument.is_buffer = in.boolean();
    argument.words = in.array<uint32_t>();
    argument.scalar = in.number<uint64_t>();
    argument.scalar_bytes = in.number<uint8_t>();
    launch.arguments.push_back(std::move(argument));
  }
  std::string name = in.text();
  launch.entry_position.line = in.number<uint32_t>();
  launch.entry_position.column = in.number<uint32_t>();
  std::string line = in.text();
  // A text with that line in its place is enough for a message about the entry.
  size_t lines_before = line.empty() ? 0 : launch.entry_position.line - 1;
  launch.source = std::make_shared<const diagnostics::SourceText>(
      std::move(name), std::string(lines_before, '\n') + line);
  return launch;
}

void put(WireWriter& out, const trace::Trace& trace) {
  for (const std::string* text :
       {&trace.executor, &trace.executor_version, &trace.device, &trace.kernel,
        &trace.launch_digest, &trace.program_digest, &trace.ptx_file, &trace.cuda_file}) {
    out.text(*text);
  }
  out.number(static_cast<uint8_t>(trace.level));
  out.number(trace.warp_width);
  out.number(uint64_t{trace.instructions.size()});
  for (const trace::Instruction& instruction : trace.instructions) {
    out.number(instruction.ptx_index);
    out.number(instruction.ptx_line);
    out.number(instruction.cuda_line);
    out.text(instruction.text);
    out.number(static_cast<uint8_t>(instruction.elided));
  }
  out.number(uint64_t{trace.register_names.size()});
  for (const std::string& name : trace.register_names) out.text(name);
  out.number(uint64_t{trace.objects.size()});
  for (const trace::Object& object : trace.objects) {
    out.text(object.name);
    out.number(static_cast<uint8_t>(object.space));
    out.number(object.base);
    out.number(object.size);
    out.number(object.reach);
  }
  out.array(trace.events);
}

void check(const trace::Trace& trace) {
  for (const trace::Event& event : trace.events) {
    std::string why = trace::why_invalid(trace, event);
    if (!why.empty()) throw WireError("an impossible event: " + why);
  }
}

trace::Trace get_trace(WireReader& in) {
  trace::Trace trace;
  for (std::string* text :
       {&trace.executor, &trace.executor_version, &trace.device, &trace.kernel,
        &trace.launch_digest, &trace.program_digest, &trace.ptx_file, &trace.cuda_file}) {
    *text = in.text();
  }
  trace.level = in.enumerator(trace::Level::kRegisters);
  trace.warp_width = in.number<uint32_t>();
  for (size_t left = in.count(); left > 0; --left) {
    trace::Instruction instruction;
    instruction.ptx_index = in.number<uint32_t>();
    instruction.ptx_line = in.number<uint32_t>();
    instruction.cuda_line = in.number<uint32_t>();
    instruction.text = in.text();
    instruction.elided = in.boolean();
    trace.instructions.push_back(std::move(instruction));
  }
  for (size_t left = in.count(); left > 0; --left) trace.register_names.push_back(in.text());
  for (size_t left = in.count(); left > 0; --left) {
    trace::Object object;
    object.name = in.text();
    object.space = in.enumerator(trace::Space::kLocal);
    object.base = in.number<uint64_t>();
    object.size = in.number<uint64_t>();
    object.reach = in.number<uint64_t>();
    trace.objects.push_back(std::move(object));
  }
  trace.events = in.array<trace::Event>();
  check(trace);
  return trace;
}

}  // namespace

std::string encode_header(const FrameHeader& header) {
  WireWriter out;
  out.number(kMagic);
  out.number(static_cast<uint32_t>(header.type));
  out.number(header.id);
  out.number(header.size);
  return out.take();
}

std::optional<FrameHeader> decode_header(std::string_view bytes) {
  // What is no frame is noticed by its first bytes, however few came.
  WireWriter magic;
  magic.number(kMagic);
  std::string wanted = magic.take();
  if (bytes.substr(0, wanted.size()) != wanted.substr(0, bytes.size())) {
    throw WireError("what the worker wrote is no frame");
  }
  if (bytes.size() < kFrameHeaderBytes) return std::nullopt;
  WireReader in(bytes.substr(wanted.size(), kFrameHeaderBytes - wanted.size()));
  FrameHeader header;
  uint32_t type = in.number<uint32_t>();
  if (type > static_cast<uint32_t>(MessageType::kAnswer)) throw WireError("unknown kind of frame");
  header.type = static_cast<MessageType>(type);
  header.id = in.number<uint64_t>();
  header.size = in.number<uint64_t>();
  if (header.size > kMaxFrameBytes) throw WireError("a frame claims an impossible length");
  return header;
}

std::string encode(const Hello& hello) {
  WireWriter out;
  out.number(kMessageVersion);
  out.text(hello.name);
  out.text(hello.version);
  out.text(hello.device);
  out.number(static_cast<uint8_t>(hello.capabilities.width4));
  out.number(static_cast<uint8_t>(hello.capabilities.width32));
  out.number(static_cast<uint8_t>(hello.capabilities.max_level));
  out.number(static_cast<uint8_t>(hello.capabilities.needs_cuda));
  return out.take();
}

Hello decode_hello(std::string_view message) {
  WireReader in(message);
  if (in.number<uint32_t>() != kMessageVersion) {
    throw WireError("the worker is of another version");
  }
  Hello hello;
  hello.name = in.text();
  hello.version = in.text();
  hello.device = in.text();
  hello.capabilities.width4 = in.boolean();
  hello.capabilities.width32 = in.boolean();
  hello.capabilities.max_level = in.enumerator(trace::Level::kRegisters);
  hello.capabilities.needs_cuda = in.boolean();
  in.expect_end();
  return hello;
}

std::string encode_request(const Program& program, const Launch& launch, trace::Level level) {
  WireWriter out;
  out.text(program.ptx_path);
  out.text(program.module->source->name());
  out.text(program.module->source->text());
  out.text(program.digest);
  out.number(static_cast<uint8_t>(program.cuda_path.has_value()));
  out.text(program.cuda_path.value_or(""));
  put(out, launch);
  out.number(static_cast<uint8_t>(level));
  return out.take();
}

Request decode_request(std::string_view message) {
  WireReader in(message);
  Request request;
  request.ptx_path = in.text();
  request.ptx_name = in.text();
  request.ptx_text = in.text();
  request.ptx_digest = in.text();
  bool has_cuda = in.boolean();
  std::string cuda = in.text();
  if (has_cuda) request.cuda_path = std::move(cuda);
  request.launch = get_launch(in);
  request.level = in.enumerator(trace::Level::kRegisters);
  in.expect_end();
  return request;
}

std::string encode(const Answer& answer) {
  WireWriter out;
  out.number(static_cast<uint8_t>(answer.index()));
  if (const auto* execution = std::get_if<Execution>(&answer)) {
    out.number(uint64_t{execution->outputs.size()});
    for (const auto& [name, words] : execution->outputs) {
      out.text(name);
      out.array(words);
    }
    put(out, execution->trace);
    out.number(execution->steps);
    out.number(execution->seconds);
  } else if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    out.number(static_cast<uint8_t>(refusal->kind));
    out.text(refusal->reason);
    put(out, refusal->diagnostics);
  } else if (const auto* input = std::get_if<Diagnostics>(&answer)) {
    put(out, *input);
  } else {
    out.text(std::get<WorkerFailure>(answer).reason);
  }
  return out.take();
}

Answer decode_answer(std::string_view message) {
  WireReader in(message);
  Answer answer;
  switch (in.number<uint8_t>()) {
    case 0: {
      Execution execution;
      for (size_t left = in.count(); left > 0; --left) {
        std::string name = in.text();
        execution.outputs.emplace_back(std::move(name), in.array<uint32_t>());
      }
      execution.trace = get_trace(in);
      execution.steps = in.number<uint64_t>();
      execution.seconds = in.number<double>();
      answer = std::move(execution);
      break;
    }
    case 1: {
      Refusal refusal;
      refusal.kind = in.enumerator(Refusal::Kind::kTimeout);
      refusal.reason = in.text();
      refusal.diagnostics = get_diagnostics(in);
      answer = std::move(refusal);
      break;
    }
    case 2: {
      Diagnostics all = get_diagnostics(in);
      if (all.empty()) throw WireError("an input error without a diagnostic");
      answer = std::move(all);
      break;
    }
    case 3:
      answer = WorkerFailure{in.text()};
      break;
    default:
      throw WireError("unknown kind of answer");
  }
  in.expect_end();
  return answer;
}

}  // namespace warplock::executor
