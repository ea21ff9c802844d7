#include "ptx/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/test_support.h"

/// What the module of a text holds.
namespace warplock::ptx {
namespace {

using testing::ElementsAre;
using Kind = Operand::Kind;

Instruction only(const std::string& line) {
  std::vector<Instruction> all = instructions_of(line);
  EXPECT_EQ(all.size(), 1u) << line;
  return all.empty() ? Instruction{} : all.front();
}

const Variable& variable(const Module& module, const std::string& name) {
  for (const Variable& one : module.variables) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no variable " << name;
  return module.variables.at(0);
}

const Function& function(const Module& module, const std::string& name) {
  for (const Function& one : module.functions) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no function " << name;
  return module.functions.at(0);
}

TEST(Parse, HeadOfTheModule) {
  auto module = parse_text(".version 7.8\n.target sm_70, debug\n.address_size 64\n");
  EXPECT_EQ(module->version_major, 7u);
  EXPECT_EQ(module->version_minor, 8u);
  EXPECT_EQ(module->target, "sm_70");
  EXPECT_EQ(module->address_size, 64u);
  EXPECT_EQ(parse_text(".version 6.0\n.target sm_70\n")->address_size, 64u);
  EXPECT_EQ(parse_text(".version 9.0\n.target sm_120a\n")->target, "sm_120a");
}

TEST(Parse, HeadsThatAreRefused) {
  EXPECT_EQ(refusal_class(".version 5.0\n.target sm_70\n"), "unsupported");
  EXPECT_EQ(refusal_class(".version 8\n.target sm_70\n"), "syntax");
  EXPECT_EQ(refusal_class(".version\n.target sm_70\n"), "syntax");
  EXPECT_EQ(refusal_class(".version 8.0\n"), "missing directive");
  EXPECT_EQ(refusal_class(".version 8.0\n.target foo\n"), "syntax");
  EXPECT_EQ(refusal_class(".version 8.0\n.target sm_70, map_f64_to_f32\n"), "unsupported");
  EXPECT_EQ(refusal_class(".version 8.0\n.target sm_70\n.address_size 32\n"), "unsupported");
  EXPECT_EQ(refusal_class("add.u32 a, b, c;"), "syntax");
}

TEST(Parse, WordsBecomeModifiers) {
  Instruction one = only("@!p setp.lo.and.u32 q|_, r1, 5, !pp;");
  EXPECT_EQ(one.opcode, Opcode::kSetp);
  EXPECT_TRUE(one.guard.present());
  EXPECT_TRUE(one.guard.negated);
  EXPECT_EQ(one.modifiers.compare, Compare::kLt) << "lo is the unsigned spelling of lt";
  EXPECT_EQ(one.modifiers.bool_op, BoolOp::kAnd);
  EXPECT_THAT(one.types, ElementsAre(Type::kU32, Type::kNone));
  ASSERT_EQ(one.destinations.size(), 2u);
  EXPECT_EQ(one.destinations[1].kind, Kind::kSink);
  ASSERT_EQ(one.sources.size(), 3u);
  EXPECT_TRUE(one.sources[2].negated);

  EXPECT_EQ(only("mul.hi.u32 r1, r2, r3;").modifiers.half, Half::kHi);
  EXPECT_TRUE(only("add.sat.s32 r1, r2, r3;").modifiers.saturate);
  EXPECT_TRUE(only("addc.cc.u32 r1, r2, r3;").modifiers.carry_out);
  EXPECT_TRUE(only("bfind.shiftamt.u32 r1, r2;").modifiers.shift_amount);
  EXPECT_EQ(only("shf.r.wrap.b32 r1, r2, r3, r4;").modifiers.direction, Direction::kRight);
  EXPECT_EQ(only("shf.r.wrap.b32 r1, r2, r3, r4;").modifiers.overflow, Overflow::kWrap);
  EXPECT_EQ(only("prmt.b32.rc16 r1, r2, r3, r4;").modifiers.prmt, PrmtMode::kRc16);
  EXPECT_EQ(only("cvt.rz.f32.s32 f1, r1;").modifiers.rounding, Rounding::kRz);
  EXPECT_THAT(only("cvt.sat.u8.s32 h1, r1;").types, ElementsAre(Type::kU8, Type::kS32));
  EXPECT_THAT(only("dp4a.s32.u32 r1, r2, r3, r4;").types, ElementsAre(Type::kS32, Type::kU32));
  EXPECT_EQ(only("vote.sync.uni.pred p, q, -1;").modifiers.vote, VoteMode::kUni);
  EXPECT_EQ(only("match.all.sync.b32 r1|p, r2, -1;").modifiers.match, MatchMode::kAll);
  EXPECT_EQ(only("redux.sync.max.s32 r1, r2, -1;").modifiers.redux, ReduxOp::kMax);
  EXPECT_EQ(only("shfl.sync.idx.b32 r1, r2, 0, 0, -1;").modifiers.shuffle, ShuffleMode::kIdx);
  EXPECT_TRUE(only("shfl.sync.idx.b32 r1, r2, 0, 0, -1;").modifiers.sync);
  EXPECT_TRUE(only("cvta.to.shared.u64 d1, d2;").modifiers.to);
  EXPECT_EQ(only("cvta.to.shared.u64 d1, d2;").modifiers.space, Space::kShared);
}

TEST(Parse, WordsWithoutAnEffectAreKept) {
  Instruction load = only("ld.acquire.gpu.global.L1::no_allocate.v2.u32 {r1, r2}, [d1];");
  EXPECT_EQ(load.modifiers.kept, ".acquire.gpu.L1::no_allocate");
  EXPECT_EQ(load.modifiers.vector, 2);
  EXPECT_EQ(load.modifiers.space, Space::kGlobal);
  EXPECT_FALSE(load.modifiers.is_volatile);
  EXPECT_TRUE(only("ld.volatile.shared.u32 r1, [sv];").modifiers.is_volatile);
  EXPECT_EQ(only("ld.global.nc.u32 r1, [d1];").modifiers.kept, ".nc");
  EXPECT_EQ(only("atom.relaxed.sys.global.inc.u32 r1, [d1], r2;").modifiers.kept, ".relaxed.sys");
  EXPECT_EQ(only("ld.u32 r1, [d1];").modifiers.space, Space::kGeneric);
}

TEST(Parse, BarriersOfBothSpellings) {
  Instruction bar = only("bar.sync 3, 64;");
  EXPECT_EQ(bar.opcode, Opcode::kBar);
  EXPECT_EQ(bar.modifiers.barrier, BarrierOp::kSync);
  EXPECT_TRUE(bar.modifiers.aligned);
  EXPECT_EQ(bar.types[0], Type::kNone);
  EXPECT_FALSE(only("barrier.arrive 3, 64;").modifiers.aligned);
  EXPECT_TRUE(only("barrier.arrive.aligned 3, 64;").modifiers.aligned);
  Instruction red = only("bar.red.popc.u32 r1, 0, 32, !p;");
  EXPECT_EQ(red.modifiers.barrier, BarrierOp::kRedPopc);
  EXPECT_EQ(red.destinations.size(), 1u);
  ASSERT_EQ(red.sources.size(), 3u);
  EXPECT_TRUE(red.sources[2].negated);
  EXPECT_EQ(only("bar.red.and.pred p, 0, q;").sources.size(), 2u);
  EXPECT_EQ(only("bar.warp.sync -1;").opcode, Opcode::kBarWarpSync);
}

TEST(Parse, ImmediatesAreBitPatternsOfTheirType) {
  EXPECT_EQ(only("add.u32 r1, r2, -1;").sources[1].value, 0xffffffffu);
  EXPECT_EQ(only("add.s32 r1, r2, -1;").sources[1].value, 0xffffffffu);
  EXPECT_EQ(only("add.u16 h1, h2, -1;").sources[1].value, 0xffffu);
  EXPECT_EQ(only("add.s64 d1, d2, -1;").sources[1].value, UINT64_MAX);
  EXPECT_EQ(only("st.global.u8 [d1], -1;").sources[1].value, 0xffu);
  EXPECT_EQ(only("shl.b64 d1, d2, -1;").sources[1].value, 0xffffffffu) << "the amount is .u32";
  EXPECT_EQ(only("mul.wide.u32 d1, r1, -1925330167;").sources[1].value, 2369637129u);
  EXPECT_EQ(only("mad.wide.s16 r1, h1, -1, -1;").sources[1].value, 0xffffu);
  EXPECT_EQ(only("mad.wide.s16 r1, h1, -1, -1;").sources[2].value, 0xffffffffu);
  EXPECT_EQ(only("mov.f32 f1, 1.0;").sources[0].value, 0x3f800000u);
  EXPECT_EQ(only("mov.f64 g1, 0f3F800000;").sources[0].value, 0x3ff0000000000000u);
  EXPECT_EQ(only("mov.b32 r1, 0fBF800000;").sources[0].value, 0xbf800000u);
  EXPECT_EQ(only("mov.pred p, -1;").sources[0].value, 1u);
  EXPECT_EQ(only("mov.b32 r1, {h1, -1};").sources[0].elements[1].value, 0xffffu);
  EXPECT_EQ(only("call (r1), df, (-1, -1);").sources[2].value, UINT64_MAX);
  EXPECT_EQ(only("slct.u16.s32 h1, h2, 7, -1;").sources[2].value, 0xffffffffu);
}

TEST(Parse, Addresses) {
  Operand by_register = only("ld.global.u32 r1, [d1+-4];").sources[0];
  EXPECT_EQ(by_register.kind, Kind::kAddress);
  EXPECT_EQ(by_register.base, Operand::Base::kRegister);
  EXPECT_EQ(by_register.offset, -4);
  EXPECT_EQ(only("ld.global.u32 r1, [d1];").sources[0].offset, 0);
  EXPECT_EQ(only("ld.shared.u32 r1, [sv+4*2];").sources[0].offset, 8);
  EXPECT_EQ(only("ld.shared.u32 r1, [sv];").sources[0].base, Operand::Base::kVariable);
  EXPECT_EQ(only("ld.param.u32 r1, [p1];").sources[0].base, Operand::Base::kParameter);
  EXPECT_EQ(only("ld.param.u32 r1, [p1];").sources[0].index, 1u);
  Operand constant = only("ld.local.u32 r1, [64];").sources[0];
  EXPECT_EQ(constant.base, Operand::Base::kNone);
  EXPECT_EQ(constant.offset, 64);
  EXPECT_EQ(only("mov.u64 d1, gv+8;").sources[0].kind, Kind::kVariable);
  EXPECT_EQ(only("mov.u64 d1, gv+8;").sources[0].offset, 8);
  EXPECT_EQ(only("mov.u64 d1, p1;").sources[0].kind, Kind::kParameter);
  EXPECT_EQ(only("mov.u64 d1, df;").sources[0].kind, Kind::kFunction);
  EXPECT_EQ(only("mov.u32 r1, %ntid.z;").sources[0].special, SpecialRegister::kNtidZ);
}

TEST(Parse, StoresHaveNoDestination) {
  Instruction store = only("st.global.v2.u32 [d1], {r1, 5};");
  EXPECT_TRUE(store.destinations.empty());
  ASSERT_EQ(store.sources.size(), 2u);
  EXPECT_EQ(store.sources[1].elements.size(), 2u);
  Instruction red = only("red.global.add.u32 [d1], 1;");
  EXPECT_TRUE(red.destinations.empty());
  EXPECT_EQ(red.modifiers.atomic, AtomicOp::kAdd);
  Instruction atom = only("atom.global.cas.b32 _, [d1], r1, r2;");
  EXPECT_EQ(atom.destinations[0].kind, Kind::kSink);
  EXPECT_EQ(atom.sources.size(), 3u);
}

TEST(Parse, BranchesPointIntoTheBody) {
  auto body = instructions_of("L: add.u32 r1, r1, 1; @p bra L; bra M; add.u32 r1, r1, 2; M: N:");
  EXPECT_EQ(body[1].sources[0].kind, Kind::kLabel);
  EXPECT_EQ(body[1].sources[0].index, 0u);
  EXPECT_EQ(body[2].sources[0].index, 4u);
  auto module = parse_text(module_around("bra M; { M: ret; } M: N: ret;"));
  const Function& kernel = *module->find_entry("k");
  EXPECT_EQ(kernel.body[0].sources[0].index, 2u) << "the inner M is hidden outside";
  ASSERT_EQ(kernel.labels.size(), 3u);
  EXPECT_EQ(kernel.labels[0].name, "M");
  EXPECT_EQ(kernel.labels[1].name, "M$2");
  EXPECT_EQ(kernel.labels[2].name, "N");
  EXPECT_EQ(kernel.labels[2].target, 2u);
}

TEST(Parse, LabelAtTheEndPointsBehindTheBody) {
  auto module = parse_text(module_around("", ".func u() { bra E; E: }"));
  const Function& u = function(*module, "u");
  EXPECT_EQ(u.body.size(), 1u);
  EXPECT_EQ(u.body[0].sources[0].index, 1u);
}

TEST(Parse, BranchTables) {
  auto module = parse_text(
      module_around("A: T: .branchtargets A, B, A; brx.idx r1, T; B: add.u32 r1, r1, 1;"));
  const Function& kernel = *module->find_entry("k");
  ASSERT_EQ(kernel.branch_tables.size(), 1u);
  EXPECT_THAT(kernel.branch_tables[0].targets, ElementsAre(0u, 1u, 0u));
  EXPECT_EQ(kernel.body[0].opcode, Opcode::kBrxIdx);
  EXPECT_EQ(kernel.body[0].sources[1].kind, Kind::kBranchTable);
}

TEST(Parse, InnerNamesHideOuterOnes) {
  auto module =
      parse_text(module_around("{ .reg .b64 r1; add.u64 r1, r1, 1; { .reg .b16 r1; add.u16 r1, r1, "
                               "1; } } add.u32 r1, r1, 1;"));
  const Function& kernel = *module->find_entry("k");
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    names.push_back(kernel.registers[kernel.body[i].destinations[0].index].name);
  }
  EXPECT_THAT(names, ElementsAre("r1$2", "r1$3", "r1"));
}

TEST(Parse, NamesAreUniqueAlsoAgainstThoseOfTheModule) {
  auto module = parse_text(module_around(
      "{ .reg .b32 gv; mov.u32 gv, 1; .shared .u32 s; } { .shared .u32 s; st.shared.u32 [s], 1; }",
      ".entry e(.param .u32 gv) { .reg .b32 x; ld.param.u32 x, [gv]; }"));
  const Function& kernel = *module->find_entry("k");
  EXPECT_EQ(kernel.registers[kernel.body[0].destinations[0].index].name, "gv$2");
  EXPECT_EQ(module->variables[kernel.body[1].sources[0].index].name, "s$2");
  EXPECT_EQ(module->find_entry("e")->parameters[0].name, "gv$2");
}

TEST(Parse, RangesOfRegisters) {
  auto module = parse_text(
      ".version 8.0\n.target sm_70\n.entry e() { .reg .b32 %r<3>, %x; .reg .pred %p<2>; }");
  std::vector<std::string> names;
  for (const Register& reg : module->find_entry("e")->registers) names.push_back(reg.name);
  EXPECT_THAT(names, ElementsAre("%r0", "%r1", "%r2", "%x", "%p0", "%p1"));
}

TEST(Parse, KernelParametersLieOneAfterAnother) {
  auto module = parse_text(module_around(
      "",
      ".visible .entry e(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .u16 c, "
      ".param .align 16 .b8 d[20], .param .f32 f) .maxntid 32, 2 { ret; }"));
  const Function& e = *module->find_entry("e");
  std::vector<uint32_t> offsets, sizes;
  for (const Parameter& one : e.parameters) {
    offsets.push_back(one.offset);
    sizes.push_back(one.size);
  }
  EXPECT_THAT(offsets, ElementsAre(0u, 8u, 16u, 32u, 52u));
  EXPECT_THAT(sizes, ElementsAre(1u, 8u, 2u, 20u, 4u));
  EXPECT_EQ(e.parameter_bytes, 56u);
  EXPECT_EQ(e.parameters[3].alignment, 16u);
  EXPECT_TRUE(e.is_visible);
  EXPECT_THAT(e.max_ntid, ElementsAre(32u, 2u, 1u));
  EXPECT_THAT(e.req_ntid, ElementsAre(0u, 0u, 0u));
}

TEST(Parse, DeviceFunctionsHaveRegistersOrVariablesAsParameters) {
  auto module = parse_text(module_around(""));
  const Function& by_register = function(*module, "df");
  EXPECT_EQ(by_register.registers[by_register.returns[0].reg].name, "rv");
  EXPECT_EQ(by_register.registers[by_register.parameters[1].reg].type, Type::kU64);
  EXPECT_EQ(by_register.parameters[1].variable, kNoIndex);
  const Function& by_variable = function(*module, "pf");
  EXPECT_EQ(by_variable.parameters[0].reg, kNoIndex);
  const Variable& parameter = module->variables[by_variable.parameters[1].variable];
  EXPECT_EQ(parameter.name, "bb");
  EXPECT_EQ(parameter.space, Space::kParam);
  EXPECT_EQ(parameter.size, 8u);
  EXPECT_EQ(parameter.role, Variable::Role::kParameter);
  EXPECT_EQ(&module->functions[parameter.function], &by_variable);
  EXPECT_EQ(module->variables[by_variable.returns[0].variable].role, Variable::Role::kResult);
}

TEST(Parse, CallsHoldTheFunctionFirst) {
  auto module = parse_text(module_around(
      "{ .param .b32 a; .param .b64 b; .param .b32 r; call.uni (r), pf, (a, b); } call nf;"));
  const Function& kernel = *module->find_entry("k");
  const Instruction& call = kernel.body[0];
  EXPECT_TRUE(call.modifiers.uniform);
  ASSERT_EQ(call.sources.size(), 3u);
  EXPECT_EQ(call.sources[0].kind, Kind::kFunction);
  EXPECT_EQ(module->functions[call.sources[0].index].name, "pf");
  EXPECT_EQ(call.sources[2].kind, Kind::kVariable);
  EXPECT_EQ(module->variables[call.sources[2].index].name, "b");
  EXPECT_EQ(module->variables[call.destinations[0].index].name, "r");
  EXPECT_EQ(kernel.body[1].sources.size(), 1u);
}

TEST(Parse, FunctionsStandInTheOrderOfTheirBodies) {
  auto module = parse_text(module_around(
      "call b;",
      ".extern .func x(); .func b(); .func a() { call b; ret; } .func b() { call x; ret; }"));
  std::vector<std::string> names;
  for (const Function& one : module->functions) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("x", "df", "nf", "pf", "sf", "a", "b", "k"));
  EXPECT_TRUE(module->functions[0].is_declaration);
  EXPECT_EQ(module->functions[5].body[0].sources[0].index, 6u);
  EXPECT_EQ(module->functions[7].body[0].sources[0].index, 6u);
  uint32_t expected = 0;
  for (const Function& one : module->functions) {
    for (const Instruction& instruction : one.body) EXPECT_EQ(instruction.id, expected++);
  }
  EXPECT_EQ(module->instruction_count, expected);
}

