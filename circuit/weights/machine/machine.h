#pragma once

#include <array>
#include <memory>
#include <vector>

#include "circuit/isa.h"
#include "circuit/weights/circuit.h"
#include "circuit/weights/gates.h"

/// The machine's signals, shared by the mechanisms (one a file), and the schedule that puts the
/// mechanisms into layers.
namespace warplock::weights {

constexpr uint32_t kLanes = 4, kWordBits = 32, kDataBytes = 16;
/// A field of a token's row holds +-kRowAmplitude, an absent one 0.
constexpr double kRowAmplitude = 1.0 / 16;
/// Raw reads of the first layer are this small, so that they leave its second norm alone.
constexpr double kFirstReadScale = 1.0 / (1 << 20);
/// Entries of +-kRowAmplitude in every row.
constexpr uint32_t kRowEntries = 30;
/// What the anchors hold, and the output row's amplitude.
constexpr double kAnchor = 16777216.0;

/// Numbers that follow from the specification.
struct Sizes {
  uint32_t block_bits, warp_bits, register_bits, cta_x_bits, cta_y_bits;
  uint32_t row_bits;     ///< always 7: addresses wrap after 128 rows, rows past the last read zero
  uint32_t target_bits;  ///< block, exit, serial
  explicit Sizes(const circuit::MachineSpec& spec);
};

/// Fields of a token: what its row says, and what later layers use of it. Flags are absent or set;
/// every other field is absent, or bits that are set or not.
struct TokenFields {
  Signal one;  ///< set in every row: the constant of the first layer
  Signal exec, config, cta, cta_row, grid_x, grid_y, halt, reset, header, piece;  // exclusive kinds
  Signal of_register, of_memory, of_rom;                                          // of a header
  Signal release, last;
  Signals chunk, block, warp, mask, slot;
  std::array<Signals, kLanes> address;  ///< the first also holds register and block addresses
  Signals data;
  Signals pads;  ///< fill rows up to kRowEntries
  Signal trim;   ///< the last part of a row's norm, beside the anchors
  // Made by the first layer: this token completes a record (of this kind).
  Signal record, register_record, memory_record, rom_record;
};

/// The instruction a slot executes, refilled slot by slot; names as in MachineInstruction.
struct Microcode {
  Signals op;  ///< one-hot, by MachineOp
  std::array<Signals, 3> source, forward;
  Signal immediate_b, thread_a, predicate_from_c, guarded, guard_negated;
  Signals predicate_slot, immediate;
  const Signal& operator[](circuit::MachineOp wanted) const {
    return op[static_cast<size_t>(wanted)];
  }
  /// Every bit, in the order of the record.
  Signals bits() const;
};

/// What a block says once, spread over its slots' records.
struct BlockControl {
  Signals live;                      ///< by slot: has a destination
  std::vector<Signals> destination;  ///< by slot
  Signals branch_slot;               ///< one-hot, by slot
  Signals taken, not_taken;          ///< block bits, exit, serial
  Signal branch_negated, barrier;
};

using LaneSignals = std::array<Signals, kLanes>;

struct Slot {
  LaneSignals result;  ///< 32 bits a lane, kept until the records are out
  Signals predicate;   ///< by lane
};

/// Operands and scratch of the slot that is being built.
struct Operands {
  LaneSignals a, b, c;
  Signals predicate;
  LaneSignals column;   ///< multiplier columns; also the shifter's first stage
  LaneSignals select;   ///< difference that a carry adds to a result bit
  LaneSignals digit;    ///< carry digits of 4-bit chunks; also match counts
  LaneSignals compare;  ///< digits of 5-bit chunks; also shuffle sources and vote counts
};

/// Signals between the last slot and the output.
struct Control {
  LaneSignals next_pc, store_hit;  ///< by lane: target bits; by bank
  struct Route {
    uint32_t lane, bank, order;
    Signal signal;
  };
  std::vector<Route> routes;  ///< lane is number `order` of those that store into the bank
  Signals pending_stores;     ///< by memory record
  Signals warp_exited, warp_waiting, lane_exited, lane_waiting, lane_exists;
  Signals cta_x, cta_y, last_cta_x, last_cta_y, next_cta_x, next_cta_y;
  Signal more_x, more_y;
  // the queue's row
  Signals queue_pending, queue_warp, queue_mask;
  std::vector<Signals> queue_destination;
  std::vector<Control::Route> queue_routes;
  Signals raw_exists, raw_exited, raw_waiting, runnable, blocked;  ///< by warp
  Signals next_record;  ///< one-hot: registers by slot, then four memory records
  Signal next_is_memory, no_record, stay, any_register;
  Signals next_warp;
  Signal go, releasing, done;
  Signals record_register, record_warp, record_mask;
  std::vector<Route> effective;  ///< `order` unused: lane's store goes to the bank in this record
  LaneSignals lane_not_after;    ///< [i][j]: lane i does not come after lane j
  LaneSignals lane_block;        ///< block bits, serial
  LaneSignals byte_used;         ///< of the raw payload, by lane and byte
  Signals raw_address_used, raw_data, packed, chunk_used, chunk_next, record_data, record_address;
  LaneSignals raw_address;
  Signal last_piece;
};

struct Machine {
  explicit Machine(const circuit::MachineSpec& specification);

