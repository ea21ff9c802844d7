#include "ptx/from_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "diagnostics/diagnostic.h"
#include "ptx/cuda_compilers.h"
#include "ptx/subprocess.h"

namespace warplock::ptx {
namespace {

using diagnostics::InputError;
using diagnostics::Position;
using diagnostics::Severity;
using ::testing::HasSubstr;
using ::testing::Not;

/// Sets a variable of the environment for the length of a scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    if (old != nullptr) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class FromCuda : public ::testing::TestWithParam<CudaCompiler> {
 protected:
  void SetUp() override {
    const std::string reason = why_missing(GetParam());
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_.file(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string compile(const std::string& text) {
    return compile_cuda(write("kernel.cu", text), GetParam());
  }
  /// The diagnostics of a text that must not compile.
  std::vector<diagnostics::Diagnostic> errors(const std::string& text) {
    try {
      compile(text);
    } catch (const InputError& error) {
      return error.diagnostics();
    }
    ADD_FAILURE() << "compiled: " << text;
    return {};
  }
  TemporaryFolder folder_;
};

std::string compiler_name(const ::testing::TestParamInfo<CudaCompiler>& info) {
  return info.param == CudaCompiler::kClang ? "Clang" : "Nvrtc";
}
INSTANTIATE_TEST_SUITE_P(Compilers, FromCuda,
                         ::testing::Values(CudaCompiler::kClang, CudaCompiler::kNvrtc),
                         compiler_name);

constexpr const char* kAdd = R"(extern "C" __global__ void add(const uint32_t* a, uint32_t* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] +
           warpSize;
}
)";

TEST_P(FromCuda, GivesPtxWithTheEntryAndLines) {
  const std::string ptx = compile(kAdd);
  EXPECT_THAT(ptx, HasSubstr(".entry add("));
  EXPECT_THAT(ptx, HasSubstr(".target sm_80"));
  EXPECT_THAT(ptx, HasSubstr("\t.loc\t1 3 "));
  EXPECT_THAT(ptx, HasSubstr(".file\t1 \"kernel.cu\""));
}

TEST_P(FromCuda, ReadsTheWarpWidthWhenThePtxIsAssembled) {
  EXPECT_THAT(compile(kAdd), HasSubstr("WARP_SZ"));
}

TEST_P(FromCuda, LeavesNoDebugSectionsAndNoInliningInformation) {
  const std::string ptx = compile(R"(__device__ int twice(int x) { return x * atomicAdd(&x, 2); }
extern "C" __global__ void k(int* p) {
  p[1] = atomicAdd(p, 3);
  p[3] = twice(p[2]);
}
)");
  EXPECT_THAT(ptx, Not(HasSubstr(".section")));
  EXPECT_THAT(ptx, Not(HasSubstr("inlined_at")));
}

TEST_P(FromCuda, GivesTheUsersLineToBuiltins) {
  const std::string ptx = compile(
      "\n\n\nextern \"C\" __global__ void k(int* p) {\n\n"
      "  atomicAdd(p, 3);\n}\n");
  const size_t atomic = ptx.find("add.u32");
  ASSERT_NE(atomic, std::string::npos) << ptx;
  const size_t loc = ptx.rfind(".loc", atomic);
  EXPECT_EQ(ptx.compare(loc, 8, ".loc\t1 6"), 0) << ptx.substr(loc, 20);
}

TEST_P(FromCuda, DoesNotDependOnTheFolder) {
  std::filesystem::create_directory(folder_.file("elsewhere"));
  EXPECT_EQ(compile(kAdd), compile_cuda(write("elsewhere/kernel.cu", kAdd), GetParam()));
}

TEST_P(FromCuda, FindsIncludedFilesBesideTheSource) {
  write("three.h", "constexpr int kThree = 3;\n");
  EXPECT_THAT(compile("#include <cstdint>\n#include <stdint.h>\n#include \"three.h\"\n"
                      "extern \"C\" __global__ void k(int* p) { *p = kThree; }\n"),
              HasSubstr(".entry k("));
}

TEST_P(FromCuda, TellsWhereErrorsAre) {
  const auto found = errors(
      "extern \"C\" __global__ void k(int* p) {\n"
      "    p[0] = 1;\n"
      "    p[1] = undeclared + 1;\n"
      "    int x = p;\n"
      "}\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].klass, "CUDA");
  EXPECT_EQ(found[0].file, folder_.file("kernel.cu"));
  EXPECT_EQ(found[0].position, (Position{3, 12}));
  EXPECT_EQ(found[0].line_text, "    p[1] = undeclared + 1;");
  EXPECT_THAT(found[0].message, HasSubstr("undeclared"));
  EXPECT_EQ(found[1].position.line, 4u);
}

TEST_P(FromCuda, TellsWhereErrorsInIncludedFilesAre) {
  const std::string header = write("broken.h", "\n  __constant__ int x = ;\n");
  const auto found = errors("#include \"broken.h\"\n");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(std::filesystem::path(found[0].file).filename(), "broken.h");
  EXPECT_EQ(found[0].position, (Position{2, 24}));
  EXPECT_EQ(found[0].line_text, "  __constant__ int x = ;");
}

TEST_P(FromCuda, RefusesCallsOfHostFunctions) {
  const auto found = errors(
      "int host_function() { return 1; }\n"
      "extern \"C\" __global__ void k(int* p) { *p = host_function(); }\n");
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].message, HasSubstr("host"));
}

TEST_P(FromCuda, RefusesAFileThatIsNotThere) {
  try {
    compile_cuda(folder_.file("nothing.cu"), GetParam());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].klass, "file");
  }
}

