#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "reference_interp/test_support.h"

/// Loads, stores and atomics of every width, in every space, by every address.
namespace warplock::reference_interp {
namespace {

using namespace testing;

class MemoryOps : public ::testing::TestWithParam<uint32_t> {
 protected:
  static executor::Launch launch(uint32_t threads, std::vector<uint32_t> in, size_t out) {
    return launch_of(GetParam(), threads,
                     {buffer("in", std::move(in)), buffer("out", std::vector<uint32_t>(out))});
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, MemoryOps, ::testing::Values(4u, 32u),
                         [](const auto& tested) { return fmt::format("w{}", tested.param); });

struct MemoryType {
  const char* name;
  uint32_t bytes;
  bool is_signed;
};
constexpr MemoryType kTypes[] = {{"b8", 1, false},  {"u8", 1, false},  {"s8", 1, true},
                                 {"b16", 2, false}, {"u16", 2, false}, {"s16", 2, true},
                                 {"b32", 4, false}, {"u32", 4, false}, {"s32", 4, true},
                                 {"b64", 8, false}, {"u64", 8, false}, {"s64", 8, true}};

uint64_t extended(const uint8_t* bytes, const MemoryType& type) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, type.bytes);
  const uint32_t spare = 64 - 8 * type.bytes;
  return type.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value << spare) >> spare)
                        : value;
}

/// Each type is loaded into each register that can hold it, and the register stored whole.
TEST_P(MemoryOps, LoadsExtendToTheRegister) {
  std::vector<uint32_t> in(16);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = 0x81f27f03u * (i + 1);
  uint8_t bytes[64];
  std::memcpy(bytes, in.data(), sizeof bytes);
  for (const MemoryType& type : kTypes) {
    for (uint32_t bits : {16u, 32u, 64u}) {
      if (bits < 8 * type.bytes) continue;
      const std::string reg = bits == 16 ? "%rs1" : bits == 32 ? "%r1" : "%rd20";
      const std::string ptx =
          kernel_of(2, fmt::format("mul.wide.u32 %rd10, %tid_, {};\nadd.u64 %rd11, %rd0, %rd10;\n"
                                   "mul.wide.u32 %rd10, %tid_, 8;\nadd.u64 %rd12, %rd1, %rd10;\n"
                                   "ld.global.{} {}, [%rd11];\nst.global.b{} [%rd12], {};",
                                   type.bytes, type.name, reg, bits, reg));
      const auto out = output_of(completes(ptx, launch(8, in, 16)), "out");
      const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
      for (uint32_t i = 0; i < 8; ++i) {
        const uint64_t got = out[2 * i] | uint64_t{out[2 * i + 1]} << 32;
        EXPECT_EQ(got, extended(bytes + type.bytes * i, type) & mask)
            << type.name << " in " << bits;
      }
    }
  }
}

TEST_P(MemoryOps, StoresTakeTheLowBytes) {
  for (const MemoryType& type : kTypes) {
    for (uint32_t bits : {16u, 32u, 64u}) {
      if (bits < 8 * type.bytes) continue;
      const std::string reg = bits == 16 ? "%rs1" : bits == 32 ? "%r1" : "%rd20";
      const std::string ptx =
          kernel_of(2, fmt::format("mov.u64 %rd20, 0x8182838485868788;\ncvt.u64.u32 %rd21, %tid_;\n"
                                   "add.u64 %rd20, %rd20, %rd21;\ncvt.u32.u64 %r1, %rd20;\n"
                                   "cvt.u16.u32 %rs1, %r1;\nmul.wide.u32 %rd10, %tid_, 8;\n"
                                   "add.u64 %rd12, %rd1, %rd10;\nst.global.{} [%rd12], {};",
                                   type.name, reg));
      const auto out = output_of(completes(ptx, launch(8, {0}, 16)), "out");
      const uint64_t mask = type.bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * type.bytes)) - 1;
      for (uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(out[2 * i] | uint64_t{out[2 * i + 1]} << 32, (0x8182838485868788 + i) & mask)
            << type.name << " from " << bits;
      }
    }
  }
}

TEST_P(MemoryOps, VectorsOfEveryType) {
  for (const MemoryType& type : kTypes) {
    for (uint32_t elements : {2u, 4u}) {
      if (type.bytes * elements > 16) continue;
      const std::string prefix = type.bytes == 8 ? "%rd2" : "%r2";
      std::string list;
      for (uint32_t e = 0; e < elements; ++e)
        list += fmt::format("{}{}{}", e == 0 ? "" : ", ", prefix, e);
      const std::string ptx = kernel_of(
          2,
          fmt::format("mul.wide.u32 %rd10, %tid_, {};\nadd.u64 %rd11, %rd0, %rd10;\n"
                      "add.u64 %rd12, %rd1, %rd10;\nld.global.v{}.{} {{{}}}, [%rd11];\n"
                      "st.global.v{}.{} [%rd12], {{{}}};",
                      type.bytes * elements, elements, type.name, list, elements, type.name, list));
      std::vector<uint32_t> in(32);
      for (uint32_t i = 0; i < in.size(); ++i) in[i] = 0x9e3779b9u * (i + 1);
      const uint32_t bytes = 8 * type.bytes * elements;
      std::vector<uint32_t> want(in.begin(), in.begin() + bytes / 4);
      EXPECT_EQ(output_of(completes(ptx, launch(8, in, bytes / 4)), "out"), want)
          << type.name << " v" << elements;
    }
  }
}

