#include "native_exec/lowering.h"

/// Operations that PTX defines where x86-64 would trap or differ.
namespace warplock::native_exec {
namespace {

using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

/// Division where x86-64 raises an exception: by zero, which PTX leaves open and NVIDIA's GPUs
/// answer with all bits set and the dividend as the remainder; and of the smallest number by -1,
/// which wraps.
void lower_division(Lowering& lowering, BinaryOperator& division) {
  const auto opcode = division.getOpcode();
  const bool is_signed = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  const bool is_quotient = opcode == Instruction::SDiv || opcode == Instruction::UDiv;
  Value* const dividend = division.getOperand(0);
  Value* const divisor = division.getOperand(1);
  llvm::Type* const type = division.getType();
  if (!type->isIntegerTy()) {
    lowering.refuse(division, "division of vectors");
    return;
  }
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(divisor);
  if (constant != nullptr && !constant->isZero() && !constant->isMinusOne()) return;

  IRBuilder<> builder(&division);
  llvm::Constant* const all_ones = llvm::ConstantInt::getAllOnesValue(type);
  Value* const zero = builder.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0));
  Value* harmful = zero;
  Value* answer = is_quotient ? static_cast<Value*>(all_ones) : dividend;
  if (is_signed) {
    harmful = builder.CreateOr(zero, builder.CreateICmpEQ(divisor, all_ones));
    Value* const by_minus_one =
        is_quotient ? builder.CreateNeg(dividend) : llvm::ConstantInt::get(type, 0);
    answer = builder.CreateSelect(zero, answer, by_minus_one);
  }
  division.setOperand(1, builder.CreateSelect(harmful, llvm::ConstantInt::get(type, 1), divisor));
  auto* const result =
      llvm::SelectInst::Create(harmful, answer, &division, "", division.getNextNode());
  division.replaceUsesWithIf(result, [result](llvm::Use& use) { return use.getUser() != result; });
}

/// Shifts by more than the width give 0 or the sign in PTX (ISA 9.7.8.8 and 9.7.8.9).
void lower_shift(BinaryOperator& shift) {
  llvm::Type* const type = shift.getType();
  Value* const amount = shift.getOperand(1);
  if (!type->isIntegerTy() || llvm::isa<llvm::ConstantInt>(amount)) return;
  const unsigned width = type->getIntegerBitWidth();
  IRBuilder<> builder(&shift);
  Value* const large = builder.CreateICmpUGE(amount, llvm::ConstantInt::get(type, width));
  if (shift.getOpcode() == Instruction::AShr) {
    shift.setOperand(1,
                     builder.CreateSelect(large, llvm::ConstantInt::get(type, width - 1), amount));
    return;
  }
  shift.setOperand(1, builder.CreateSelect(large, llvm::ConstantInt::get(type, 0), amount));
  auto* const result = llvm::SelectInst::Create(large, llvm::ConstantInt::get(type, 0), &shift, "",
                                                shift.getNextNode());
  shift.replaceUsesWithIf(result, [result](llvm::Use& use) { return use.getUser() != result; });
}

}  // namespace

void lower_arithmetic(Lowering& lowering, llvm::Function& function) {
  std::vector<BinaryOperator*> divisions, shifts;
  for (llvm::BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      auto* operation = llvm::dyn_cast<BinaryOperator>(&instruction);
      if (operation == nullptr) continue;
      switch (operation->getOpcode()) {
        case Instruction::SDiv:
        case Instruction::UDiv:
        case Instruction::SRem:
        case Instruction::URem:
          divisions.push_back(operation);
          break;
        case Instruction::Shl:
        case Instruction::LShr:
        case Instruction::AShr:
          shifts.push_back(operation);
          break;
        default:
          break;
      }
    }
  }
  for (BinaryOperator* division : divisions) lower_division(lowering, *division);
  for (BinaryOperator* shift : shifts) lower_shift(*shift);
}

}  // namespace warplock::native_exec