TEST(Parse, VariablesOfTheModuleComeBeforeThoseOfFunctions) {
  auto module =
      parse_text(module_around("mov.u64 d1, last; st.local.u32 [lv], 1;",
                               ".func u() { .local .b32 l; ret; } .global .u64 last = gv;"));
  bool local_seen = false;
  for (const Variable& one : module->variables) {
    if (one.function != kNoIndex) local_seen = true;
    EXPECT_EQ(one.function != kNoIndex, local_seen) << one.name;
  }
  const Function& kernel = *module->find_entry("k");
  EXPECT_EQ(module->variables[kernel.body[0].sources[0].index].name, "last");
  EXPECT_EQ(module->variables[kernel.body[1].sources[0].index].name, "lv");
  EXPECT_EQ(&module->functions[variable(*module, "lv").function], &kernel);
  const Variable& last = variable(*module, "last");
  EXPECT_EQ(module->variables[last.relocations.at(0).variable].name, "gv");
}

TEST(Parse, Initialisers) {
  auto module = parse_text(module_around("", R"(
    .global .align 2 .s16 a[4] = {-1, 0x102, 07};
    .global .u32 b = 1 ? 5 : 6;
    .const .b8 c[2][3] = {{1}, {2, 3}};
    .global .f32 f[2] = {1.0, 0fBF800000};
    .global .f64 g = 1.5;
    .global .u64 p[3] = {0, generic(gv)+4, gv};
    .visible .global .v2 .u32 v[2] = {{1, 2}, {3, 4}};
    .global .u32 open[] = {1, 2, 3};
    .global .u32 empty[2] = {};
    .global .u32 none[2];)"));
  const Variable& a = variable(*module, "a");
  EXPECT_THAT(a.initializer, ElementsAre(0xff, 0xff, 2, 1, 7, 0));
  EXPECT_EQ(a.size, 8u);
  EXPECT_EQ(a.alignment, 2u);
  EXPECT_THAT(variable(*module, "b").initializer, ElementsAre(5, 0, 0, 0));
  EXPECT_THAT(variable(*module, "c").initializer, ElementsAre(1, 0, 0, 2, 3));
  EXPECT_THAT(variable(*module, "c").dimensions, ElementsAre(2u, 3u));
  EXPECT_THAT(variable(*module, "f").initializer, ElementsAre(0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf));
  EXPECT_EQ(variable(*module, "g").initializer[7], 0x3f);
  const Variable& p = variable(*module, "p");
  ASSERT_EQ(p.relocations.size(), 2u);
  EXPECT_EQ(p.relocations[0].offset, 8u);
  EXPECT_EQ(p.relocations[0].bytes, 8u);
  EXPECT_EQ(p.relocations[0].addend, 4);
  EXPECT_TRUE(p.relocations[0].generic);
  EXPECT_FALSE(p.relocations[1].generic);
  const Variable& v = variable(*module, "v");
  EXPECT_EQ(v.size, 16u);
  EXPECT_EQ(v.alignment, 8u);
  EXPECT_TRUE(v.is_visible);
  EXPECT_EQ(variable(*module, "open").size, 12u);
  EXPECT_TRUE(variable(*module, "empty").has_initializer);
  EXPECT_TRUE(variable(*module, "empty").initializer.empty());
  EXPECT_FALSE(variable(*module, "none").has_initializer);
}

TEST(Parse, DynamicSharedMemory) {
  auto module = parse_text(module_around("", ".extern .shared .align 16 .b8 dyn[];"));
  const Variable& dyn = variable(*module, "dyn");
  EXPECT_TRUE(dyn.is_extern);
  EXPECT_EQ(dyn.size, 0u);
  EXPECT_EQ(dyn.alignment, 16u);
}

TEST(Parse, PlacesInTheTextAndInCuda) {
  auto module = parse_text(
      ".version 8.0\n.target sm_70\n.entry e()\n{\n.reg .b32 r;\n"
      "mov.u32 r, 1;\n.loc 7 12 3\n  mov.u32 r, 2;\n"
      ".loc 7 13 5, function_name $L__info, inlined_at 7 20 1\nmov.u32 r, 3;\n"
      ".loc 9 1 1\nmov.u32 r, 4;\n}\n.file 9 \"b.cu\"\n.file 7 \"a.cu\"\n"
      ".section .debug_info\n{\n.b8 1\nL: .b32 L+4\n}\n");
  const Function& e = *module->find_entry("e");
  EXPECT_EQ(e.body[1].position, (diagnostics::Position{8, 3}));
  EXPECT_EQ(e.body[0].cuda.line, 0u);
  EXPECT_EQ(e.body[1].cuda.line, 12u);
  EXPECT_EQ(e.body[1].cuda.column, 3u);
  EXPECT_EQ(e.body[2].cuda.line, 13u);
  ASSERT_EQ(module->files.size(), 2u);
  EXPECT_EQ(module->files[e.body[2].cuda.file], "a.cu");
  EXPECT_EQ(module->files[e.body[3].cuda.file], "b.cu");
}

TEST(Parse, OutputOfCompilersIsAccepted) {
  for (const std::string& file : files_in("ptx/testdata/compiled", ".ptx")) {
    auto module = parse_text(read_test_file(file));
    EXPECT_NE(module->find_entry("features"), nullptr) << file;
    EXPECT_GT(module->instruction_count, 50u) << file;
  }
}

TEST(Parse, ShufflesWithoutSyncBelongToOldTargets) {
  auto module = [](const char* version, const char* target) {
    return std::string(".version ") + version + "\n.target " + target +
           "\n.entry e() { .reg .b32 r; shfl.up.b32 r, r, 1, 0; }";
  };
  EXPECT_EQ(refusal_class(module("6.3", "sm_70")), "ok");
  EXPECT_EQ(refusal_class(module("8.0", "sm_60")), "ok");
  EXPECT_EQ(refusal_class(module("6.4", "sm_70")), "illegal modifier");
  EXPECT_EQ(refusal_class(module("8.0", "sm_100")), "illegal modifier");
  EXPECT_FALSE(parse_text(module("6.3", "sm_70"))->find_entry("e")->body[0].modifiers.sync);
}

}  // namespace
}  // namespace warplock::ptx
