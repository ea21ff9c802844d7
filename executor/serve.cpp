#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <new>

#include <fmt/format.h>

#include "executor/isolated.h"
#include "executor/messages.h"
#include "executor/wire.h"
#include "ptx/parse.h"

namespace warplock::executor {
namespace {

constexpr size_t kKeptModules = 16;

/// False at the end of the file, or when it cannot be read.
bool read_exactly(int fd, std::string& bytes, size_t size) {
  // Grows with what really comes, whatever length was claimed.
  constexpr size_t kStep = size_t{1} << 20;
  bytes.clear();
  while (bytes.size() < size) {
    size_t have = bytes.size();
    bytes.resize(have + std::min(kStep, size - have));
    ssize_t got = read(fd, bytes.data() + have, bytes.size() - have);
    bytes.resize(have + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
  }
  return true;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool write_frame(int fd, MessageType type, uint64_t id, const std::string& message) {
  return write_all(fd, encode_header({type, id, message.size()})) && write_all(fd, message);
}

class Server {
 public:
  explicit Server(Executor& executor) : executor_(executor) {}

  /// The encoded answer to a request, whatever happens in the executor.
  std::string answer(std::string_view message) {
    try {
      std::string bytes = encode(run(message));
      if (bytes.size() <= kMaxFrameBytes) return bytes;
      return encode(Answer(Refusal{Refusal::Kind::kUnsupported,
                                   fmt::format("its trace has {} bytes, more than the limit of {}",
                                               bytes.size(), kMaxFrameBytes),
                                   {}}));
    } catch (const diagnostics::InputError& error) {
      return encode(Answer(error.diagnostics()));
    } catch (const std::bad_alloc&) {
      return encode(Answer(WorkerFailure{"out of memory"}));
    } catch (const std::exception& error) {
      return encode(Answer(WorkerFailure{error.what()}));
    }
  }

 private:
  Answer run(std::string_view message) {
    Request request = decode_request(message);
    Program program;
    program.ptx_path = request.ptx_path;
    program.cuda_path = request.cuda_path;
    program.digest = request.ptx_digest;
    program.module = module(request);
    Outcome outcome = executor_.run(program, request.launch, request.level);
    if (auto* execution = std::get_if<Execution>(&outcome)) return std::move(*execution);
    return std::move(std::get<Refusal>(outcome));
  }

  struct Kept {
    std::string name, text;
    std::shared_ptr<const ptx::Module> module;
  };

  /// One program usually runs on many inputs in a row. Kept by text, not by digest: the digest is
  /// the caller's word only.
  std::shared_ptr<const ptx::Module> module(Request& request) {
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
      if (kept->text == request.ptx_text && kept->name == request.ptx_name) {
        kept_.splice(kept_.begin(), kept_, kept);
        return kept_.front().module;
      }
    }
    auto source =
        std::make_shared<const diagnostics::SourceText>(request.ptx_name, request.ptx_text);
    std::shared_ptr<const ptx::Module> parsed = ptx::parse(source);
    kept_.push_front({std::move(request.ptx_name), std::move(request.ptx_text), parsed});
    if (kept_.size() > kKeptModules) kept_.pop_back();
    return parsed;
  }

  Executor& executor_;
  std::list<Kept> kept_;
};

/// The pipes under numbers that no library writes to: a stray printf must not land in a frame.
void hide_standard_streams(int& in_fd, int& out_fd) {
  if (in_fd == STDIN_FILENO) {
    in_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    if (null > STDERR_FILENO) close(null);
  }
  if (out_fd == STDOUT_FILENO) {
    out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
}

}  // namespace

int serve(Executor& executor, int in_fd, int out_fd) {
  constexpr int kDone = 0, kFailed = 1;
  hide_standard_streams(in_fd, out_fd);
  signal(SIGPIPE, SIG_IGN);  // a write that fails says so
  Hello hello{executor.name(), executor.version(), executor.device(), executor.capabilities()};
  if (!write_frame(out_fd, MessageType::kHello, 0, encode(hello))) return kFailed;
  Server server(executor);
  std::string header_bytes, message;
  try {
    while (read_exactly(in_fd, header_bytes, kFrameHeaderBytes)) {
      std::optional<FrameHeader> header = decode_header(header_bytes);
      if (!header || header->type != MessageType::kRequest) return kFailed;
      if (!read_exactly(in_fd, message, header->size)) return kFailed;
      if (!write_frame(out_fd, MessageType::kAnswer, header->id, server.answer(message))) {
        return kFailed;
      }
    }
  } catch (const WireError&) {
    return kFailed;
  }
  return header_bytes.empty() ? kDone : kFailed;
}

}  // namespace warplock::executor
