#include "ptx/print.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/module_difference.h"
#include "ptx/test_support.h"

namespace warplock::ptx {
namespace {

std::vector<std::string> whole_files() {
  std::vector<std::string> files = files_in("ptx/testdata/compiled", ".ptx");
  std::vector<std::string> cases = files_in("reference_interp/testdata/cases", ".ptx");
  files.insert(files.end(), cases.begin(), cases.end());
  return files;
}

TEST(Printer, FilesAreReadBackAsTheSameModule) {
  std::vector<std::string> files = whole_files();
  ASSERT_GT(files.size(), 90u);
  for (const std::string& file : files) {
    auto module = parse_text(read_test_file(file));
    std::string printed = print(*module);
    EXPECT_EQ(first_difference(*module, *parse_text(printed)), "") << file;
    EXPECT_EQ(print(*parse_text(printed)), printed) << file;
  }
}

TEST(Printer, PtxasAcceptsWhatIsPrinted) {
  std::string ptxas = find_ptxas();
  if (ptxas.empty()) GTEST_SKIP() << "ptxas of the CUDA toolkit is neither in PATH nor installed";
  for (const std::string& file : whole_files()) {
    EXPECT_EQ(ptxas_errors(ptxas, print(*parse_text(read_test_file(file)))), "") << file;
  }
}

/// One instruction of the kernel in `module_around` as to_text writes it.
std::string printed(const std::string& line) {
  auto module = parse_text(module_around(line));
  const Function* kernel = module->find_entry("k");
  return kernel == nullptr ? "" : to_text(*module, *kernel, kernel->body.front());
}

TEST(Printer, InstructionsAreWrittenInOneLine) {
  EXPECT_EQ(printed("add.u32 r1,r2,3 ;"), "add.u32 r1, r2, 3");
  EXPECT_EQ(printed("@!p add.s32 r1, -5, r2;"), "@!p add.s32 r1, -5, r2");
  EXPECT_EQ(printed("add.u32 r1, r2, -1;"), "add.u32 r1, r2, 4294967295");
  EXPECT_EQ(printed("add.u64 d1, d2, 1<<40;"), "add.u64 d1, d2, 1099511627776");
  EXPECT_EQ(printed("setp.lo.and.u32 p|q, r1, 5, !pp;"), "setp.lt.and.u32 p|q, r1, 5, !pp");
  EXPECT_EQ(printed("setp.eq.s16 _|q, h1, -1;"), "setp.eq.s16 _|q, h1, -1");
  EXPECT_EQ(printed("ld.relaxed.gpu.global.v2.u32 {r1, _}, [d1+-8];"),
            "ld.relaxed.gpu.global.v2.u32 {r1, _}, [d1+-8]");
  EXPECT_EQ(printed("st.shared.b32 [sv+4], f1;"), "st.shared.b32 [sv+4], f1");
  EXPECT_EQ(printed("ld.local.u32 r1, [64];"), "ld.local.u32 r1, [64]");
  EXPECT_EQ(printed("ld.param.u64 d1, [p0];"), "ld.param.u64 d1, [p0]");
  EXPECT_EQ(printed("ld.param::entry.u32 r1, [p0+4];"), "ld.param.u32 r1, [p0+4]");
  EXPECT_EQ(printed("mov.f32 f1, 1.0;"), "mov.f32 f1, 0f3F800000");
  EXPECT_EQ(printed("mov.b64 {r1, r2}, d1;"), "mov.b64 {r1, r2}, d1");
  EXPECT_EQ(printed("mov.b32 r1, {h1, -1};"), "mov.b32 r1, {h1, 65535}");
  EXPECT_EQ(printed("mov.u32 r1, %tid.x;"), "mov.u32 r1, %tid.x");
  EXPECT_EQ(printed("mov.u64 d1, gv+-4;"), "mov.u64 d1, gv+-4");
  EXPECT_EQ(printed("bra.uni L; L:"), "bra.uni L");
  EXPECT_EQ(printed("call.uni (r1), df, (5, d1);"), "call.uni (r1), df, (5, d1)");
  EXPECT_EQ(printed("call nf;"), "call nf");
  EXPECT_EQ(printed("barrier.sync.aligned 0, 64;"), "bar.sync 0, 64");
  EXPECT_EQ(printed("barrier.red.popc.u32 r1, 0, !p;"), "barrier.red.popc.u32 r1, 0, !p");
  EXPECT_EQ(printed("bar.red.or.pred p, 1, 64, q;"), "bar.red.or.pred p, 1, 64, q");
  EXPECT_EQ(printed("atom.acq_rel.sys.shared.cas.b64 d1, [sv], d2, 7;"),
            "atom.acq_rel.sys.shared.cas.b64 d1, [sv], d2, 7");
  EXPECT_EQ(printed("shfl.sync.bfly.b32 r1|p, r2, 1, 31, -1;"),
            "shfl.sync.bfly.b32 r1|p, r2, 1, 31, 4294967295");
  EXPECT_EQ(printed("T: .branchtargets A; brx.idx r1, T; A:"), "brx.idx r1, T");
  EXPECT_EQ(printed("nanosleep.u32 5;"), "nanosleep.u32 5");
}

TEST(Printer, FunctionsCalledBeforeTheirBodiesHavePrototypes) {
  auto module = parse_text(module_around(
      "",
      ".func u(.param .b32 a); .func v() { ret; } .func w() { .param .b32 x; call u, (x); ret; } "
      ".func u(.param .b32 a) { ret; }"));
  std::string text = print(*module);
  EXPECT_LT(text.find(".func u("), text.find(".func w("));
  EXPECT_EQ(text.find(".func v("), text.rfind(".func v("));
  EXPECT_EQ(first_difference(*module, *parse_text(text)), "");
}

TEST(Printer, AnInstructionThatNoFormSaysIsAnError) {
  Module module;
  Function function;
  Instruction instruction;
  instruction.opcode = Opcode::kAdd;
  instruction.types[0] = Type::kPred;
  EXPECT_THROW(to_text(module, function, instruction), std::logic_error);
}

}  // namespace
}  // namespace warplock::ptx
