#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "executor/launch.h"
#include "ptx/module.h"
#include "trace/event.h"

/// The boundary that all executors share: a program, a launch, and what comes back.
namespace warplock::executor {

/// A kernel to run. There is always PTX; the CUDA C it came from is there when the user gave it.
struct Program {
  std::shared_ptr<const ptx::Module> module;
  std::string ptx_path;                  ///< a file that holds the PTX text
  std::optional<std::string> cuda_path;  ///< a file that holds the CUDA C text
  std::string digest;                    ///< hexadecimal digest of the PTX text
};

/// What a completed run leaves.
struct Execution {
  /// Final contents of every buffer argument, in argument order.
  std::vector<std::pair<std::string, std::vector<uint32_t>>> outputs;
  trace::Trace trace;
  uint64_t steps = 0;  ///< thread-instructions executed
  double seconds = 0;  ///< of execution alone, without compilation
};

/// Why there is no execution.
struct Refusal {
  enum class Kind {
    kUnsupported,  ///< the executor cannot run this program or launch; says what is missing
    kFault,        ///< the program is wrong: out of bounds, race, deadlock, ...; has diagnostics
    kError,        ///< the executor answered that it failed, or answered nonsense
    kCrash,        ///< the executor died
    kTimeout,      ///< the executor did not answer in time
  };
  Kind kind = Kind::kUnsupported;
  std::string reason;
  std::vector<diagnostics::Diagnostic> diagnostics;
};

using Outcome = std::variant<Execution, Refusal>;

struct Capabilities {
  bool width4 = true;
  bool width32 = true;
  trace::Level max_level = trace::Level::kRegisters;
  bool needs_cuda = false;  ///< runs the CUDA C source rather than the PTX
};

/// One way to run a kernel. Implementations may crash or hang: callers that must survive it wrap
/// them in `Isolated`. `run` throws `InputError` only for input that no executor could accept (an
/// entry that does not exist, arguments that do not fit the parameters).
class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual std::string device() const { return {}; }
  virtual Capabilities capabilities() const { return {}; }
  virtual Outcome run(const Program& program, const Launch& launch, trace::Level level) = 0;
};

}  // namespace warplock::executor
