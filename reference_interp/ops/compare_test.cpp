#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "reference_interp/op_tester.h"

namespace warplock::reference_interp {
namespace {

using testing::check_op;
using testing::OpTest;
using Row = std::vector<uint64_t>;

int64_t signed_value(uint64_t bits, int width) {
  const int spare = 64 - width;
  return static_cast<int64_t>(bits << spare) >> spare;
}

bool holds(const std::string& relation, const Row& r, bool is_signed, int bits) {
  const bool equal = r[0] == r[1];
  const bool less = is_signed ? signed_value(r[0], bits) < signed_value(r[1], bits) : r[0] < r[1];
  if (relation == "eq") return equal;
  if (relation == "ne") return !equal;
  if (relation == "lt" || relation == "lo") return less;
  if (relation == "le" || relation == "ls") return less || equal;
  if (relation == "gt" || relation == "hi") return !less && !equal;
  return !less;
}

bool combined(const std::string& op, bool value, bool c) {
  if (op == ".and") return value && c;
  if (op == ".or") return value || c;
  if (op == ".xor") return value != c;
  return value;
}

struct Form {
  const char* type;
  int bits;
  bool is_signed;
  std::vector<std::string> relations;
};

const std::vector<std::string> kSigned{"eq", "ne", "lt", "le", "gt", "ge"};
const std::vector<std::string> kUnsigned{"eq", "ne", "lt", "le", "gt",
                                         "ge", "lo", "ls", "hi", "hs"};
const std::vector<Form> kForms{{"s16", 16, true, kSigned},       {"s32", 32, true, kSigned},
                               {"s64", 64, true, kSigned},       {"u16", 16, false, kUnsigned},
                               {"u32", 32, false, kUnsigned},    {"u64", 64, false, kUnsigned},
                               {"b16", 16, false, {"eq", "ne"}}, {"b32", 32, false, {"eq", "ne"}},
                               {"b64", 64, false, {"eq", "ne"}}};

TEST(Compare, Setp) {
  for (const Form& form : kForms) {
    for (const std::string& relation : form.relations) {
      for (const std::string op : {"", ".and", ".or", ".xor"}) {
        OpTest test;
        test.result_bits = 1;
        test.source_bits = {form.bits, form.bits};
        if (!op.empty()) test.source_bits.push_back(1);
        const std::string c = op.empty() ? "" : ", {c}";
        test.text = fmt::format("setp.{}{}.{} {{d}}, {{a}}, {{b}}{};", relation, op, form.type, c);
        test.formula = [&](const Row& r) {
          return combined(op, holds(relation, r, form.is_signed, form.bits),
                          !op.empty() && r[2] != 0);
        };
        check_op(test);
        // q is combined from the negation.
        test.text =
            fmt::format("setp.{}{}.{} %p12|{{d}}, {{a}}, {{b}}{};", relation, op, form.type, c);
        test.formula = [&](const Row& r) {
          return combined(op, !holds(relation, r, form.is_signed, form.bits),
                          !op.empty() && r[2] != 0);
        };
        check_op(test);
      }
    }
  }
}

TEST(Compare, Set) {
  for (const Form& form : kForms) {
    for (const std::string& relation : form.relations) {
      for (const std::string to : {"u32", "s32", "f32"}) {
        for (const std::string op : {"", ".xor"}) {
          OpTest test;
          test.source_bits = {form.bits, form.bits};
          if (!op.empty()) test.source_bits.push_back(1);
          test.text = fmt::format("set.{}{}.{}.{} {{d}}, {{a}}, {{b}}{};", relation, op, to,
                                  form.type, op.empty() ? "" : ", !{c}");
          test.formula = [&](const Row& r) -> uint64_t {
            const bool yes = combined(op, holds(relation, r, form.is_signed, form.bits),
                                      !op.empty() && r[2] == 0);
            if (!yes) return 0;
            return to == "f32" ? 0x3f800000 : 0xffffffff;
          };
          check_op(test);
        }
      }
    }
  }
}

TEST(Compare, SelpSlct) {
  for (const std::string type : {"b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64"}) {
    const int bits = std::stoi(type.substr(1));
    OpTest test;
    test.result_bits = bits;
    test.source_bits = {bits, bits, 1};
    test.text = fmt::format("selp.{} {{d}}, {{a}}, {{b}}, {{c}};", type);
    test.formula = [](const Row& r) { return r[2] != 0 ? r[0] : r[1]; };
    check_op(test);
    test.source_bits = {bits, bits, 32};
    test.text = fmt::format("slct.{}.s32 {{d}}, {{a}}, {{b}}, {{c}};", type);
    test.formula = [](const Row& r) { return static_cast<int32_t>(r[2]) >= 0 ? r[0] : r[1]; };
    check_op(test);
    test.text = fmt::format("slct.{}.f32 {{d}}, {{a}}, {{b}}, {{c}};", type);
    test.formula = [](const Row& r) {
      return std::bit_cast<float>(static_cast<uint32_t>(r[2])) >= 0.0f ? r[0] : r[1];
    };
    check_op(test);
    test.text = fmt::format("slct.ftz.{}.f32 {{d}}, {{a}}, {{b}}, {{c}};", type);
    test.formula = [](const Row& r) {
      float c = std::bit_cast<float>(static_cast<uint32_t>(r[2]));
      if (std::fpclassify(c) == FP_SUBNORMAL) c = 0.0f;
      return c >= 0.0f ? r[0] : r[1];
    };
    check_op(test);
  }
}

}  // namespace
}  // namespace warplock::reference_interp
