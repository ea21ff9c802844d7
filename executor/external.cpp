#include "executor/external.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "executor/external_answer.h"
#include "executor/subprocess.h"
#include "trace/spelling.h"

namespace warplock::executor {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 20;
constexpr const char* kBlank = " \t\r\n";
/// Between the end of its output and its death, so that its exit status can be told.
constexpr double kDeathSeconds = 5;

class External : public Executor {
 public:
  explicit External(ExternalDefinition definition) : definition_(std::move(definition)) {
    options_.command = definition_.command;
  }

  std::string name() const override { return "external:" + definition_.name; }
  std::string version() const override { return {}; }
  Capabilities capabilities() const override {
    return {has_width(4), has_width(32), definition_.max_level, false};
  }

  Outcome run(const Program& program, const Launch& launch, trace::Level level) override {
    if (!has_width(launch.warp_width)) {
      return refusal_of(Refusal::Kind::kUnsupported,
                        fmt::format("runs no warps of {} lanes", launch.warp_width));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    ExternalRequest request{program, launch, std::min(level, definition_.max_level), name()};
    uint64_t id = ++last_id_;
    std::string line = request_line(id, request);
    if (line.size() > kMaxLineBytes) {
      return refusal_of(Refusal::Kind::kUnsupported, "the launch is too large for one line");
    }
    if (std::optional<Refusal> trouble = ready()) return *trouble;
    process_->send(line);
    Deadline deadline = deadline_after(definition_.timeout_seconds);
    std::optional<Outcome> outcome = receive(id, request, deadline);
    if (outcome) return std::move(*outcome);
    // What came belongs to an earlier request, which has its answer: not this one's fault.
    if (std::optional<Refusal> trouble = ready()) return *trouble;
    process_->send(std::move(line));
    deadline = deadline_after(definition_.timeout_seconds);
    outcome = receive(id, request, deadline);
    if (outcome) return std::move(*outcome);
    return broken("answered a request that it was not sent");
  }

 private:
  static Refusal refusal_of(Refusal::Kind kind, std::string reason) {
    return Refusal{kind, std::move(reason), {}};
  }

  bool has_width(uint32_t width) const {
    const auto& widths = definition_.warp_widths;
    return std::find(widths.begin(), widths.end(), width) != widths.end();
  }

  static std::string request_line(uint64_t id, const ExternalRequest& request) {
    std::error_code error;
    std::string path = std::filesystem::absolute(request.program.ptx_path, error).string();
    std::string quoted =
        nlohmann::json(path).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return fmt::format("{{\"id\": {}, \"ptx\": {}, \"launch\": {}, \"trace\": \"{}\"}}\n", id,
                       quoted, to_json_line(request.launch), trace::spelling(request.level));
  }

  /// Makes sure that there is a process which has said nothing unasked.
  std::optional<Refusal> ready() {
    if (process_ &&
        (input_.find_first_not_of(kBlank) != std::string::npos ||
         process_->receive(input_, deadline_after(0)) != Subprocess::Received::kTimeout)) {
      process_.reset();
    }
    if (process_) return std::nullopt;
    input_.clear();
    try {
      process_ = std::make_unique<Subprocess>(options_);
    } catch (const std::runtime_error& error) {
      return refusal_of(Refusal::Kind::kError, error.what());
    }
    return std::nullopt;
  }

  Refusal broken(std::string reason) {
    process_.reset();
    return refusal_of(Refusal::Kind::kError, std::move(reason));
  }

  Refusal crashed() {
    std::string reason = describe(process_->stop(kDeathSeconds)) + " without an answer";
    std::string tail = last_lines(process_->error_tail());
    if (!tail.empty()) reason += ": " + tail;
    process_.reset();
    return refusal_of(Refusal::Kind::kCrash, std::move(reason));
  }

  /// The next line that is not blank, or what came instead.
  std::optional<Refusal> next_line(std::string& line, Deadline deadline) {
    size_t searched = 0;
    for (;;) {
      size_t end = input_.find('\n', searched);
      if (end != std::string::npos) {
        line = input_.substr(0, end);
        input_.erase(0, end + 1);
        searched = 0;
        if (line.find_first_not_of(kBlank) != std::string::npos) return std::nullopt;
        continue;
      }
      searched = input_.size();
      if (searched > kMaxLineBytes) {
        return broken(fmt::format("wrote a line of more than {} bytes", kMaxLineBytes));
      }
      switch (process_->receive(input_, deadline)) {
        case Subprocess::Received::kData:
          break;
        case Subprocess::Received::kEnd:
          return crashed();
        case Subprocess::Received::kTimeout:
          process_.reset();
          return refusal_of(Refusal::Kind::kTimeout,
                            fmt::format("gave no answer within {} s", definition_.timeout_seconds));
      }
    }
  }

  /// The outcome of the request; nothing when the process answers an earlier one again.
  std::optional<Outcome> receive(uint64_t id, const ExternalRequest& request, Deadline deadline) {
    std::string line;
    if (std::optional<Refusal> trouble = next_line(line, deadline)) return *trouble;
    ExternalAnswer answer;
    try {
      answer = parse_answer(std::move(line), id, request);
    } catch (const diagnostics::InputError& error) {
      const diagnostics::Diagnostic& d = error.diagnostics().front();
      return broken(
          fmt::format("gave a broken answer: {} (column {})", d.message, d.position.column));
    }
    if (answer.id != id) {
      bool earlier = answer.id > 0 && answer.id < id;
      if (!earlier)
        return broken(fmt::format("answered request {}, which there is not", answer.id));
      process_.reset();
      return std::nullopt;
    }
    // A second answer often comes in the same breath.
    process_->receive(input_, deadline_after(0));
    if (input_.find_first_not_of(kBlank) != std::string::npos) {
      return broken("wrote more than one answer to one request");
    }
    return std::move(answer.outcome);
  }

  ExternalDefinition definition_;
  SubprocessOptions options_;
  std::mutex mutex_;
  std::unique_ptr<Subprocess> process_;
  std::string input_;  ///< received and not yet used
  uint64_t last_id_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_external(const ExternalDefinition& definition) {
  return std::make_unique<External>(definition);
}

}  // namespace warplock::executor
