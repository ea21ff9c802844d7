#pragma once

#include <string>
#include <utility>

#include "reference_interp/code.h"
#include "reference_interp/cta.h"
#include "reference_interp/lanes.h"
#include "reference_interp/warp.h"

namespace warplock::reference_interp {

template <int W>
class Machine;

/// What a handler works on: one instruction, executed by some lanes of one warp.
template <int W>
struct Step {
  Machine<W>& machine;
  Cta<W>& cta;
  Warp<W>& warp;
  std::byte* frame = nullptr;
  LaneMask* initialised = nullptr;
  const DecodedInstruction<W>* in = nullptr;
  LaneMask active = 0;  ///< the lanes that run together
  LaneMask exec = 0;    ///< those of them whose guard is true
  uint32_t pc = 0;
  uint32_t next = 0;  ///< where the active lanes go on; control instructions may change it
  /// Set by control instructions: choose again which lanes run. Lanes that a handler has sent
  /// elsewhere (by Warp::place) it removes from `active`.
  bool leave = false;
  bool yield = false;              ///< with `leave`: let others go first
  bool divergent = false;          ///< other lanes of the warp could run too
  uint32_t* occurrence = nullptr;  ///< by lane, of this instruction; null when nothing is traced

  template <class T>
  const Stored<T>* source(int k) const {
    return reinterpret_cast<const Stored<T>*>(frame + in->s[k].offset);
  }
  template <class T>
  Stored<T>* destination(int k) const {
    return reinterpret_cast<Stored<T>*>(frame + in->d[k].offset);
  }
  /// The lanes in which predicate source k (or its negation, if the text says !p) is true.
  LaneMask predicate(int k) const {
    const LaneMask value = *reinterpret_cast<const LaneMask*>(frame + in->s[k].offset);
    return (in->negated >> k & 1) != 0 ? ~value : value;
  }
  /// Destination 0 of type T: f(lane) in the executing lanes. f must be total.
  template <class T, class F>
  void result(F f) {
    write_row<W>(destination<T>(0), exec, [&](int lane) { return to_stored<T>(f(lane)); });
  }
  /// Predicate destination k.
  void result_predicate(int k, LaneMask value) {
    LaneMask* row = reinterpret_cast<LaneMask*>(frame + in->d[k].offset);
    *row = (*row & ~exec) | (value & exec);
  }
  void set_initialised(int k, LaneMask lanes, LaneMask value) {
    LaneMask& word = initialised[in->d[k].slot];
    word = (word & ~lanes) | (value & lanes);
  }
  ThreadId thread(int lane) const { return warp.first_id + static_cast<uint32_t>(lane); }
  /// Stops the program: an error at this instruction, by the thread of that lane.
  [[noreturn]] void fault(int lane, std::string klass, const std::string& message) const;
};

}  // namespace warplock::reference_interp
