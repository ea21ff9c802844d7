#include "ptx/forms.h"

/// Exchange between the lanes of a warp (PTX ISA 9.7.9.5, 9.7.9.6 and 9.7.13).
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kShfl, "shfl flag:sync shuffle:up|down|bfly|idx type:b32",
     "=t:_ ?|pred:_ t u32 u32 u32"},
    {Opcode::kShfl, "shfl -sync shuffle:up|down|bfly|idx type:b32", "=t:_ ?|pred:_ t u32 u32"},
    {Opcode::kVote, "vote flag:sync vote:all|any|uni type:pred", "=t t:n u32"},
    {Opcode::kVote, "vote flag:sync vote:ballot type:b32", "=t pred:n u32"},
    {Opcode::kVote, "vote -sync vote:all|any|uni type:pred", "=t t:n"},
    {Opcode::kVote, "vote -sync vote:ballot type:b32", "=t pred:n"},
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
