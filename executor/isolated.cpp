#include "executor/isolated.h"

#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "executor/messages.h"
#include "executor/subprocess.h"
#include "executor/wire.h"

namespace warplock::executor {
namespace {

/// A worker that starts slowly (a cold disk, a loaded machine) is not one that hangs on a kernel.
constexpr double kStartSeconds = 60;
/// Between the end of its output and its death a worker may still be writing a sanitizer's report.
constexpr double kDeathSeconds = 10;

class Isolated : public Executor {
 public:
  Isolated(std::vector<std::string> command, double timeout_seconds, uint64_t address_space_bytes)
      : timeout_seconds_(timeout_seconds) {
    options_.command = std::move(command);
    options_.address_space_bytes = address_space_bytes;
  }

  std::string name() const override {
    std::optional<Hello> hello = known();
    if (hello) return hello->name;
    return options_.command.empty() ? std::string() : options_.command.back();
  }
  std::string version() const override { return known().value_or(Hello{}).version; }
  std::string device() const override { return known().value_or(Hello{}).device; }
  Capabilities capabilities() const override { return known().value_or(Hello{}).capabilities; }

  Outcome run(const Program& program, const Launch& launch, trace::Level level) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::optional<Refusal> trouble = start();
    if (trouble) return *trouble;
    uint64_t id = ++last_id_;
    std::string request = encode_request(program, launch, level);
    if (request.size() > kMaxFrameBytes) {
      return refusal_of(Refusal::Kind::kUnsupported, "the launch is too large to be sent");
    }
    process_->send(encode_header({MessageType::kRequest, id, request.size()}));
    process_->send(std::move(request));
    trouble = receive(MessageType::kAnswer, id, deadline_after(timeout_seconds_));
    if (trouble) return *trouble;
    Answer answer;
    try {
      answer = decode_answer(message());
    } catch (const WireError& error) {
      return nonsense(error.what());
    }
    input_.clear();
    if (auto* execution = std::get_if<Execution>(&answer)) return std::move(*execution);
    if (auto* refusal = std::get_if<Refusal>(&answer)) return std::move(*refusal);
    if (auto* input = std::get_if<Diagnostics>(&answer)) {
      throw diagnostics::InputError(std::move(*input));
    }
    // Its own state after an unexpected exception is unknown; the next request gets a new worker.
    end();
    return refusal_of(Refusal::Kind::kError, std::get<WorkerFailure>(answer).reason);
  }

 private:
  static Refusal refusal_of(Refusal::Kind kind, std::string reason) {
    return Refusal{kind, std::move(reason), {}};
  }

  /// What the worker said about itself, started for that if need be.
  std::optional<Hello> known() const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!hello_) start();
    return hello_;
  }

  /// Makes sure that there is a live worker; the refusal says why there is none.
  std::optional<Refusal> start() const {
    if (process_ && !idle_and_alive()) end();
    if (process_) return std::nullopt;
    input_.clear();
    try {
      process_ = std::make_unique<Subprocess>(options_);
    } catch (const std::runtime_error& error) {
      return refusal_of(Refusal::Kind::kError, error.what());
    }
    std::optional<Refusal> trouble = receive(MessageType::kHello, 0, deadline_after(kStartSeconds));
    if (trouble) {
      trouble->reason = "at its start the worker " + trouble->reason;
      return trouble;
    }
    try {
      hello_ = decode_hello(message());
    } catch (const WireError& error) {
      return nonsense(error.what());
    }
    input_.clear();
    return std::nullopt;
  }

  /// False when the worker died, or said something unasked, since its last answer: that concerns no
  /// request, so a new one simply takes its place.
  bool idle_and_alive() const {
    return input_.empty() &&
           process_->receive(input_, deadline_after(0)) == Subprocess::Received::kTimeout;
  }

  void end() const { process_.reset(); }

  Refusal nonsense(const std::string& what) const {
    end();
    return refusal_of(Refusal::Kind::kError, "gave a broken answer: " + what);
  }

  Refusal crashed() const {
    ProcessEnd how = process_->stop(kDeathSeconds);
    std::string reason = describe(how);
    if (how.kind == ProcessEnd::Kind::kExited) reason += " without an answer";
    std::string tail = last_lines(process_->error_tail());
    if (!tail.empty()) reason += ": " + tail;
    end();
    return refusal_of(Refusal::Kind::kCrash, std::move(reason));
  }

  /// The message of the one frame in `input_`.
  std::string_view message() const { return std::string_view(input_).substr(kFrameHeaderBytes); }

  /// Fills `input_` with one whole frame of that type and id, and nothing else; or says what
  /// happened instead.
  std::optional<Refusal> receive(MessageType type, uint64_t id, Deadline deadline) const {
    try {
      for (;;) {
        std::optional<FrameHeader> header;
        if (!input_.empty()) header = decode_header(input_);
        if (header && (header->type != type || header->id != id)) {
          return nonsense("a frame that nobody asked for");
        }
        if (header && input_.size() - kFrameHeaderBytes > header->size) {
          return nonsense("more than one frame");
        }
        if (header && input_.size() - kFrameHeaderBytes == header->size) return std::nullopt;
        switch (process_->receive(input_, deadline)) {
          case Subprocess::Received::kData:
            break;
          case Subprocess::Received::kEnd:
            return crashed();
          case Subprocess::Received::kTimeout:
            end();
            return refusal_of(Refusal::Kind::kTimeout,
                              fmt::format("gave no answer within {} s", timeout_seconds_));
        }
      }
    } catch (const WireError& error) {
      return nonsense(error.what());
    }
  }

  SubprocessOptions options_;
  double timeout_seconds_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Subprocess> process_;
  mutable std::optional<Hello> hello_;
  mutable std::string input_;  ///< received and not yet used
  uint64_t last_id_ = 0;
};

}  // namespace

std::unique_ptr<Executor> isolate(std::vector<std::string> worker_command, double timeout_seconds,
                                  uint64_t address_space_bytes) {
  return std::make_unique<Isolated>(std::move(worker_command), timeout_seconds,
                                    address_space_bytes);
}

}  // namespace warplock::executor
