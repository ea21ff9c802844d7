#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>

#include <algorithm>
#include <set>

#include "native_exec/lowering.h"

/// Counts steps, so that a kernel that never ends is stopped, and watches calls, so that recursion
/// without end is.
namespace warplock::native_exec {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

/// Bytes of a function's own variables. One that cannot be known is of no size here: only
/// variable-length arrays are, which CUDA C has not.
uint64_t frame_bytes(const llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  uint64_t bytes = 0;
  for (const BasicBlock& block : function) {
    for (const Instruction& instruction : block) {
      const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (variable == nullptr) continue;
      const auto size = variable->getAllocationSize(layout);
      if (size) bytes += size->getFixedValue();
    }
  }
  return bytes;
}

bool is_announcement(const llvm::Function& callee) {
  for (const char* name :
       {"warplock_load", "warplock_before_store", "warplock_after_store", "warplock_local"}) {
    if (callee.getName() == name) return true;
  }
  return false;
}

}  // namespace

void instrument_control(Lowering& lowering, llvm::Function& function) {
  Image& image = lowering.image();
  image.stack_bytes = std::max(image.stack_bytes, frame_bytes(function));

  llvm::SmallVector<std::pair<const BasicBlock*, const BasicBlock*>> edges;
  llvm::FindFunctionBackedges(function, edges);
  std::set<const BasicBlock*> before_back_edge;
  for (const auto& edge : edges) before_back_edge.insert(edge.first);

  llvm::Type* const counter_type = llvm::Type::getInt64Ty(lowering.context());
  Value* const counter = llvm::ConstantExpr::getIntToPtr(
      llvm::ConstantInt::get(counter_type, reinterpret_cast<uint64_t>(&image.counters->steps)),
      llvm::PointerType::getUnqual(lowering.context()));

  for (BasicBlock& block : function) {
    uint64_t steps = 0;
    std::vector<llvm::CallInst*> calls;
    std::vector<Instruction*> ends;
    for (Instruction& instruction : block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (callee == nullptr || !callee->isDeclaration()) calls.push_back(call);
        // An access and its announcement are one step.
        if (callee != nullptr && is_announcement(*callee)) continue;
      }
      ++steps;
      if (llvm::isa<llvm::UnreachableInst>(instruction)) ends.push_back(&instruction);
    }
    IRBuilder<> builder(&*block.getFirstInsertionPt());
    builder.CreateStore(
        builder.CreateAdd(builder.CreateLoad(counter_type, counter), builder.getInt64(steps)),
        counter);
    if (before_back_edge.count(&block) != 0) {
      builder.SetInsertPoint(block.getTerminator());
      lowering.call(builder, "warplock_back_edge",
                    {lowering.site(*block.getTerminator(), "back edge")});
    }
    for (llvm::CallInst* call : calls) {
      builder.SetInsertPoint(call);
      const llvm::Function* callee = call->getCalledFunction();
      const uint64_t bytes = callee != nullptr ? frame_bytes(*callee) : 0;
      lowering.call(builder, "warplock_call",
                    {builder.getInt64(bytes), lowering.site(*call, "call")});
    }
    for (Instruction* end : ends) {
      builder.SetInsertPoint(end);
      lowering.call(builder, "warplock_unreachable", {lowering.site(*end, "unreachable")});
    }
  }
}

}  // namespace warplock::native_exec
