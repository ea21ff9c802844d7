#include "ptx/module_difference.h"

#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/test_support.h"

namespace warplock::ptx {
namespace {

TEST(ModuleDifference, EqualModulesHaveNone) {
  std::string text = module_around("add.u32 r1, r2, 5; @p bra L; L:");
  EXPECT_EQ(first_difference(*parse_text(text), *parse_text(fmt::format("\n{}", text))), "")
      << "positions do not count";
}

TEST(ModuleDifference, EveryChangeIsFound) {
  auto original = parse_text(
      module_around("ld.global.v2.u32 {r1, r2}, [d1+4]; L: T: .branchtargets L; brx.idx r1, T;",
                    ".global .u64 pointer = gv; .file 1 \"a.cu\""));
  auto changed = [&](const std::function<void(Module&)>& change) {
    Module copy = *original;
    change(copy);
    return first_difference(*original, copy);
  };
  auto kernel = [](Module& module) -> Function& { return module.functions.back(); };
  EXPECT_EQ(changed([](Module& m) { m.target.clear(); }), "target");
  EXPECT_EQ(changed([](Module& m) { m.files[0].clear(); }), "files");
  EXPECT_EQ(changed([](Module& m) { m.variables.pop_back(); }), "variables.size");
  EXPECT_EQ(changed([](Module& m) { m.variables[0].alignment = 1; }), "variables[0].alignment");
  EXPECT_EQ(changed([](Module& m) { m.variables[1].initializer[0] = 9; }),
            "variables[1].initializer");
  EXPECT_EQ(changed([](Module& m) { m.variables[3].relocations[0].addend = 1; }),
            "variables[3].relocations[0].addend");
  EXPECT_EQ(changed([](Module& m) { m.functions[0].parameters[0].name.clear(); }),
            "functions[0].parameters[0].name");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).registers[0].type = Type::kB32; }),
            "functions[4].registers[0].type");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).labels[0].target = 0; }),
            "functions[4].labels[0].target");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).branch_tables[0].targets[0] = 0; }),
            "functions[4].branch_tables[0].targets");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).body[0].modifiers.kept.push_back('x'); }),
            "functions[4].body[0].modifiers");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).body[0].sources[0].offset = 8; }),
            "functions[4].body[0].sources[0].offset");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).body[0].destinations[0].elements[1].index = 0; }),
            "functions[4].body[0].destinations[0].elements[1].index");
  EXPECT_EQ(changed([&](Module& m) { kernel(m).body[1].guard.negated = true; }),
            "functions[4].body[1].guard.negated");
}

}  // namespace
}  // namespace warplock::ptx
