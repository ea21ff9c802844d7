#include "circuit/weights/machine/machine.h"

/// A record leaves as a header and one piece for every byte that is not zero.
namespace warplock::weights {
namespace {
constexpr uint32_t kChunks = kDataBytes + kLanes;  // data bytes, then a row number a bank
}

void align_payload(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("emission");
  Control& k = m.control;
  k.record_data = c.allocate(kLanes * kWordBits);
  k.record_address = c.allocate(kLanes * m.sizes.row_bits);
  k.chunk_used = c.allocate(kChunks);
  // Register records: the executing lanes' words, in place.
  for (uint32_t i = 0; i < 124; ++i) {
    step(c, k.raw_data[i], 1, {{k.record_data[i], 1}}, only_if({k.record_mask[i / 32]}, 4));
  }
  Form last_lane = only_if({k.record_mask[3]}, 4);
  for (uint32_t pair = 0; pair < 2; ++pair) {
    const Signal &low = k.record_data[124 + 2 * pair], &high = k.record_data[125 + 2 * pair];
    step(c, k.packed[pair], 1, {{low, 1}}, last_lane);
    step(c, k.packed[pair], 2, {{low, -1}, {high, 1}}, last_lane);
    step(c, k.packed[pair], 3, {{low, 1}}, last_lane);
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t byte = 0; byte < 4; ++byte) {
      when(c, {is(k.any_register), is(k.record_mask[lane]), is(k.byte_used[lane][byte])},
           {{k.chunk_used[4 * lane + byte], 1}});
    }
  }
  // Memory records: each bank takes the word of the lane that is routed to it.
  for (const Control::Route& to : k.effective) {
    Form routed = only_if({to.signal}, 4);
    for (uint32_t i = 0; i < kWordBits; ++i) {
      step(c, k.raw_data[kWordBits * to.lane + i], 1, {{k.record_data[kWordBits * to.bank + i], 1}},
           routed);
    }
    for (uint32_t i = 0; i < m.sizes.row_bits; ++i) {
      step(c, k.raw_address[to.lane][i], 1, {{k.record_address[m.sizes.row_bits * to.bank + i], 1}},
           routed);
    }
    for (uint32_t byte = 0; byte < 4; ++byte) {
      when(c, {is(to.signal), is(k.byte_used[to.lane][byte])},
           {{k.chunk_used[4 * to.bank + byte], 1}});
    }
    when(c, {is(to.signal), is(k.raw_address_used[to.lane])},
         {{k.chunk_used[kDataBytes + to.bank], 1}});
  }
}

void choose_piece(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("emission");
  const TokenFields& t = m.token;
  Control& k = m.control;
  k.chunk_next = c.allocate(kChunks);
  k.last_piece = c.allocate_one();
  auto follow = [&](const Conditions& at, uint32_t first) {
    Conditions conditions = at;
    for (uint32_t j = first; j < kChunks; ++j) {
      when(c, conditions + Conditions{is(k.chunk_used[j])}, {{k.chunk_next[j], 1}});
      conditions.push_back(is_not(k.chunk_used[j]));
    }
    // The next piece is the last when at most one is left.
    Form left = 32.0 * (all_of(at) - 1.0) + 1.0;
    for (uint32_t j = first; j < kChunks; ++j) left += -1.0 * Form(k.chunk_used[j]);
    gated_copy(c, left, 0, 1.0, k.last_piece);
    return conditions;
  };
  Conditions nothing = follow({is(t.header)}, 0);
  when(c, nothing, {{k.chunk_next[0], 1}});  // a record of zeros has one piece that says so
  for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    follow(Conditions{is(t.piece), is_not(t.last)} + spells(t.chunk, chunk), chunk + 1);
  }
}

}  // namespace warplock::weights
