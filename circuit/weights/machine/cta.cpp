#include "circuit/weights/machine/machine.h"

/// Numbers of CTAs: which one runs, which one is the last, in x and y.
namespace warplock::weights {
namespace {

/// One row, written by one kind of token, read always.
void add_number(Machine& m, const std::string& name, const Signal& kind, const Signals& values,
                Signals& into) {
  into = allocate_reads(m, values.size());
  if (values.empty()) return;  // one CTA only
  Head head;
  head.name = name;
  head.write = {{}, {is(kind)}};
  for (const Signal& value : values) head.values.push_back(value);
  head.outputs = into;
  add_head(m, head);
}

void count(Machine& m, const Signals& now, const Signals& last, Signals& next, Signal& more) {
  Circuit& c = m.circuit;
  int most = (1 << now.size()) - 1;
  next = c.allocate(now.size());
  more = c.allocate_one();
  if (now.empty()) return;
  Signals exact_now, exact_last;  // integers up to 255 need no step, and are too many for one
  for (Signal signal : now) signal.noisy = false, exact_now.push_back(signal);
  for (Signal signal : last) signal.noisy = false, exact_last.push_back(signal);
  std::vector<Table> tables;
  for (size_t i = 0; i < next.size(); ++i) {
    tables.push_back({next[i], tabulate(most, [&](int s) { return ((s + 1) >> i) & 1; })});
  }
  thermometer(c, number(exact_now), most, tables);
  gated_copy(c, number(exact_last) - number(exact_now), 1, 1.0, more);
}

}  // namespace

void read_ctas(Machine& m) {
  const TokenFields& t = m.token;
  Control& k = m.control;
  Signals x = slice(t.data, 0, m.sizes.cta_x_bits);
  Signals y_last = slice(t.data, 0, m.sizes.cta_y_bits);
  Signals y = slice(t.data, kWordBits, m.sizes.cta_y_bits);  // word 1: the memory bank it goes to
  add_number(m, "cta x", t.cta, x, k.cta_x);
  add_number(m, "last cta x", t.grid_x, x, k.last_cta_x);
  add_number(m, "cta y", t.cta_row, y, k.cta_y);
  add_number(m, "last cta y", t.grid_y, y_last, k.last_cta_y);
}

void count_ctas(Machine& m) {
  m.circuit.mechanism("ctas");
  Control& k = m.control;
  count(m, k.cta_x, k.last_cta_x, k.next_cta_x, k.more_x);
  count(m, k.cta_y, k.last_cta_y, k.next_cta_y, k.more_y);
}

}  // namespace warplock::weights
