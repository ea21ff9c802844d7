#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "executor/digest.h"
#include "native_exec/test_support.h"
#include "ptx/from_cuda.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"
#include "trace/compare.h"

/// The kernels of testdata/ on both oracles, and the PTX of both compilers through ptxas.
namespace warplock::native_exec {
namespace {

using ptx::CudaCompiler;
using Words = std::vector<uint32_t>;

std::string testdata(const std::string& file) {
  return std::string(WARPLOCK_SOURCE_DIR) + "/native_exec/testdata/" + file + ".cu";
}

struct Case {
  std::string file, entry;
  KernelRun run;
};

/// One launch of every kernel that is right at any schedule.
std::vector<Case> cases() {
  const auto kernel = [](const std::string& file, const std::string& entry) {
    return Case{file, entry, KernelRun(file, entry)};
  };
  std::vector<Case> all;
  const auto add = [&](const std::string& file, const std::string& entry) -> KernelRun& {
    all.push_back(kernel(file, entry));
    return all.back().run;
  };
  const Words a = test_words(64, 1), b = test_words(64, 2), c = test_words(64, 3);
  add("arithmetic", "arithmetic").threads(64).buffer(a).buffer(b).buffer(c).buffer(Words(64 * 46));
  add("places", "places").threads(3, 2, 2).blocks(2, 1, 3).buffer(Words(11 * 72));
  add("warp", "shuffles").threads(64).buffer(a).buffer(Words(64 * 8)).scalar(4);
  add("warp", "votes").threads(44).buffer(a).buffer(Words(44 * 12));
  add("warp", "reductions").threads(44).buffer(a).buffer(Words(44 * 8));
  add("warp", "groups").threads(64).buffer(a).buffer(Words(64));
  add("atomics", "atomics")
      .threads(1)
      .buffer(test_words(16, 4))
      .buffer(Words(1))
      .buffer({1, 2, 3, 4});
  add("sync", "reverse").threads(40).blocks(1).shared(160).buffer(a).buffer(Words(40));
  add("sync", "barrier_counts").threads(50).buffer(a).buffer(Words(150));
  add("sync", "early_exit").threads(40).buffer(Words(40)).scalar(7);
  add("sync", "spin_lock").threads(8).blocks(2).buffer({0});
  add("sync", "count_turns").threads(20).buffer({0});
  add("values", "calls").threads(8).buffer({1, 2, 3, 7, 27, 97, 6, 12}).buffer(Words(8));
  add("values", "scalars")
      .buffer(Words(5))
      .scalar(0x80, 1)
      .scalar(0xfedc, 2)
      .scalar(7)
      .scalar(1, 8)
      .scalar(~uint64_t{5}, 8);
  add("values", "widths").threads(9).buffer(Words(36)).buffer(Words(36));
  add("values", "shifts").threads(60).buffer(a).buffer(Words(60));
  add("values", "lookup").threads(60).buffer(a).buffer(Words(60));
  add("values", "divisions").buffer({7}).buffer({0}).buffer(Words(6));
  add("values", "long_shifts").buffer({0x90000001}).buffer({40}).buffer(Words(3));
  return all;
}

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + fmt::format("warplock-native-{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

executor::Program program_of(const std::string& file, CudaCompiler compiler) {
  executor::Program program;
  program.cuda_path = testdata(file);
  const std::string text = ptx::compile_cuda(*program.cuda_path, compiler);
  program.module = ptx::parse(std::make_shared<diagnostics::SourceText>(file + ".ptx", text));
  program.digest = executor::digest_of(text);
  return program;
}

executor::Execution execute(executor::Executor& executor, const executor::Program& program,
                            const executor::Launch& launch) {
  auto outcome = executor.run(program, launch, trace::Level::kMemory);
  if (auto* execution = std::get_if<executor::Execution>(&outcome)) return std::move(*execution);
  ADD_FAILURE() << executor.name() << " on " << launch.entry << ": "
                << std::get<executor::Refusal>(outcome).reason;
  return {};
}

/// Names the first word that differs.
void expect_same_outputs(const executor::Execution& left, const executor::Execution& right) {
  ASSERT_EQ(left.outputs.size(), right.outputs.size());
  for (size_t i = 0; i < left.outputs.size(); ++i) {
    const Words &l = left.outputs[i].second, &r = right.outputs[i].second;
    ASSERT_EQ(l.size(), r.size());
    for (size_t k = 0; k < l.size(); ++k) {
      ASSERT_EQ(l[k], r[k]) << "word " << k << " of " << left.outputs[i].first;
    }
  }
}

/// What `native` touches, `reference` must know by the same name.
void expect_same_objects(const trace::Trace& reference, const trace::Trace& native) {
  std::set<std::string> known, touched;
  for (const trace::Object& object : reference.objects) known.insert(object.name);
  for (const trace::Event& event : native.events) touched.insert(native.objects[event.object].name);
  for (const std::string& name : touched) EXPECT_EQ(known.count(name), 1u) << name;
}

class Against : public ::testing::TestWithParam<CudaCompiler> {
 protected:
  void SetUp() override {
    for (const CudaCompiler compiler : {CudaCompiler::kClang, GetParam()}) {
      const std::string reason = ptx::why_missing(compiler);
      if (!reason.empty()) GTEST_SKIP() << reason;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Compilers, Against,
                         ::testing::Values(CudaCompiler::kClang, CudaCompiler::kNvrtc),
                         [](const auto& instance) {
                           return instance.param == CudaCompiler::kClang ? "Clang" : "Nvrtc";
                         });

/// With NVRTC, this also holds ptx/cuda_builtins.h against NVIDIA's own headers.
TEST_P(Against, ReferenceGivesTheSameResults) {
  const auto native = make_native();
  const auto reference = reference_interp::make_reference();
  std::map<std::string, executor::Program> programs;
  for (Case& kernel : cases()) {
    if (programs.count(kernel.file) == 0) {
      programs[kernel.file] = program_of(kernel.file, GetParam());
    }
    const executor::Program& program = programs[kernel.file];
    for (const uint32_t width : {4u, 32u}) {
      SCOPED_TRACE(fmt::format("{} at width {}", kernel.entry, width));
      const executor::Launch& launch = kernel.run.width(width).launch();
      const auto left = execute(*reference, program, launch);
      const auto right = execute(*native, program, launch);
      expect_same_outputs(left, right);
      // Another compiler may keep other stores; one compiler's stores are the same.
      if (GetParam() != CudaCompiler::kClang) continue;
      expect_same_objects(left.trace, right.trace);
      const trace::Comparison comparison = trace::compare(left.trace, right.trace);
      EXPECT_GT(comparison.compared_events, 0u);
      EXPECT_FALSE(comparison.divergence) << comparison.divergence->what;
    }
  }
}

TEST_P(Against, PtxasAcceptsThePtx) {
  const std::string ptxas = "ptxas";
  if (std::system((ptxas + " --version > /dev/null 2>&1").c_str()) != 0) GTEST_SKIP() << "no ptxas";
  const Folder folder;
  for (const std::string file :
       {"arithmetic", "atomics", "faults", "limits", "places", "sync", "values", "warp"}) {
    SCOPED_TRACE(file);
    const std::string path = folder.file(file + ".ptx");
    std::ofstream(path) << ptx::compile_cuda(testdata(file), GetParam());
    EXPECT_EQ(std::system(fmt::format("{} -arch=sm_80 -o /dev/null {}", ptxas, path).c_str()), 0);
  }
}

}  // namespace
}  // namespace warplock::native_exec
