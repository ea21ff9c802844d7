#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The machine: its parameters, its instructions, and programs made of blocks. One token executes
/// one block of up to `slots` dependent instructions for one warp.
namespace warplock::circuit {

/// Everything that can be chosen about a machine. The defaults are the machine that ships.
struct MachineSpec {
  uint32_t lanes = 4;          ///< lanes of a warp; 4 is the only number the circuits are built for
  uint32_t warps = 8;          ///< warps of a CTA: 1, 2, 4 or 8
  uint32_t registers = 16;     ///< registers of a lane, r0 reads zero: 2, 4, 8 or 16
  uint32_t blocks = 32;        ///< blocks of the program: 1 to 32
  uint32_t slots = 4;          ///< instructions of a block: 1 to 4; a store stands in the last slot
  uint32_t memory_rows = 127;  ///< rows of the four memory banks: 2 to 127; words = 4 * rows
  uint32_t max_ctas_x = 256, max_ctas_y = 256;
  uint32_t words() const { return 4 * memory_rows; }
  friend bool operator==(const MachineSpec&, const MachineSpec&) = default;
};
/// Throws std::invalid_argument, naming the field, when there is no such machine.
void validate(const MachineSpec& spec);
/// The two words in which the machine itself keeps the CTA's number (x and y), by word address.
inline uint32_t ctaid_x_word(const MachineSpec& spec) {
  return 4 * (spec.memory_rows - 2);
}
inline uint32_t ctaid_y_word(const MachineSpec& spec) {
  return ctaid_x_word(spec) + 1;
}

/// Machine operations on 32-bit words, a lane at a time unless said otherwise. a, b, c are the
/// operands, p the predicate operand.
enum class MachineOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kMad,  ///< a + b, a - b, low 32 bits of a * b, and of a * b + c
  kAnd,
  kOr,
  kXor,
  kSel,  ///< p ? a : b
  kShl,
  kShrU,
  kShrS,  ///< amounts from 32 on shift everything out, as in PTX
  kLtU,
  kLtS,
  kEq,  ///< 0 or 1, as result and as predicate
  kMinU,
  kMaxU,
  kMinS,
  kMaxS,
  kLd,  ///< the word at byte address a + b, of which bits 2 to 10 count: bank 2-3, row 4-10
  kSt,  ///< stores c at byte address a + b, likewise; last slot only
  kShflIdx,
  kShflUp,
  kShflDown,
  kShflXor,  ///< a of lane b, l-b, l+b, l^b (b mod 4); own a when outside
  kVoteAny,
  kVoteAll,  ///< over the executing lanes' p: result and predicate
  kBallot,   ///< mask of executing lanes whose p holds
  kMatch,    ///< mask of executing lanes whose a equals this lane's
};
constexpr uint32_t kMachineOps = 28;
std::string_view spelling(MachineOp op);  ///< "add", "shr.s", ...

/// An address whose row is `memory_rows` or above reads 0; a store there is a fault of the program
/// (Emulator::store_out_of_range), after which memory means nothing.

/// Where an operand comes from.
struct MachineOperand {
  enum class Kind : uint8_t {
    kRegister,   ///< `value` is the register, 0 = zero
    kForward,    ///< the result of slot `value`, an earlier one of the same block
    kImmediate,  ///< `value`; operand b only
    kThread,     ///< 4 * warp + lane; operand a only
  };
  Kind kind = Kind::kRegister;
  uint32_t value = 0;
  friend bool operator==(const MachineOperand&, const MachineOperand&) = default;
};

struct MachineInstruction {
  MachineOp op = MachineOp::kAdd;
  MachineOperand a, b, c;
  /// The predicate operand: of an earlier slot's comparison or vote, or bit 0 of operand c (not for
  /// mad, st); not both. Without either it is false.
  std::optional<uint8_t> predicate_slot;
  bool predicate_from_c = false;
  /// With a guard: lanes whose predicate (negated by `guard_negated`) fails keep operand c as the
  /// result, and a store does not happen. Not for mul and mad.
  bool guarded = false, guard_negated = false;
  std::optional<uint8_t> destination;  ///< register 1 and up; written by the executing lanes
  uint32_t ptx = 0xffffffff;           ///< id of the PTX instruction it came from
  uint32_t rule = 0;                   ///< number of the lowering rule that made it
  friend bool operator==(const MachineInstruction&, const MachineInstruction&) = default;
};

constexpr uint32_t kExit = 0xffffffff;  ///< a block target: the lane exits

struct MachineBlock {
  /// Fixed places: an empty slot does nothing. Size is MachineSpec::slots.
  std::vector<std::optional<MachineInstruction>> slots;
  uint32_t taken = kExit, not_taken = kExit;  ///< next block of a lane
  /// The slot whose predicate decides; none: always `taken`. `branch_negated` swaps.
  std::optional<uint8_t> branch_slot;
  bool branch_negated = false;
  bool barrier =
      false;            ///< the lanes wait for all lanes of the CTA after this block; must not exit
  bool serial = false;  ///< entered by one lane at a time, the lowest first; not for block 0
  friend bool operator==(const MachineBlock&, const MachineBlock&) = default;
};

/// A register that does not start at zero.
struct InitialRegister {
  uint32_t warp = 0, reg = 1;
  std::array<uint32_t, 4> lanes{};
  friend bool operator==(const InitialRegister&, const InitialRegister&) = default;
};

/// A program with its launch: what the prompt says.
struct MachineProgram {
  MachineSpec spec;
  std::vector<MachineBlock> blocks;        ///< execution starts at block 0
  std::vector<uint32_t> memory;            ///< initial words; the rest is zero
  std::vector<InitialRegister> registers;  ///< for tests of circuits; kernels need none
  std::vector<uint8_t> warp_lanes;         ///< lane mask of each warp that exists; 0 = no such warp
  uint32_t ctas_x = 1, ctas_y = 1;
};

/// Throws std::invalid_argument, naming block and slot, when a program is not one that `spec`
/// allows.
void validate(const MachineProgram& program);

}  // namespace warplock::circuit
