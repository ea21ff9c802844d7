#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "native_exec/image.h"

/// Turns the LLVM IR that clang makes PTX from into IR for this machine: every access to memory is
/// announced to a hook, everything only a GPU has becomes a call, variables get fixed addresses.
/// Nothing is optimised before, so that the memory accesses are the very ones of the PTX.
namespace warplock::native_exec {

class Lowering {
 public:
  Lowering(llvm::Module& module, Image& image);
  void run();

  // For the functions below.
  llvm::Module& module() { return module_; }
  Image& image() { return image_; }
  llvm::LLVMContext& context() { return module_.getContext(); }
  llvm::FunctionCallee hook(const std::string& name);
  /// Calls a hook; integers are extended with zeros or cut to its parameters, pointers come from
  /// any address space.
  llvm::CallInst* call(llvm::IRBuilder<>& builder, const std::string& hook,
                       const std::vector<llvm::Value*>& arguments);
  /// A new site at the instruction's line, as an i32 constant.
  llvm::ConstantInt* site(const llvm::Instruction& instruction, const std::string& text);
  llvm::ConstantInt* site(const llvm::Instruction& instruction, Site site);
  /// Replaces the instruction with a refusal at run time, for the one `reason`.
  void refuse(llvm::Instruction& instruction, const std::string& reason);

 private:
  llvm::Module& module_;
  Image& image_;
};

/// A line of the CUDA C source: the innermost one, as .loc has it; 0 = unknown.
uint32_t line_of(const llvm::Instruction& instruction);

// Each does one part, in this order.
void lower_intrinsics(Lowering& lowering, llvm::Function& function);
void lower_arithmetic(Lowering& lowering, llvm::Function& function);
void instrument_memory(Lowering& lowering, llvm::Function& function);
void instrument_control(Lowering& lowering, llvm::Function& function);
void lower_variables(Lowering& lowering);
void lower_entries(Lowering& lowering, const std::vector<llvm::Function*>& entries);

}  // namespace warplock::native_exec
