#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What an execution leaves behind. Every executor produces the same events, in PTX terms, so that
/// any two of them compare.
namespace warplock::trace {

/// How much an execution records. `kMemory` has memory and control events, `kRegisters` everything.
enum class Level : uint8_t { kOff, kMemory, kRegisters };

enum class EventKind : uint8_t {
  kRegister,  ///< a destination register was written
  kLoad,      ///< ld, ldu
  kStore,     ///< st
  kAtomic,    ///< atom, red: `value` is the operand that was applied, `old` what was there
  kBranch,    ///< bra and brx.idx: `value` is 1 + the target's instruction index, 0 = not taken
  kBarrierArrive,   ///< `value` is the barrier's number
  kBarrierRelease,  ///< the thread goes on past the barrier; `value` is the barrier's number
  kExit,            ///< ret from the kernel, exit, or the end of the body
};

enum class Space : uint8_t { kNone, kGlobal, kShared, kLocal };

/// One event. A vector access is one event per element; a value wider than 64 bits is two.
/// Fixed size and plain data on purpose: an interpreter writes millions of them a second.
struct Event {
  uint32_t cta = 0;          ///< linear CTA id: x + nx * (y + ny * z)
  uint32_t thread = 0;       ///< linear thread id in the CTA
  uint32_t instruction = 0;  ///< index into `Trace::instructions`
  uint32_t occurrence = 0;   ///< how often this thread has executed this instruction before
  EventKind kind = EventKind::kRegister;
  Space space = Space::kNone;
  uint8_t width = 0;    ///< bytes of the value (a predicate has 1)
  uint8_t element = 0;  ///< which destination of the instruction, or element of the vector
  uint32_t object = 0;  ///< memory: index into `Trace::objects`; register: into `register_names`
  uint64_t offset = 0;  ///< memory: byte offset in the object
  uint64_t value = 0;   ///< the low `width` bytes count
  uint64_t old = 0;     ///< atomics only
  friend bool operator==(const Event&, const Event&) = default;
};

constexpr uint32_t kNoPtxIndex = 0xffffffff;

/// The static instruction an event belongs to.
struct Instruction {
  uint32_t ptx_index = kNoPtxIndex;  ///< position in the module, kNoPtxIndex when not a PTX one
  uint32_t ptx_line = 0;             ///< 0 = unknown
  uint32_t cuda_line = 0;            ///< line in the CUDA C source, 0 = unknown
  std::string text;                  ///< the instruction as PTX spells it, or as the executor does
  /// The executor has no register events of it: it was folded into others or left out. What it
  /// computed shows in the events of those that use it.
  bool elided = false;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// A buffer argument, a module variable or dynamic shared memory: what addresses are relative to.
/// Every executor lists global buffers in argument order, then module variables by name.
struct Object {
  std::string name;  ///< argument label, variable name, or "dynamic shared"
  Space space = Space::kNone;
  uint64_t base = 0;  ///< the address that this executor gave it
  uint64_t size = 0;  ///< bytes
  /// Any value in [base - reach, base + size + reach) can only be a pointer derived from this
  /// object.
  uint64_t reach = 0;
  friend bool operator==(const Object&, const Object&) = default;
};

struct Trace {
  std::string executor;  ///< name, for example "reference"
  std::string executor_version;
  std::string device;          ///< empty where there is none
  std::string kernel;          ///< the entry
  std::string launch_digest;   ///< equal for traces of the same launch
  std::string program_digest;  ///< digest of the PTX text (of the CUDA text where there is no PTX)
  std::string ptx_file;        ///< for messages; may be empty
  std::string cuda_file;       ///< for messages; may be empty
  Level level = Level::kOff;
  uint32_t warp_width = 0;
  std::vector<Instruction> instructions;
  std::vector<std::string> register_names;
  std::vector<Object> objects;
  std::vector<Event> events;  ///< in the order in which the executor performed them
};

}  // namespace warplock::trace
