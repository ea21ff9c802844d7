#include "reference_interp/op_tester.h"

#include <gtest/gtest.h>

#include <string_view>

#include <fmt/format.h>

#include "reference_interp/random.h"
#include "reference_interp/test_support.h"

namespace warplock::reference_interp::testing {
namespace {

uint64_t mask_of(int bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

std::vector<uint64_t> corners(int bits) {
  std::vector<uint64_t> values{
      0,          1,          2,          3,          7,          8,         15,         16,
      17,         23,         24,         31,         32,         33,        63,         64,
      65,         127,        128,        255,        256,        0x7fff,    0x8000,     0x8001,
      0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000, 0x7fffffff, 0x80000000,
      0x80000001, 0xfffffffe, 0xffffffff, 0xdeadbeef, 0x100000000};
  for (uint64_t top : {0x7fffffffffffffffULL, 0x8000000000000000ULL, 0xffffffffffffffffULL,
                       0xfffffffffffffffeULL, 0xffffffff00000000ULL, 0x123456789abcdef0ULL}) {
    values.push_back(top);
  }
  std::vector<uint64_t> fitting;
  for (uint64_t value : values) {
    if (value <= mask_of(bits)) fitting.push_back(value);
  }
  if (bits == 16) fitting.insert(fitting.end(), {0xfffe, 0xff00, 0x1234});
  return fitting;
}

std::vector<std::vector<uint64_t>> operand_rows(const std::vector<int>& bits, size_t rows) {
  Random random(20240607);
  std::vector<std::vector<uint64_t>> result;
  std::vector<std::vector<uint64_t>> pools;
  for (int b : bits) pools.push_back(corners(b));
  for (size_t row = 0; row < rows; ++row) {
    std::vector<uint64_t> operands;
    for (size_t k = 0; k < bits.size(); ++k) {
      const bool corner = random.below(4) != 0;
      uint64_t value = corner ? pools[k][random.below(static_cast<uint32_t>(pools[k].size()))]
                              : random.next() >> random.below(64);
      operands.push_back(value & mask_of(bits[k]));
    }
    result.push_back(std::move(operands));
  }
  // With one or two operands: every combination of corners.
  if (bits.size() == 1) {
    for (uint64_t a : pools[0]) result.push_back({a});
  } else if (bits.size() == 2) {
    for (uint64_t a : pools[0]) {
      for (uint64_t b : pools[1]) result.push_back({a, b});
    }
  }
  return result;
}

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string reg(int bits, int number) {
  switch (bits) {
    case 1:
      return fmt::format("%p{}", number);
    case 16:
      return fmt::format("%rs{}", number);
    case 64:
      return fmt::format("%rd{}", number + 10);
    default:
      return fmt::format("%r{}", number);
  }
}

/// A kernel that loads the operands (each in 8 bytes), executes, and stores the result in 8 bytes.
std::string kernel(const OpTest& test, bool in_place) {
  constexpr std::string_view kNames[] = {"{a}", "{b}", "{c}", "{e}"};
  std::string body = fmt::format(
      "mov.u32 %r40, %ctaid.x;\nmov.u32 %r41, %ntid.x;\nmad.lo.u32 %r40, %r40, %r41, %tid_;\n"
      "mul.wide.u32 %rd40, %r40, {};\nadd.u64 %rd40, %rd0, %rd40;\n"
      "mul.wide.u32 %rd41, %r40, 8;\nadd.u64 %rd41, %rd1, %rd41;\n",
      8 * test.source_bits.size());
  std::string text = test.text;
  for (size_t k = 0; k < test.source_bits.size(); ++k) {
    const int bits = test.source_bits[k];
    const std::string name = reg(bits, static_cast<int>(k) + 1);
    text = replaced(text, kNames[k], name);
    const size_t offset = 8 * k;
    if (bits == 1) {
      body +=
          fmt::format("ld.global.u32 %r42, [%rd40+{}];\nsetp.ne.u32 {}, %r42, 0;\n", offset, name);
    } else {
      body += fmt::format("ld.global.b{} {}, [%rd40+{}];\n", bits, name, offset);
    }
  }
  const bool reuse =
      in_place && !test.source_bits.empty() && test.source_bits[0] == test.result_bits;
  const std::string d = reg(test.result_bits, reuse ? 1 : 9);
  body += replaced(text, "{d}", d) + "\n";
  switch (test.result_bits) {
    case 1:
      body += fmt::format("selp.u64 %rd42, 1, 0, {};\n", d);
      break;
    case 16:
      body += fmt::format("cvt.u64.u16 %rd42, {};\n", d);
      break;
    case 32:
      body += fmt::format("cvt.u64.u32 %rd42, {};\n", d);
      break;
    default:
      body += fmt::format("mov.b64 %rd42, {};\n", d);
      break;
  }
  body += "st.global.u64 [%rd41], %rd42;\n";
  return kernel_of(2, body);
}

}  // namespace

void check_op(const OpTest& test) {
  constexpr size_t kRandomRows = 400;
  const auto rows = operand_rows(test.source_bits, kRandomRows);
  std::vector<uint32_t> words;
  for (const auto& row : rows) {
    for (uint64_t value : row) {
      words.push_back(static_cast<uint32_t>(value));
      words.push_back(static_cast<uint32_t>(value >> 32));
    }
  }
  for (const bool in_place : {false, true}) {
    const std::string ptx = kernel(test, in_place);
    for (uint32_t width : {4u, 32u}) {
      // 37 threads a CTA: full warps and a partial one at both widths.
      constexpr uint32_t kThreads = 37;
      const auto ctas = static_cast<uint32_t>((rows.size() + kThreads - 1) / kThreads);
      std::vector<uint32_t> padded = words;
      padded.resize(size_t{ctas} * kThreads * test.source_bits.size() * 2);
      std::vector<uint32_t> out(size_t{ctas} * kThreads * 2);
      executor::Launch launch =
          launch_of(width, kThreads, {buffer("in", padded), buffer("out", out)});
      launch.grid[0] = ctas;
      const auto results = output_of(completes(ptx, launch), "out");
      ASSERT_EQ(results.size(), out.size()) << test.text;
      for (size_t row = 0; row < rows.size(); ++row) {
        const uint64_t got = results[2 * row] | uint64_t{results[2 * row + 1]} << 32;
        const uint64_t want = test.formula(rows[row]) & mask_of(test.result_bits);
        std::string operands;
        for (uint64_t value : rows[row]) operands += fmt::format(" {:#x}", value);
        ASSERT_EQ(got, want) << test.text << " of" << operands << " at width " << width
                             << (in_place ? ", in place" : "");
      }
    }
  }
}

}  // namespace warplock::reference_interp::testing
