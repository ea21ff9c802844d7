#include <bit>
#include <functional>

#include "native_exec/machine.h"

namespace warplock::native_exec {
namespace {

/// Calls f(lane) for every lane of the mask.
template <class F>
void for_each_lane(uint32_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<uint32_t>(std::countr_zero(lanes)));
}

/// PTX ISA 9.7.9.6, for lane numbers of five bits at every width of a warp.
WarpResult shuffle_source(WarpOp op, uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t amount = b & 0x1f, clamp = c & 0x1f, segment = (c >> 8) & 0x1f;
  const auto max_lane = static_cast<int32_t>((lane & segment) | (clamp & ~segment));
  const auto self = static_cast<int32_t>(lane);
  int32_t source = self;
  bool in_range = false;
  switch (op) {
    case WarpOp::kShuffleUp:
      source = self - static_cast<int32_t>(amount);
      in_range = source >= max_lane;
      break;
    case WarpOp::kShuffleDown:
      source = self + static_cast<int32_t>(amount);
      in_range = source <= max_lane;
      break;
    case WarpOp::kShuffleXor:
      source = self ^ static_cast<int32_t>(amount);
      in_range = source <= max_lane;
      break;
    default:
      source = static_cast<int32_t>((lane & segment) | (amount & ~segment));
      in_range = source <= max_lane;
      break;
  }
  return {static_cast<uint32_t>(in_range ? source : self), in_range};
}

uint32_t reduce(WarpOp op, uint32_t x, uint32_t y) {
  const auto sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
  switch (op) {
    case WarpOp::kReduceAdd:
      return x + y;
    case WarpOp::kReduceMinSigned:
      return sx < sy ? x : y;
    case WarpOp::kReduceMaxSigned:
      return sx > sy ? x : y;
    case WarpOp::kReduceMinUnsigned:
      return x < y ? x : y;
    case WarpOp::kReduceMaxUnsigned:
      return x > y ? x : y;
    case WarpOp::kReduceAnd:
      return x & y;
    case WarpOp::kReduceOr:
      return x | y;
    default:
      return x ^ y;
  }
}

}  // namespace

void perform(uint32_t members, const LaneArray<WarpRequest>& requests,
             LaneArray<WarpResult>& results) {
  const auto first = static_cast<uint32_t>(std::countr_zero(members));
  const WarpOp op = requests[first].op;
  uint32_t set = 0;  // lanes whose predicate holds
  bool all_equal = true;
  for_each_lane(members, [&](uint32_t lane) {
    if (requests[lane].value != 0) set |= uint32_t{1} << lane;
    all_equal &= requests[lane].value == requests[first].value;
  });
  const auto give_all = [&](uint32_t value, bool predicate = false) {
    for_each_lane(members, [&](uint32_t lane) { results[lane] = {value, predicate}; });
  };

  switch (op) {
    case WarpOp::kSync:
      return give_all(0);
    case WarpOp::kVoteAll:
      return give_all(set == members);
    case WarpOp::kVoteAny:
      return give_all(set != 0);
    case WarpOp::kVoteUniform:
      return give_all(set == 0 || set == members);
    case WarpOp::kVoteBallot:
      return give_all(set);
    case WarpOp::kMatchAll:
      return give_all(all_equal ? members : 0, all_equal);
    case WarpOp::kMatchAny:
      for_each_lane(members, [&](uint32_t lane) {
        uint32_t equal = 0;
        for_each_lane(members, [&](uint32_t other) {
          if (requests[other].value == requests[lane].value) equal |= uint32_t{1} << other;
        });
        results[lane] = {equal, false};
      });
      return;
    case WarpOp::kShuffleIdx:
    case WarpOp::kShuffleUp:
    case WarpOp::kShuffleDown:
    case WarpOp::kShuffleXor:
      for_each_lane(members, [&](uint32_t lane) {
        const WarpResult source = shuffle_source(op, lane, requests[lane].b, requests[lane].c);
        // PTX leaves open what comes from a lane that takes no part; here it is the lane's own
        // value.
        const bool member = (members >> source.value & 1) != 0;
        const uint32_t from = member ? source.value : lane;
        results[lane] = {static_cast<uint32_t>(requests[from].value), source.predicate};
      });
      return;
    default: {
      auto value = static_cast<uint32_t>(requests[first].value);
      for_each_lane(members & (members - 1), [&](uint32_t lane) {
        value = reduce(op, value, static_cast<uint32_t>(requests[lane].value));
      });
      return give_all(value);
    }
  }
}

}  // namespace warplock::native_exec
