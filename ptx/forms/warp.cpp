#include <utility>

#include "ptx/check_context.h"
#include "ptx/forms.h"

/// Exchange between the lanes of a warp (PTX ISA 9.7.9.5, 9.7.9.6 and 9.7.13).
namespace warplock::ptx {
namespace {

/// sm_70 and later have independent threads, and since PTX 6.4 no shfl and vote without .sync.
void check_without_sync(CheckContext& context) {
  const Module& module = context.module();
  bool new_version = std::pair(module.version_major, module.version_minor) >= std::pair(6u, 4u);
  bool new_target = module.target.size() > 5 || module.target >= "sm_70";
  if (new_version && new_target) context.fail("illegal modifier", "lacks .sync");
}

constexpr Form kForms[] = {
    {Opcode::kShfl, "shfl flag:sync shuffle:up|down|bfly|idx type:b32",
     "=t ?|pred:_ t u32 u32 u32"},
    {Opcode::kShfl, "shfl -sync shuffle:up|down|bfly|idx type:b32", "=t ?|pred:_ t u32 u32",
     check_without_sync},
    {Opcode::kVote, "vote flag:sync vote:all|any|uni type:pred", "=t t:n u32"},
    {Opcode::kVote, "vote flag:sync vote:ballot type:b32", "=t pred:n u32"},
    {Opcode::kVote, "vote -sync vote:all|any|uni type:pred", "=t t:n", check_without_sync},
    {Opcode::kVote, "vote -sync vote:ballot type:b32", "=t pred:n", check_without_sync},
    {Opcode::kMatch, "match match:any flag:sync type:b32|b64", "=b32 t u32"},
    {Opcode::kMatch, "match match:all flag:sync type:b32|b64", "=b32:_ ?|pred:_ t u32"},
    {Opcode::kActivemask, "activemask type:b32", "=t"},
    {Opcode::kRedux, "redux flag:sync redux:add|min|max type:@int32", "=t t u32"},
    {Opcode::kRedux, "redux flag:sync redux:and|or|xor type:b32", "=t t u32"},
};

}  // namespace

std::span<const Form> warp_forms() {
  return kForms;
}

}  // namespace warplock::ptx
