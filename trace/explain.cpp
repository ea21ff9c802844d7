#include "trace/explain.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "trace/describe.h"
#include "trace/spelling.h"

namespace warplock::trace {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kLabelColumns = 9;

class Explanation {
 public:
  Explanation(const Trace& left, const Trace& right, const Divergence& divergence,
              const ExplainOptions& options)
      : left_(left), right_(right), divergence_(divergence), options_(options) {}

  std::string text() {
    title();
    place();
    sources();
    values();
    before();
    if (!options_.reproduce.empty()) {
      out_ += '\n';
      // Never cut: it is there to be copied.
      out_ += fmt::format("  {:<{}}{}\n", "again", kLabelColumns, printable(options_.reproduce));
    }
    return std::move(out_);
  }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return options_.color ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
  void line(const std::string& label, std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    out_ +=
        fmt::format("  {:<{}}{}\n", label, kLabelColumns, clip(text, kColumns - kLabelColumns - 2));
  }

  static std::string who(const Trace& trace) {
    std::string out = printable(trace.executor);
    if (!trace.executor_version.empty())
      out += fmt::format(" {}", printable(trace.executor_version));
    if (!trace.device.empty()) out += fmt::format(" ({})", printable(trace.device));
    return out;
  }

  void title() {
    std::string kernel = clip(printable(left_.kernel), 60);
    out_ += fmt::format("{} in kernel {}\n", paint("1;31", "First divergence"), paint("1", kernel));
    line("what", printable(divergence_.what));
    line("left", who(left_));
    line("right", who(right_));
  }

  const Event* any_event() const {
    if (divergence_.left) return &*divergence_.left;
    return divergence_.right ? &*divergence_.right : nullptr;
  }

  void place() {
    std::string where = fmt::format("cta {}, thread {}", divergence_.cta, divergence_.thread);
    if (left_.warp_width > 0) {
      where += fmt::format(" (warp {}, lane {})", divergence_.thread / left_.warp_width,
                           divergence_.thread % left_.warp_width);
    }
    if (const Event* event = any_event()) {
      where += fmt::format(", execution {} of the instruction by this thread",
                           uint64_t{event->occurrence} + 1);
    }
    line("where", where);
  }

  static const Instruction* instruction(const Trace& trace, const std::optional<Event>& event) {
    if (!event || event->instruction >= trace.instructions.size()) return nullptr;
    return &trace.instructions[event->instruction];
  }

  void source(const std::string& label, const std::string& file, uint32_t number,
              const diagnostics::SourceText* text, const std::string& fallback) {
    std::string quoted = fallback;
    if (text && number && number <= 0xfffffffe) {
      std::string found = printable(text->line(number));
      size_t begin = found.find_first_not_of(' ');
      if (begin != std::string::npos) quoted = found.substr(begin);
    }
    if (!number && quoted.empty()) return;
    std::string name = text ? text->name() : file;
    name = name.substr(name.find_last_of('/') + 1);
    std::string at = number
                         ? fmt::format("{}:{}  ", name.empty() ? "line" : printable(name), number)
                         : std::string();
    line(label, at + quoted);
  }

  void sources() {
    const Instruction* l = instruction(left_, divergence_.left);
    const Instruction* r = instruction(right_, divergence_.right);
    const bool both = l && r && !(*l == *r);
    auto show = [&](const Trace& trace, const Instruction* at, bool cuda_too) {
      if (!at) return;
      if (cuda_too && at->cuda_line) {
        source("CUDA C", trace.cuda_file, at->cuda_line, options_.cuda, {});
      }
      bool ptx = at->ptx_index != kNoPtxIndex;
      source(ptx ? "PTX" : "executes", trace.ptx_file, at->ptx_line, ptx ? options_.ptx : nullptr,
             printable(at->text));
    };
    show(left_, l, true);
    if (!l || both) show(right_, r, !l || l->cuda_line != r->cuda_line);
  }

