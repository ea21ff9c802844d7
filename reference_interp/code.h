#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/module.h"
#include "reference_interp/lanes.h"

/// The decoded program: one array of instructions for the whole module, each with its handler and
/// the places of its operands in a frame.
namespace warplock::reference_interp {

template <int W>
struct Step;
/// Executes one instruction for the lanes `Step::exec`.
template <int W>
using Handler = void (*)(Step<W>&);

/// Where an operand lies in a frame: `offset` bytes from its start is a row of W words (a
/// predicate: one mask word); `slot` is the index of its word of "initialised" bits. Registers,
/// immediates, special registers and addresses of variables are all rows, so handlers do not tell
/// them apart.
struct OperandRef {
  uint32_t offset = 0;
  uint32_t slot = 0;
};

/// How a row is laid out.
enum class RowKind : uint8_t { kPredicate, k32, k64 };
RowKind row_kind(ptx::Type type);

enum InstructionFlags : uint8_t {
  kGuarded = 1,
  kGuardNegated = 2,
  kControl = 4,     ///< the handler is called even when no lane is left, and may move lanes
  kPropagates = 8,  ///< copies "uninitialised" instead of reporting it (mov, selp)
  kReadsClock = 16,
};

template <int W>
struct DecodedInstruction {
  Handler<W> handler = nullptr;
  OperandRef d[4];
  OperandRef s[5];
  OperandRef guard;
  uint8_t flags = 0;
  uint8_t destinations = 0;
  uint8_t sources = 0;
  uint8_t negated = 0;  ///< bit k: source k is !p

  /// Memory instructions: the address is s[0] + address_offset.
  ptx::Space space = ptx::Space::kGeneric;
  bool wide_source = false;   ///< s[0] (an address, or the source of cvt) is a 64-bit row
  bool synchronises = false;  ///< volatile, relaxed, acquire, release: counts as an atomic access
  int64_t address_offset = 0;
  uint64_t register_mask = ~uint64_t{0};  ///< the width of the destination register, as a mask

  /// bra: index of the target; call: index of the callee; brx.idx: index into Code::tables.
  uint32_t target = 0;
  const ptx::Instruction* text = nullptr;
};

/// What messages and traces need to know of an instruction; not touched while executing.
struct InstructionInfo {
  const ptx::Instruction* text = nullptr;  ///< null for the implicit ret at the end of a body
  uint32_t function = 0;
  uint32_t id = 0;  ///< Instruction::id; for the implicit ret the one before it, or kNoIndex
  struct Destination {
    uint32_t name = ptx::kNoIndex;  ///< index into Trace::register_names; kNoIndex for `_`
    RowKind kind = RowKind::k32;
    uint8_t bytes = 4;
  };
  std::vector<Destination> destinations;
};

/// A constant row of a frame.
struct FrameConstant {
  OperandRef place;
  RowKind kind = RowKind::k32;
  uint64_t value = 0;
};
struct FrameSpecial {
  OperandRef place;
  RowKind kind = RowKind::k32;
  ptx::SpecialRegister special = ptx::SpecialRegister::kTidX;
};
/// The address of a local variable (or one that is a .param of a call): differs from call to call.
struct FrameLocalAddress {
  OperandRef place;
  RowKind kind = RowKind::k64;
  uint64_t offset = 0;  ///< in the function's local frame
};

/// A .local or .param variable of a function.
struct LocalVariable {
  uint32_t variable = 0;
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// One argument or return value of a call: from a row or local memory to a row or local memory.
struct Transfer {
  bool from_memory = false, to_memory = false;
  OperandRef from_row, to_row;
  uint32_t from_offset = 0, to_offset = 0;  ///< in the local frames
  RowKind kind = RowKind::k32;              ///< of the row(s)
  uint32_t bytes = 4;
};

struct FunctionCode {
  const ptx::Function* function = nullptr;
  uint32_t start = 0;  ///< index of the first instruction
  uint32_t end = 0;    ///< index of the implicit ret
  uint32_t registers = 0;
  uint32_t slots = 0;        ///< registers first, then the rest, which is always initialised
  uint32_t frame_bytes = 0;  ///< the "initialised" words, then the rows
  std::vector<FrameConstant> constants;
  std::vector<FrameSpecial> specials;
  std::vector<FrameLocalAddress> local_addresses;
  std::vector<LocalVariable> locals;
  uint32_t local_bytes = 0;
  uint32_t first_register_name = 0;
  std::vector<OperandRef> register_rows;
};

struct CallSite {
  uint32_t callee = 0;
  std::vector<Transfer> arguments;
  std::vector<Transfer> returns;
};

/// The addresses that decoding bakes into the code.
struct VariableAddresses {
  /// By variable: its address in its own state space; unused for local and .param variables.
  std::vector<uint64_t> address;
};

/// A planted fault that changes an instruction's result.
template <int W>
struct Distortion {
  Handler<W> handler = nullptr;  ///< the instruction's own
  std::function<uint64_t(uint64_t)> how;
};

template <int W>
struct Code {
  std::shared_ptr<const ptx::Module> module;
  std::vector<DecodedInstruction<W>> instructions;
  std::vector<InstructionInfo> info;
  std::vector<FunctionCode> functions;        ///< by module index; without body: end == start
  std::vector<std::vector<uint32_t>> tables;  ///< branch tables, as instruction indices
  std::map<uint32_t, CallSite> calls;         ///< by instruction index
  std::vector<std::string> register_names;
  std::map<uint32_t, Distortion<W>> distortions;  ///< planted faults, by instruction index
  std::vector<std::unique_ptr<ptx::Instruction>> replacements;
};

}  // namespace warplock::reference_interp
