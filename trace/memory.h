#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/facts.h"
#include "trace/matching.h"
#include "trace/order.h"
#include "trace/threads.h"

namespace warplock::trace {

/// Memory cut where accesses of either trace begin and end, so that an access covers whole cells.
/// Shared memory has cells by CTA, local memory by thread.
class Cells {
 public:
  struct Cell {
    uint32_t object = 0;  ///< common number
    uint64_t offset = 0, width = 0;
  };
  struct Range {
    uint32_t first = 0, count = 0;
  };

  Cells(const Streams& left, const Streams& right, const Threads& threads, const Matching& matching,
        bool with_local);

  size_t size() const { return cells_.size(); }
  const Cell& cell(uint32_t index) const { return cells_[index]; }
  /// The cells of a memory event; none for other events.
  Range left(uint32_t event) const { return {left_.first[event], left_.count[event]}; }
  Range right(uint32_t event) const { return {right_.first[event], right_.count[event]}; }

 private:
  struct Ranges {
    std::vector<uint32_t> first;
    std::vector<uint8_t> count;
  };
  std::vector<Cell> cells_;
  Ranges left_, right_;
};

/// What one trace's memory held when.
class History {
 public:
  /// `range_of` is `&Cells::left` or `&Cells::right`.
  History(const Streams& streams, const Cells& cells, Cells::Range (Cells::*range)(uint32_t) const,
          const FixedOrder& order, const std::vector<InstructionFacts>& facts);

  /// Stores and atomics of a cell in the order of the trace.
  std::span<const uint32_t> writes(uint32_t cell) const {
    return std::span(writes_).subspan(begin_[cell], begin_[cell + 1] - begin_[cell]);
  }
  /// Where the cell's writes begin among all cells' writes, and how many those are.
  size_t first_slot(uint32_t cell) const { return begin_[cell]; }
  size_t slots() const { return writes_.size(); }
  Cells::Range range(uint32_t event) const { return (cells_.*range_)(event); }
  /// The write that event `reader` reads from in this cell, `kNone` for what was there at first.
  uint32_t read_from(uint32_t reader, uint32_t cell) const;
  /// The part of an event's value (or old value) that lies in a cell.
  uint64_t piece(uint32_t event, uint64_t value, uint32_t cell) const;
  /// The first read of a cell that no write is before, which shows what was there at first.
  uint32_t first_reader(uint32_t cell) const;
  /// Whether another thread than that of `first` reads the cell between two events.
  bool is_read_between(uint32_t cell, uint32_t first, uint32_t second) const;
  /// Whether two conflicting accesses of the cell come in an order that PTX leaves open.
  bool is_open(uint32_t cell) const;

  /// Nothing when a load or atomic read what its location can have held: by the trace's own order,
  /// or, for a load, at another time that the fixed order allows. Else what is wrong.
  std::optional<std::string> why_impossible(uint32_t reader) const;

 private:
  /// What a cell can hold after a write; nothing where it cannot be told.
  struct Content {
    bool known = false;
    uint64_t value = 0, alternative = 0;
    bool admits(uint64_t piece) const { return !known || piece == value || piece == alternative; }
  };
  Content after(uint32_t write, uint32_t cell) const;
  bool admits(uint32_t reader, uint32_t cell, uint64_t piece) const;
  void prepare_first_readers() const;
  void prepare_open() const;

  const Streams& streams_;
  const Cells& cells_;
  Cells::Range (Cells::*range_)(uint32_t) const;
  const FixedOrder& order_;
  const std::vector<InstructionFacts>& facts_;
  std::vector<size_t> begin_;
  std::vector<uint32_t> writes_;
  // Made when first asked for: traces that agree never need them.
  mutable std::vector<uint32_t> first_readers_;
  mutable std::vector<bool> open_;
  mutable std::vector<std::vector<uint32_t>> loads_;  ///< by cell
};

}  // namespace warplock::trace