TEST_P(FromCuda, SurvivesAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 2654435761u) >> 13);
  EXPECT_THROW(compile(bytes), InputError);
  EXPECT_THROW(compile(std::string("int x = 3;\0 int y;", 18) + "}"), InputError);
}

TEST_P(FromCuda, SaysItsVersion) {
  EXPECT_THAT(version_of(GetParam()), ::testing::MatchesRegex("(clang|NVRTC) [0-9]+\\.[0-9.]+"));
}

class Clang : public FromCuda {};
INSTANTIATE_TEST_SUITE_P(Compilers, Clang, ::testing::Values(CudaCompiler::kClang), compiler_name);

TEST_P(Clang, GivesBitcodeOfTheSameCompilation) {
  const std::string bitcode = compile_cuda_to_bitcode(write("kernel.cu", kAdd));
  EXPECT_EQ(bitcode.substr(0, 4), "BC\xc0\xde");
}

TEST_P(Clang, IsMissingWhenTheVariableNamesNoProgram) {
  const ScopedVariable variable("WARPLOCK_CLANG", "/nowhere/clang");
  EXPECT_THAT(why_missing(CudaCompiler::kClang), HasSubstr("/nowhere/clang"));
  EXPECT_EQ(version_of(CudaCompiler::kClang), "");
  EXPECT_THROW(compile(kAdd), std::runtime_error);
}

TEST_P(Clang, IsMissingWhenTheVariableNamesAnotherProgram) {
  const ScopedVariable variable("WARPLOCK_CLANG", "true");
  EXPECT_THAT(why_missing(CudaCompiler::kClang), HasSubstr("--version"));
}

/// A program that answers like clang when probed and then behaves as `body` says.
std::string pretend_clang(const TemporaryFolder& folder, const std::string& body) {
  const std::string path = folder.file("pretend");
  std::ofstream(path) << "#!/bin/sh\ncase $1 in\n--version) echo 'clang version 99.1.2'; exit 0;;\n"
                         "--print-targets) echo nvptx64; exit 0;;\nesac\n"
                      << body << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

void expect_failure(const std::function<void()>& action, const std::string& message) {
  try {
    action();
    FAIL() << "no exception";
  } catch (const InputError& error) {
    FAIL() << "bad input rather than a failure: " << error.what();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
  }
}

TEST_P(Clang, ACrashIsAFailureNotBadInput) {
  const ScopedVariable variable("WARPLOCK_CLANG", pretend_clang(folder_, "kill -SEGV $$"));
  EXPECT_EQ(version_of(CudaCompiler::kClang), "clang 99.1.2");
  expect_failure([&] { compile(kAdd); }, "signal 11");
}

TEST_P(Clang, AReportedCrashIsAFailureNotBadInput) {
  const ScopedVariable variable(
      "WARPLOCK_CLANG",
      pretend_clang(folder_,
                    "echo 'x.cu:1:2: error: boo'; echo 'PLEASE submit a bug report'; exit 1"));
  expect_failure([&] { compile(kAdd); }, "crashed");
}

TEST_P(Clang, NoOutputIsAFailure) {
  const ScopedVariable variable("WARPLOCK_CLANG", pretend_clang(folder_, "exit 0"));
  expect_failure([&] { compile(kAdd); }, "wrote nothing");
}

TEST(Nvrtc, IsMissingWhenTheVariableNamesNoLibrary) {
  // The library is opened once a process, so this is asked of a process of its own.
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  if (std::getenv("WARPLOCK_NVRTC") == nullptr) {
    const ScopedVariable variable("WARPLOCK_NVRTC", "/nowhere/libnvrtc.so");
    const ProcessResult result =
        run_process({self, "--gtest_filter=Nvrtc.IsMissingWhenTheVariableNamesNoLibrary"}, 30);
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return;
  }
  if (std::string(std::getenv("WARPLOCK_NVRTC")) != "/nowhere/libnvrtc.so") GTEST_SKIP();
  EXPECT_THAT(why_missing(CudaCompiler::kNvrtc), HasSubstr("/nowhere/libnvrtc.so"));
  EXPECT_EQ(version_of(CudaCompiler::kNvrtc), "");
}

TEST(Messages, OfClangKeepNotesAfterErrorsAndDropWarnings) {
  const diagnostics::SourceText source("a:b.cu", "one\ntwo\n");
  const auto found = parse_clang_messages(
      "a:b.cu:1:1: warning: w\n"
      "a:b.cu:1:1: note: of the warning\n"
      "In file included from x:\n"
      "a:b.cu:2:3: error: e: error: f\n"
      "a:b.cu:1:2: note: n\n"
      "fatal error: error in backend: cannot select\n"
      "fatal error: too many errors emitted, stopping now\n"
      "1 error generated.\n",
      source, "/none");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].message, "e: error: f");
  EXPECT_EQ(found[0].file, "a:b.cu");
  EXPECT_EQ(found[0].line_text, "two");
  EXPECT_EQ(found[1].severity, Severity::kNote);
  EXPECT_EQ(found[2].message, "error in backend: cannot select");
  EXPECT_EQ(found[2].position, (Position{0, 0}));
}

TEST(RunProcess, KillsWhatRunsTooLong) {
  const ProcessResult result = run_process({"sh", "-c", "echo begun; sleep 60 & sleep 60"}, 0.3);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output, "begun\n");
}

TEST(RunProcess, KeepsOnlyTheFirstMebibyte) {
  const ProcessResult result = run_process({"sh", "-c", "yes | head -c 3000000"}, 20);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output.size(), size_t{1} << 20);
}

TEST(RunProcess, RefusesAProgramThatIsNotThere) {
  EXPECT_THROW(run_process({"/nowhere/program"}, 1), std::runtime_error);
}

}  // namespace
}  // namespace warplock::ptx