  /// The two numbers in question: the old values when those differ, else the values.
  void values() {
    if (!divergence_.left || !divergence_.right) {
      out_ += '\n';
      line("left", divergence_.left ? effect(left_, *divergence_.left) : "nothing");
      line("right", divergence_.right ? effect(right_, *divergence_.right) : "nothing");
      return;
    }
    const Event &l = *divergence_.left, &r = *divergence_.right;
    const uint32_t width = std::clamp<uint32_t>(std::min(l.width, r.width), 1, 8);
    uint64_t a = l.value, b = r.value;
    const bool numbers = divergence_.kind != Divergence::Kind::kEvent && l.kind == r.kind &&
                         (is_memory(l.kind) || l.kind == EventKind::kRegister);
    if (numbers && ((a ^ b) & mask_of(width)) == 0 && l.kind == EventKind::kAtomic) {
      a = l.old;
      b = r.old;
    }
    a &= mask_of(width);
    b &= mask_of(width);
    out_ += '\n';
    if (!numbers || a == b) {
      line("left", effect(left_, l));
      line("right", effect(right_, r));
      return;
    }
    row("", "left", "right", "difference (left - right)");
    row("unsigned", fmt::format("{}", a), fmt::format("{}", b),
        a > b ? fmt::format("{}", a - b) : fmt::format("-{}", b - a));
    int64_t sa = signed_of(a, width), sb = signed_of(b, width);
    if (sa < 0 || sb < 0) row("signed", fmt::format("{}", sa), fmt::format("{}", sb), "");
    row("hex", hex(a, width), hex(b, width), hex(a ^ b, width) + " differ");
    std::string address_a = as_address(left_, a, l.width),
                address_b = as_address(right_, b, r.width);
    if (!address_a.empty() || !address_b.empty()) row("address", address_a, address_b, "");
    binary(a, b, width);
  }

  static int64_t signed_of(uint64_t value, uint32_t width) {
    uint32_t shift = 64 - 8 * width;
    return static_cast<int64_t>(value << shift) >> shift;
  }
  static std::string hex(uint64_t value, uint32_t width) {
    return fmt::format("{:#0{}x}", value, 2 + 2 * width);
  }
  void row(const std::string& label, const std::string& a, const std::string& b,
           const std::string& c) {
    line(label, fmt::format("{:<22}{:<22}{}", a, b, c));
  }

  /// Both values bit by bit, most significant first, and marks where they differ.
  void binary(uint64_t a, uint64_t b, uint32_t width) {
    std::string rows[3];
    for (uint32_t i = 8 * width; i-- > 0;) {
      bool differs = ((a ^ b) >> i & 1) != 0;
      for (int k = 0; k < 2; ++k) {
        std::string bit = ((k == 0 ? a : b) >> i & 1) ? "1" : "0";
        rows[k] += differs ? paint("31", bit) : bit;
      }
      rows[2] += differs ? '^' : ' ';
      if (i % 4 == 0 && i > 0) {
        for (std::string& text : rows) text += ' ';
      }
    }
    rows[2].erase(rows[2].find_last_not_of(' ') + 1);
    const char* labels[3] = {"binary", "", ""};
    for (int k = 0; k < 3; ++k) {
      out_ += fmt::format("  {:<{}}{}\n", labels[k], kLabelColumns, rows[k]);
    }
  }

  std::string event_line(const Trace& trace, const Event& event) const {
    std::string who_did;
    if (divergence_.kind == Divergence::Kind::kLocation) {
      who_did = fmt::format("cta {} thread {}  ", event.cta, event.thread);
    }
    constexpr size_t kTextColumns = 44;
    std::string text = who_did + instruction_line(trace, event, kTextColumns);
    constexpr size_t kEffectAt = 56;
    if (text.size() + 2 < kEffectAt) text.append(kEffectAt - 2 - text.size(), ' ');
    return clip(text + "  " + effect(trace, event), kColumns - 4);
  }

  void list(const Trace& trace, const std::vector<Event>& events) {
    for (const Event& event : events) out_ += fmt::format("    {}\n", event_line(trace, event));
  }

  void before() {
    const char* of =
        divergence_.kind == Divergence::Kind::kLocation ? "of the location" : "of the thread";
    auto lines = [&](const Trace& trace, const std::vector<Event>& events) {
      std::vector<std::string> out;
      for (const Event& event : events) out.push_back(event_line(trace, event));
      return out;
    };
    if (divergence_.left_before.empty() && divergence_.right_before.empty()) {
      out_ += fmt::format("\n  no events {} before it\n", of);
      return;
    }
    if (lines(left_, divergence_.left_before) == lines(right_, divergence_.right_before)) {
      out_ += fmt::format("\n  the {} {} before it, the same on both sides\n",
                          count(divergence_.left_before), of);
      list(left_, divergence_.left_before);
      return;
    }
    out_ +=
        fmt::format("\n  the {} {} before it on the left\n", count(divergence_.left_before), of);
    list(left_, divergence_.left_before);
    out_ += fmt::format("  and the {} on the right\n", count(divergence_.right_before));
    list(right_, divergence_.right_before);
  }
  static std::string count(const std::vector<Event>& events) {
    return fmt::format("{} event{}", events.size(), events.size() == 1 ? "" : "s");
  }

  const Trace &left_, &right_;
  const Divergence& divergence_;
  const ExplainOptions& options_;
  std::string out_;
};

}  // namespace

std::string explain(const Trace& left, const Trace& right, const Divergence& divergence,
                    const ExplainOptions& options) {
  return Explanation(left, right, divergence, options).text();
}

}  // namespace warplock::trace
