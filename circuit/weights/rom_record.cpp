#include "circuit/weights/machine/machine.h"
#include "circuit/weights/protocol.h"

/// The bits of a ROM record, in the order of Machine::rom_bits.
namespace warplock::weights {
namespace {

using circuit::MachineInstruction;
using circuit::MachineOperand;
using circuit::MachineProgram;

class Bits {
 public:
  void put(uint32_t value, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) bits_.push_back(((value >> i) & 1) != 0);
  }
  void one_hot(std::optional<uint32_t> chosen, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) bits_.push_back(chosen == i);
  }
  std::vector<bool>& all() { return bits_; }

 private:
  std::vector<bool> bits_;
};

std::optional<uint32_t> forwarded(const MachineOperand& operand) {
  if (operand.kind != MachineOperand::Kind::kForward) return std::nullopt;
  return operand.value;
}

void put_instruction(const std::optional<MachineInstruction>& slot, const Sizes& sizes,
                     uint32_t last_slot, Bits& bits) {
  MachineInstruction none;
  const MachineInstruction& i = slot ? *slot : none;
  bool immediate = i.b.kind == MachineOperand::Kind::kImmediate;
  bits.put(immediate ? i.b.value : 0, kWordBits);
  for (const MachineOperand* operand : {&i.a, &i.b, &i.c}) {
    bool reg = operand->kind == MachineOperand::Kind::kRegister;
    bits.put(reg ? operand->value : 0, sizes.register_bits);
  }
  for (const MachineOperand* operand : {&i.a, &i.b, &i.c}) {
    bits.one_hot(forwarded(*operand), last_slot);
  }
  bits.put(immediate, 1);
  bits.put(i.a.kind == MachineOperand::Kind::kThread, 1);
  bits.one_hot(i.predicate_slot, last_slot);
  bits.put(i.predicate_from_c, 1);
  bits.put(i.guarded, 1);
  bits.put(i.guard_negated, 1);
  std::optional<uint32_t> op;
  if (slot) op = static_cast<uint32_t>(i.op);
  bits.one_hot(op, circuit::kMachineOps);
  bits.put(i.destination.value_or(0), sizes.register_bits);
  bits.put(i.destination.has_value(), 1);
}

/// Block, exit, serial.
uint32_t target_bits(const MachineProgram& program, uint32_t target, const Sizes& sizes) {
  if (target == circuit::kExit) return 1u << sizes.block_bits;
  bool serial = program.blocks.at(target).serial;
  return target | (serial ? 2u << sizes.block_bits : 0);
}

}  // namespace

std::vector<uint8_t> rom_record(const MachineProgram& program, uint32_t block, uint32_t slot) {
  const circuit::MachineBlock& b = program.blocks.at(block);
  Sizes sizes(program.spec);
  Bits record, shared;
  put_instruction(b.slots.at(slot), sizes, program.spec.slots - 1, record);
  record.put(b.branch_slot == slot, 1);
  // Said once a block, and spread over its slots. Without a branch slot, not_taken is what happens.
  shared.put(target_bits(program, b.taken, sizes), sizes.target_bits);
  shared.put(target_bits(program, b.branch_slot ? b.not_taken : b.taken, sizes), sizes.target_bits);
  shared.put(b.branch_negated && b.branch_slot, 1);
  shared.put(b.barrier, 1);
  size_t each = (shared.all().size() + program.spec.slots - 1) / program.spec.slots;
  size_t start = std::min(shared.all().size(), slot * each);
  size_t end = std::min(shared.all().size(), start + each);
  std::vector<bool>& bits = record.all();
  bits.insert(bits.end(), shared.all().begin() + start, shared.all().begin() + end);
  std::vector<uint8_t> bytes((bits.size() + 7) / 8);
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
  return bytes;
}

}  // namespace warplock::weights
