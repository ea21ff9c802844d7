#include "reference_interp/plant.h"

#include <utility>

#include "reference_interp/machine.h"

namespace warplock::reference_interp {
namespace {

/// Runs the instruction's own handler, then changes what it wrote to its first destination.
template <int W>
void distorted(Step<W>& s) {
  const Distortion<W>& distortion = s.machine.code().distortions.at(s.pc);
  distortion.handler(s);
  if (s.in->destinations == 0) return;
  std::byte* row = s.frame + s.in->d[0].offset;
  const RowKind kind = s.machine.code().info[s.pc].destinations[0].kind;
  const uint64_t mask = s.in->register_mask;
  for_each_lane(s.exec, [&](int lane) {
    switch (kind) {
      case RowKind::kPredicate: {
        LaneMask& predicate = *reinterpret_cast<LaneMask*>(row);
        const LaneMask bit = LaneMask{1} << lane;
        const bool value = (distortion.how((predicate & bit) != 0 ? 1 : 0) & 1) != 0;
        predicate = (predicate & ~bit) | (value ? bit : 0);
        break;
      }
      case RowKind::k32: {
        uint32_t& value = reinterpret_cast<uint32_t*>(row)[lane];
        value = static_cast<uint32_t>(distortion.how(value) & mask);
        break;
      }
      case RowKind::k64: {
        uint64_t& value = reinterpret_cast<uint64_t*>(row)[lane];
        value = distortion.how(value) & mask;
        break;
      }
    }
  });
}

}  // namespace

template <int W>
Plant plant_in(Code<W>& code, const ptx::Instruction& written, const Options& options) {
  Plant plant;
  plant.executed = &written;
  if (!options.plant) return plant;
  std::optional<PlantedFault> fault = options.plant(written);
  if (!fault) return plant;
  if (fault->instead) {
    code.replacements.push_back(std::make_unique<ptx::Instruction>(std::move(*fault->instead)));
    plant.executed = code.replacements.back().get();
  }
  plant.distort = std::move(fault->distort);
  return plant;
}

template <int W>
void distort(Code<W>& code, uint32_t pc, DecodedInstruction<W>& in,
             std::function<uint64_t(uint64_t)> how) {
  code.distortions[pc] = {in.handler, std::move(how)};
  in.handler = &distorted<W>;
}

template Plant plant_in<4>(Code<4>&, const ptx::Instruction&, const Options&);
template Plant plant_in<32>(Code<32>&, const ptx::Instruction&, const Options&);
template void distort<4>(Code<4>&, uint32_t, DecodedInstruction<4>&,
                         std::function<uint64_t(uint64_t)>);
template void distort<32>(Code<32>&, uint32_t, DecodedInstruction<32>&,
                          std::function<uint64_t(uint64_t)>);

}  // namespace warplock::reference_interp