  circuit::MachineSpec spec;
  Sizes sizes;
  Circuit circuit;
  TokenFields token;
  Microcode code;
  BlockControl block;
  std::vector<Slot> slots;
  Operands x;
  Control control;

  uint32_t last_slot() const { return spec.slots - 1; }
  bool is_last(uint32_t slot) const { return slot == last_slot(); }
  /// The bits of the ROM record of (block, slot), in the order of its bytes.
  Signals rom_bits(uint32_t slot) const;
};

/// Dimensions for what a state gives back.
Signals allocate_reads(Machine& m, size_t count, double high = 1);
/// Adds the head; like every head of the machine it is cleared by a reset.
void add_head(Machine& m, Head head);

// Mechanisms, in the order of the schedule.
void assemble_records(Machine& m);       // assemble.cpp: the first layer
void fetch_first_microcode(Machine& m);  // rom.cpp
Head microcode_head(Machine& m, uint32_t slot, const Signals& raw);
void load_microcode(Machine& m, uint32_t slot, const Signals& raw);
void fetch_operands(Machine& m, uint32_t slot);  // operands.cpp: a whole layer
void add_chunks(Machine& m, uint32_t slot);      // adder.cpp
void subtract_chunks(Machine& m, uint32_t slot);
void add_column_chunks(Machine& m, uint32_t slot);
void select_carries(Machine& m, uint32_t slot);
void compare_digits(Machine& m);  // compare.cpp
void compare_results(Machine& m, uint32_t slot);
void logic_and_select(Machine& m, uint32_t slot);  // logic.cpp
void shift_low(Machine& m);                        // shift.cpp
void shift_high(Machine& m, uint32_t slot);
void multiply_products(Machine& m);  // multiply.cpp
void multiply_columns(Machine& m);
void multiply_triples(Machine& m);
void shuffle_sources(Machine& m);  // exchange.cpp
void shuffle_results(Machine& m, uint32_t slot);
void vote_counts(Machine& m, uint32_t slot);
void vote_results(Machine& m, uint32_t slot);
void match_counts(Machine& m);
void match_results(Machine& m, uint32_t slot);
LaneSignals gather_memory(Machine& m, uint32_t slot);  // memory.cpp
void take_loaded(Machine& m, uint32_t slot, const LaneSignals& loaded);
void take_store_data(Machine& m);
void find_store_banks(Machine& m);
void route_stores(Machine& m);
void predicate_results(Machine& m, uint32_t slot);  // branch.cpp
void choose_branch(Machine& m);
void read_thread_states(Machine& m);  // scheduler.cpp
void find_warp_status(Machine& m);
void read_warp_states(Machine& m);
void list_warps(Machine& m);
void choose_warp(Machine& m);
void read_next_lanes(Machine& m);
void compare_lanes(Machine& m);
void read_ctas(Machine& m);  // cta.cpp
void count_ctas(Machine& m);
void store_queue(Machine& m);  // queue.cpp
void choose_record(Machine& m);
void read_payload(Machine& m);
void describe_record(Machine& m);
void align_payload(Machine& m);  // emission.cpp
void choose_piece(Machine& m);
void write_output(Machine& m);  // output.cpp: the last layer

/// Builds everything. Throws std::invalid_argument for a specification beyond what the circuits are
/// exact for (docs/circuits.md), CircuitError when it does not fit the layers.
std::unique_ptr<Machine> build_machine(const circuit::MachineSpec& spec, const Limits& limits = {});

}  // namespace warplock::weights
