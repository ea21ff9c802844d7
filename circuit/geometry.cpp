#include "circuit/geometry.h"

#include <fmt/format.h>

namespace warplock::circuit {

namespace {

/// value / divisor for values below 256, by a multiplication: ceil(2^16 / d) is exact there, since
/// its error is below d / 2^16 a unit and 255 * 256 < 2^16.
Value small_quotient(Emitter& emitter, Value value, uint32_t divisor) {
  if (divisor == 1) return value;
  const uint32_t factor = (65536 + divisor - 1) / divisor;
  return emitter.shr_u(emitter.mul(value, Emitter::constant(factor)), Emitter::constant(16));
}

/// Component `axis` of a number x + nx * (y + ny * z).
Value component(Emitter& emitter, Value linear, uint32_t nx, uint32_t ny, uint32_t nz, int axis) {
  if (axis == 0) {
    if (nx == 1) return Emitter::constant(0);
    if (ny * nz == 1) return linear;
    const Value rows = small_quotient(emitter, linear, nx);
    return emitter.sub(linear, emitter.mul(rows, Emitter::constant(nx)));
  }
  if (axis == 1) {
    if (ny == 1) return Emitter::constant(0);
    return component(emitter, small_quotient(emitter, linear, nx), ny, nz, 1, 0);
  }
  if (nz == 1) return Emitter::constant(0);
  return small_quotient(emitter, linear, nx * ny);
}

Value lane(Emitter& emitter) {
  return emitter.and_(Value::thread(), Emitter::constant(3));
}

Value cta_row(Emitter& emitter) {
  const LoweringContext& context = emitter.context();
  if (context.launch.grid[1] * context.launch.grid[2] == 1) return Emitter::constant(0);
  return emitter.launch_word(ctaid_y_word(context.spec));
}

/// Mask of the lanes below lane + `plus`.
Value below(Emitter& emitter, uint32_t plus) {
  const Value power =
      emitter.shl(Emitter::constant(1), emitter.add(lane(emitter), Emitter::constant(plus)));
  return emitter.sub(power, Emitter::constant(1));
}

}  // namespace

Value special_value(Emitter& emitter, ptx::SpecialRegister special) {
  const LoweringContext& context = emitter.context();
  const auto& block = context.launch.block;
  const auto& grid = context.launch.grid;
  const auto tid = [&](int axis) {
    return component(emitter, Value::thread(), block[0], block[1], block[2], axis);
  };
  const auto k = [](uint32_t word) { return Emitter::constant(word); };
  using S = ptx::SpecialRegister;
  switch (special) {
    case S::kTidX:
      return tid(0);
    case S::kTidY:
      return tid(1);
    case S::kTidZ:
      return tid(2);
    case S::kNtidX:
      return k(block[0]);
    case S::kNtidY:
      return k(block[1]);
    case S::kNtidZ:
      return k(block[2]);
    case S::kCtaidX:
      if (grid[0] == 1) return k(0);
      return emitter.launch_word(ctaid_x_word(context.spec));
    case S::kCtaidY:
      return component(emitter, cta_row(emitter), grid[1], grid[2], 1, 0);
    case S::kCtaidZ:
      return component(emitter, cta_row(emitter), grid[1], grid[2], 1, 1);
    case S::kNctaidX:
      return k(grid[0]);
    case S::kNctaidY:
      return k(grid[1]);
    case S::kNctaidZ:
      return k(grid[2]);
    case S::kLaneid:
      return lane(emitter);
    case S::kWarpid:
      return emitter.shr_u(Value::thread(), k(2));
    case S::kNwarpid:
      return k((context.launch.threads_per_cta() + 3) / 4);
    case S::kWarpSize:
      return k(4);
    case S::kSmid:
      return k(0);
    case S::kNsmid:
      return k(1);
    case S::kGridid:
      return k(0);
    case S::kLanemaskEq:
      return emitter.shl(k(1), lane(emitter));
    case S::kLanemaskLt:
      return below(emitter, 0);
    case S::kLanemaskLe:
      return below(emitter, 1);
    case S::kLanemaskGe:
      return emitter.xor_(below(emitter, 0), k(15));
    case S::kLanemaskGt:
      return emitter.xor_(below(emitter, 1), k(15));
    case S::kDynamicSmemSize:
      return k(context.launch.shared_bytes);
    default:
      emitter.refuse(fmt::format("{}", ptx::spelling(special)));
  }
}

MachineGrid machine_grid(const executor::Launch& launch, const MachineSpec& spec) {
  const uint64_t rows = uint64_t{launch.grid[1]} * launch.grid[2];
  if (launch.grid[0] > spec.max_ctas_x || rows > spec.max_ctas_y) {
    throw Unfit(fmt::format("needs {} x {} CTAs, the machine runs up to {} x {}", launch.grid[0],
                            rows, spec.max_ctas_x, spec.max_ctas_y));
  }
  return {launch.grid[0], static_cast<uint32_t>(rows)};
}

std::vector<uint8_t> warp_lanes(const executor::Launch& launch, const MachineSpec& spec) {
  if (launch.warp_width != spec.lanes) {
    throw Unfit(
        fmt::format("needs warps of {} lanes, the machine has {}", launch.warp_width, spec.lanes));
  }
  const uint32_t threads = launch.threads_per_cta();
  const uint32_t warps = (threads + spec.lanes - 1) / spec.lanes;
  if (warps > spec.warps) {
    throw Unfit(fmt::format("needs {} warps a CTA ({} threads), the machine has {}", warps, threads,
                            spec.warps));
  }
  std::vector<uint8_t> lanes(warps, 15);
  if (threads % 4 != 0) lanes.back() = static_cast<uint8_t>((1u << (threads % 4)) - 1);
  return lanes;
}

}  // namespace warplock::circuit