TEST_P(MemoryOps, SpacesAndGenericAddresses) {
  // The same word through the space's own and the generic address; isspacep tells them apart.
  const char* declarations =
      ".shared .align 4 .b32 s[2];\n.const .align 4 .u32 c[2] = {40, 41};\n"
      ".global .align 4 .u32 g[2] = {50, 51};\n"
      ".global .align 8 .u64 pointers[2] = {g+4, generic(c)};";
  const std::string ptx = kernel_of(
      2,
      ".local .align 4 .b32 l[2];\n"
      "mov.u64 %rd2, s;\ncvta.shared.u64 %rd3, %rd2;\nst.shared.u32 [s+4], 1;\nld.u32 %r1, "
      "[%rd3+4];\n"
      "mov.u64 %rd4, l;\ncvta.local.u64 %rd5, %rd4;\nst.local.u32 [l+4], 2;\nld.u32 %r2, "
      "[%rd5+4];\n"
      "cvta.to.local.u64 %rd6, %rd5;\nsub.u64 %rd6, %rd6, %rd4;\ncvt.u32.u64 %r3, %rd6;\n"
      "ld.const.u32 %r4, [c+4];\nmov.u64 %rd7, c;\ncvta.const.u64 %rd7, %rd7;\nld.u32 %r5, "
      "[%rd7];\n"
      "ld.global.u64 %rd8, [pointers];\nld.global.u32 %r6, [%rd8];\n"
      "ld.global.u64 %rd9, [pointers+8];\nld.u32 %r7, [%rd9+4];\n"
      "isspacep.shared %p1, %rd3;\nisspacep.global %p2, %rd3;\nisspacep.local %p3, %rd5;\n"
      "isspacep.const %p4, %rd7;\nisspacep.global %p5, %rd1;\nisspacep.const %p6, %rd1;\n"
      "selp.u32 %r8, 1, 0, %p1;\nselp.u32 %r9, 2, 0, %p2;\nor.b32 %r8, %r8, %r9;\n"
      "selp.u32 %r9, 4, 0, %p3;\nor.b32 %r8, %r8, %r9;\nselp.u32 %r9, 8, 0, %p4;\nor.b32 %r8, %r8, "
      "%r9;\n"
      "selp.u32 %r9, 16, 0, %p5;\nor.b32 %r8, %r8, %r9;\nselp.u32 %r9, 32, 0, %p6;\nor.b32 %r8, "
      "%r8, %r9;\n"
      "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};\nst.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, "
      "%r8};",
      declarations);
  EXPECT_EQ(output_of(completes(ptx, launch(1, {0}, 8)), "out"),
            (std::vector<uint32_t>{1, 2, 0, 41, 40, 51, 41, 1 + 4 + 8 + 16}));
}

TEST_P(MemoryOps, DynamicSharedMemory) {
  const std::string ptx =
      kernel_of(2,
                "st.shared.u32 [d+8], 5;\nmov.u32 %r1, e;\nld.shared.u32 %r2, [%r1+8];\n"
                "mov.u32 %r3, %dynamic_smem_size;\nmov.u32 %r4, %total_smem_size;\n"
                "st.global.v2.u32 [%rd1], {%r2, %r3};\nst.global.u32 [%rd1+8], %r4;",
                ".extern .shared .align 4 .b32 d[];\n.extern .shared .align 4 .b32 e[];\n"
                ".shared .align 4 .b32 unused[7];");
  executor::Launch with = launch(1, {0}, 3);
  with.shared_bytes = 12;
  EXPECT_EQ(output_of(completes(ptx, with), "out"), (std::vector<uint32_t>{5, 12, 12}));
  with.shared_bytes = 8;
  EXPECT_EQ(fault_of(ptx, with).klass, "out of bounds");
}

using AtomicFormula = std::function<uint64_t(uint64_t old, uint64_t b, uint64_t c)>;

/// Old values, operands b and c: every pair of corners.
std::vector<std::array<uint64_t, 3>> atomic_rows() {
  const std::vector<uint64_t> corners{0,
                                      1,
                                      2,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0xffffffffffffffff,
                                      0xfeed};
  std::vector<std::array<uint64_t, 3>> rows;
  for (uint64_t old : corners) {
    for (uint64_t b : corners) rows.push_back({old, b, old ^ 0x1234});
  }
  return rows;
}

