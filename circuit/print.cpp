#include "circuit/print.h"

#include <set>

#include <fmt/format.h>

#include "circuit/rules.h"

namespace warplock::circuit {

namespace {

std::string operand_text(const MachineOperand& operand) {
  switch (operand.kind) {
    case MachineOperand::Kind::kRegister:
      return fmt::format("r{}", operand.value);
    case MachineOperand::Kind::kForward:
      return fmt::format("s{}", operand.value);
    case MachineOperand::Kind::kImmediate: {
      const auto value = static_cast<int32_t>(operand.value);
      return value > -65536 && value < 65536 ? fmt::format("{}", value)
                                             : fmt::format("{:#x}", operand.value);
    }
    case MachineOperand::Kind::kThread:
      return "thread";
  }
  return "?";
}

/// Which of the operands an operation reads.
bool reads_b(MachineOp op) {
  return op != MachineOp::kVoteAny && op != MachineOp::kVoteAll && op != MachineOp::kBallot &&
         op != MachineOp::kMatch;
}
bool reads_a(MachineOp op) {
  return reads_b(op) || op == MachineOp::kMatch;
}

std::string body(const MachineInstruction& i) {
  std::vector<std::string> operands;
  if (i.op == MachineOp::kLd || i.op == MachineOp::kSt) {
    operands.push_back(fmt::format("[{} + {}]", operand_text(i.a), operand_text(i.b)));
  } else {
    if (reads_a(i.op)) operands.push_back(operand_text(i.a));
    if (reads_b(i.op)) operands.push_back(operand_text(i.b));
  }
  if (i.op == MachineOp::kMad || i.op == MachineOp::kSt) operands.push_back(operand_text(i.c));
  const std::string predicate = i.predicate_slot     ? fmt::format("p{}", *i.predicate_slot)
                                : i.predicate_from_c ? operand_text(i.c)
                                                     : "";
  if (!predicate.empty() && !i.guarded) operands.push_back(predicate + "?");
  std::string text = fmt::format("{:<9} {}", spelling(i.op), fmt::join(operands, ", "));
  if (i.guarded) {
    text += fmt::format(" {} {}", i.guard_negated ? "unless" : "if", predicate);
    if (i.op != MachineOp::kSt) text += fmt::format(" else {}", operand_text(i.c));
  }
  return text;
}

std::string target_text(uint32_t target) {
  return target == kExit ? "exit" : fmt::format("block {}", target);
}

std::string next_text(const MachineBlock& block) {
  std::string text = "-> ";
  if (block.branch_slot) {
    text += fmt::format("{} {}p{}, else {}", target_text(block.taken),
                        block.branch_negated ? "unless " : "if ", *block.branch_slot,
                        target_text(block.not_taken));
  } else {
    text += target_text(block.taken);
  }
  if (block.barrier) text += ", after a barrier";
  return text;
}

struct PtxLine {
  uint32_t line = 0;
  std::string text;
};

std::vector<PtxLine> ptx_lines(const ptx::Module& module) {
  std::vector<PtxLine> lines(module.instruction_count);
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& i : function.body) {
      lines[i.id] = {i.position.line, ptx::to_text(module, function, i)};
    }
  }
  return lines;
}

}  // namespace

std::string to_text(const MachineInstruction& instruction, uint32_t slot) {
  std::string text = fmt::format("s{}  {}", slot, body(instruction));
  if (instruction.destination) text += fmt::format(" -> r{}", *instruction.destination);
  return text;
}

std::string to_text(const Lowered& lowered, const ptx::Module& module) {
  const std::vector<PtxLine> lines = ptx_lines(module);
  const MachineProgram& program = lowered.program;
  std::string out =
      fmt::format("{} of {} blocks, {} of {} words of memory\n", program.blocks.size(),
                  program.spec.blocks, lowered.layout.words, program.spec.words());
  for (const Layout::Object& object : lowered.layout.objects) {
    out += fmt::format("  {:<24} {} bytes at {}\n", object.name, object.size, object.base);
  }
  if (lowered.layout.local_bytes != 0) {
    out += fmt::format("  {:<24} {} bytes for each thread at {}\n", "local",
                       lowered.layout.local_bytes, lowered.layout.local_base);
  }
  for (uint32_t b = 0; b < program.blocks.size(); ++b) {
    const MachineBlock& block = program.blocks[b];
    out += fmt::format("\nblock {}{}\n", b, block.serial ? ", one lane at a time" : "");
    for (uint32_t slot = 0; slot < block.slots.size(); ++slot) {
      if (!block.slots[slot]) continue;
      const MachineInstruction& i = *block.slots[slot];
      std::string line = "  " + to_text(i, slot);
      if (i.ptx < lines.size()) {
        line = fmt::format("{:<48} ; {}: {}", line, lines[i.ptx].line, lines[i.ptx].text);
      }
      out += line + "\n";
    }
    out += "  " + next_text(block) + "\n";
  }
  return out;
}

}  // namespace warplock::circuit
