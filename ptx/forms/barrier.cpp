#include "ptx/check_context.h"
#include "ptx/forms.h"
/// Barriers and fences (PTX ISA 9.7.13).
namespace warplock::ptx {
namespace {

/// A CTA has sixteen barriers.
void check_barrier(CheckContext& context) {
  context.require_below(context.source(0), 16, "the number of a barrier");
}

constexpr Form kForms[] = {
    {Opcode::kBar, "bar ?keep:cta barrier:sync", "u32 ?u32", check_barrier},
    {Opcode::kBar, "bar ?keep:cta barrier:arrive", "u32 u32", check_barrier},
    {Opcode::kBar, "bar ?keep:cta lit:red barrier:popc lit:u32", "=u32 u32 pred:n", check_barrier},
    {Opcode::kBar, "bar ?keep:cta lit:red barrier:popc lit:u32", "=u32 u32 u32 pred:n",
     check_barrier},
    {Opcode::kBar, "bar ?keep:cta lit:red barrier:and|or lit:pred", "=pred u32 pred:n",
     check_barrier},
    {Opcode::kBar, "bar ?keep:cta lit:red barrier:and|or lit:pred", "=pred u32 u32 pred:n",
     check_barrier},
    {Opcode::kBar, "barrier -aligned ?keep:cta barrier:sync ?flag:aligned", "u32 ?u32",
     check_barrier},
    {Opcode::kBar, "barrier -aligned ?keep:cta barrier:arrive ?flag:aligned", "u32 u32",
     check_barrier},
    {Opcode::kBar, "barrier -aligned ?keep:cta lit:red barrier:popc ?flag:aligned lit:u32",
     "=u32 u32 pred:n", check_barrier},
    {Opcode::kBar, "barrier -aligned ?keep:cta lit:red barrier:popc ?flag:aligned lit:u32",
     "=u32 u32 u32 pred:n", check_barrier},
    {Opcode::kBar, "barrier -aligned ?keep:cta lit:red barrier:and|or ?flag:aligned lit:pred",
     "=pred u32 pred:n", check_barrier},
    {Opcode::kBar, "barrier -aligned ?keep:cta lit:red barrier:and|or ?flag:aligned lit:pred",
     "=pred u32 u32 pred:n", check_barrier},
    {Opcode::kBarWarpSync, "bar lit:warp lit:sync", "u32"},
    {Opcode::kMembar, "membar keep:cta|gl|sys", ""},
    {Opcode::kFence, "fence ?keep:sc|acq_rel|acquire|release keep:@scope", ""},
    {Opcode::kFence, "fence keep:proxy keep:alias", ""},
};

}  // namespace

std::span<const Form> barrier_forms() {
  return kForms;
}

}  // namespace warplock::ptx