/// Every thread applies `op` ("cas.b32") to a word of its own, by atom or red.
void check_atomic(uint32_t width, const std::string& op, bool red, const AtomicFormula& formula) {
  const auto rows = atomic_rows();
  std::vector<uint32_t> in(rows.size() * 6);
  std::memcpy(in.data(), rows.data(), in.size() * 4);
  const int bits = std::stoi(op.substr(op.find('.') + 2));
  const std::string kind = bits == 16 ? "%rs" : bits == 32 ? "%r" : "%rd2";
  const std::string c = op.starts_with("cas") ? fmt::format(", {}3", kind) : "";
  const std::string text =
      red ? fmt::format("red.global.{} [%rd12], {}2;", op, kind)
          : fmt::format("atom.global.{} {}1, [%rd12], {}2{};\nst.global.b{} [%rd12+8], {}1;", op,
                        kind, kind, c, bits, kind);
  const std::string ptx =
      kernel_of(2, fmt::format("mul.wide.u32 %rd10, %tid_, 24;\nadd.u64 %rd11, %rd0, %rd10;\n"
                               "mul.wide.u32 %rd10, %tid_, 16;\nadd.u64 %rd12, %rd1, %rd10;\n"
                               "ld.global.b{0} {1}2, [%rd11+8];\nld.global.b{0} {1}3, [%rd11+16];\n"
                               "ld.global.b{0} {1}4, [%rd11];\nst.global.b{0} [%rd12], {1}4;\n{2}",
                               bits, kind, text));
  const auto threads = static_cast<uint32_t>(rows.size());
  const auto launch = launch_of(
      width, threads, {buffer("in", in), buffer("out", std::vector<uint32_t>(threads * 4))});
  const auto out = output_of(completes(ptx, launch), "out");
  ASSERT_EQ(out.size(), threads * 4);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t old = rows[i][0] & mask, b = rows[i][1] & mask;
    const uint64_t want = formula(old, b, rows[i][2] & mask) & mask;
    EXPECT_EQ(out[4 * i] | uint64_t{out[4 * i + 1]} << 32, want)
        << op << " of " << old << ", " << b;
    EXPECT_EQ(out[4 * i + 2] | uint64_t{out[4 * i + 3]} << 32, red ? 0 : old) << op;
  }
}

TEST_P(MemoryOps, AtomicLogicExchangeAndCompare) {
  for (const std::string type : {"b32", "b64"}) {
    for (const bool red : {false, true}) {
      check_atomic(GetParam(), "and." + type, red, [](auto o, auto b, auto) { return o & b; });
      check_atomic(GetParam(), "or." + type, red, [](auto o, auto b, auto) { return o | b; });
      check_atomic(GetParam(), "xor." + type, red, [](auto o, auto b, auto) { return o ^ b; });
    }
    check_atomic(GetParam(), "exch." + type, false, [](auto, auto b, auto) { return b; });
  }
  for (const std::string type : {"b16", "b32", "b64"}) {
    check_atomic(GetParam(), "cas." + type, false,
                 [](auto o, auto b, auto c) { return o == b ? c : o; });
  }
}

TEST_P(MemoryOps, AtomicArithmetic) {
  for (const bool red : {false, true}) {
    for (const std::string type : {"u32", "s32", "u64"}) {
      check_atomic(GetParam(), "add." + type, red, [](auto o, auto b, auto) { return o + b; });
    }
    check_atomic(GetParam(), "inc.u32", red,
                 [](uint64_t o, uint64_t b, uint64_t) { return o >= b ? 0 : o + 1; });
    check_atomic(GetParam(), "dec.u32", red,
                 [](uint64_t o, uint64_t b, uint64_t) { return o == 0 || o > b ? b : o - 1; });
    for (const std::string type : {"u32", "s32", "u64", "s64"}) {
      const int spare = type[1] == '6' ? 0 : 32;
      const auto less = [type, spare](uint64_t a, uint64_t b) {
        if (type[0] == 'u') return a < b;
        return static_cast<int64_t>(a << spare) < static_cast<int64_t>(b << spare);
      };
      check_atomic(GetParam(), "min." + type, red,
                   [&](auto o, auto b, auto) { return less(o, b) ? o : b; });
      check_atomic(GetParam(), "max." + type, red,
                   [&](auto o, auto b, auto) { return less(o, b) ? b : o; });
    }
  }
}

TEST_P(MemoryOps, AtomicsOnSharedWithContention) {
  const std::string ptx =
      kernel_of(2,
                "setp.eq.u32 %p1, %tid_, 0;\n@%p1 st.shared.u32 [s], 100;\nbar.sync 0;\n"
                "atom.shared.add.u32 %r1, [s], %tid_;\nbar.sync 0;\n"
                "ld.shared.u32 %r2, [s];\n@%p1 st.global.u32 [%rd1], %r2;",
                ".shared .align 4 .b32 s[1];");
  EXPECT_EQ(output_of(completes(ptx, launch(100, {0}, 1)), "out")[0], 100u + 99 * 100 / 2);
}

}  // namespace
}  // namespace warplock::reference_interp
