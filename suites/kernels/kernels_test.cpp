#include "suites/kernels/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "diagnostics/diagnostic.h"
#include "executor/launch.h"
#include "suites/kernels/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplock::suites {
namespace {

using testing::ElementsAre;

std::string source_of(const Kernel& kernel) {
  std::ifstream file(kernel_path(kernel));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Words of static shared memory, from the source: one variable a line, sizes as plain numbers.
/// Dynamic shared memory, `extern` and without a size, stands in the kernel's row instead.
size_t shared_words(const std::string& source) {
  static const std::regex declaration(
      R"(__shared__ (?:volatile )?(?:int|unsigned) \w+((?:\[\d+\])*|\[\]);)");
  static const std::regex size(R"(\[(\d+)\])");
  size_t words = 0, declarations = 0;
  for (std::sregex_iterator it(source.begin(), source.end(), declaration), end; it != end; ++it) {
    const std::string sizes = (*it)[1];
    size_t product = 1;
    for (std::sregex_iterator s(sizes.begin(), sizes.end(), size); s != end; ++s) {
      product *= std::stoul((*s)[1]);
    }
    words += sizes == "[]" ? 0 : product;
    ++declarations;
  }
  size_t mentioned = 0;
  for (size_t at = 0; (at = source.find("__shared__", at)) != std::string::npos; ++at) ++mentioned;
  EXPECT_EQ(declarations, mentioned) << "a declaration that this test cannot read:\n" << source;
  return words;
}

/// What a launch needs of a machine with one small memory: buffers, parameters, shared memory.
size_t words_needed(const Kernel& kernel, const KernelInput& input) {
  size_t words = kernel.shared_bytes / 4 + shared_words(source_of(kernel));
  for (const executor::Argument& argument : input.arguments) words += 1 + argument.words.size();
  return words;
}

constexpr uint32_t kSmallThreads = 32;
constexpr size_t kSmallWords = 126;

bool is_small(const Kernel& kernel) {
  if (kernel.block[0] * kernel.block[1] * kernel.block[2] > kSmallThreads) return false;
  const std::vector<KernelInput> inputs = kernel.inputs();
  return std::all_of(inputs.begin(), inputs.end(), [&](const KernelInput& input) {
    return words_needed(kernel, input) <= kSmallWords;
  });
}

TEST(Kernels, AreManyAndNamedApart) {
  std::set<std::string> names, families;
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    families.insert(kernel.family);
  }
  EXPECT_GE(names.size(), 66u);
  EXPECT_THAT(families, ElementsAre("automata", "bits", "control", "dynamic", "elementwise",
                                    "fixed_point", "graph", "matrix", "number", "reduction", "scan",
                                    "sorting", "sync", "warp"));
}

TEST(Kernels, StandInOrderOfFamilyAndName) {
  const auto& kernels = all_kernels();
  EXPECT_TRUE(std::is_sorted(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
    return std::tie(a.family, a.name) < std::tie(b.family, b.name);
  }));
}

TEST(Kernels, HaveEightInputsOrMore) {
  for (const Kernel& kernel : all_kernels()) {
    std::set<std::string> names;
    for (const KernelInput& input : kernel.inputs()) {
      EXPECT_TRUE(names.insert(input.name).second) << kernel.name << " " << input.name;
    }
    EXPECT_GE(names.size(), 8u) << kernel.name;
  }
}

TEST(Kernels, InputsOfOneKernelHaveTheSameParameters) {
  for (const Kernel& kernel : all_kernels()) {
    const std::vector<KernelInput> inputs = kernel.inputs();
    for (const KernelInput& input : inputs) {
      ASSERT_EQ(input.arguments.size(), inputs[0].arguments.size()) << kernel.name;
      std::set<std::string> names;
      for (size_t i = 0; i < input.arguments.size(); ++i) {
        const executor::Argument& argument = input.arguments[i];
        EXPECT_TRUE(names.insert(argument.name).second) << kernel.name << " " << argument.name;
        EXPECT_EQ(argument.name, inputs[0].arguments[i].name) << kernel.name << " " << input.name;
        EXPECT_EQ(argument.is_buffer, inputs[0].arguments[i].is_buffer) << kernel.name;
        EXPECT_EQ(argument.is_buffer, !argument.words.empty()) << kernel.name << " " << input.name;
      }
    }
  }
}

TEST(Kernels, EveryRowHasASourceThatDefinesIt) {
  for (const Kernel& kernel : all_kernels()) {
    const std::string source = source_of(kernel);
    EXPECT_EQ(source.rfind("// ", 0), 0u) << kernel.name << " does not say what it computes";
    EXPECT_NE(source.find("extern \"C\" __global__ void " + kernel.name + "("), std::string::npos)
        << kernel_path(kernel);
  }
}

TEST(Kernels, EverySourceHasARow) {
  std::set<std::string> known;
  for (const Kernel& kernel : all_kernels()) {
    known.insert(std::filesystem::weakly_canonical(kernel_path(kernel)).string());
  }
  const std::filesystem::path folder(WARPLOCK_SOURCE_DIR "/suites/kernels");
  size_t sources = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    ++sources;
    EXPECT_TRUE(known.count(std::filesystem::weakly_canonical(entry.path()).string()))
        << entry.path() << " has no row in its family's table";
  }
  EXPECT_EQ(sources, all_kernels().size());
}

TEST(Kernels, StandInTheDocumentedList) {
  std::ifstream file(WARPLOCK_SOURCE_DIR "/docs/kernels.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  for (const Kernel& kernel : all_kernels()) {
    const std::string start = "| `" + kernel.name + "` | " + kernel.about + " | ";
    const auto line = lines.lower_bound(start);
    EXPECT_TRUE(line != lines.end() && line->rfind(start, 0) == 0)
        << "docs/kernels.md has no line that begins with " << start;
  }
}

TEST(Kernels, NameNoWidthAndIncludeNothing) {
  for (const Kernel& kernel : all_kernels()) {
    const std::string source = source_of(kernel);
    EXPECT_EQ(source.find("#include"), std::string::npos) << kernel.name;
    EXPECT_EQ(source.find("float"), std::string::npos) << kernel.name;
    EXPECT_EQ(source.find("double "), std::string::npos) << kernel.name;
    // A shuffle's last argument is warpSize or a width that both kinds of warp have.
    static const std::regex wide(R"(__shfl\w*\([^;]*, (?:8|16|32)\))");
    EXPECT_FALSE(std::regex_search(source, wide)) << kernel.name;
  }
}

TEST(Kernels, MostFitASmallMachine) {
  const auto& kernels = all_kernels();
  EXPECT_GE(std::count_if(kernels.begin(), kernels.end(), is_small), 52);
}

TEST(Kernels, HostFunctionsKeepShapesAndAreDeterministic) {
  for (const Kernel& kernel : all_kernels()) {
    bool changes = false;
    for (const KernelInput& input : kernel.inputs()) {
      for (const uint32_t width : {4u, 32u}) {
        const executor::Launch launch = make_launch(kernel, input, width);
        const auto result = host_result(kernel, launch);
        EXPECT_EQ(result, host_result(kernel, launch)) << kernel.name << " " << input.name;
        for (const executor::Argument& argument : launch.arguments) {
          if (!argument.is_buffer) {
            EXPECT_EQ(result.count(argument.name), 0u) << kernel.name << " " << argument.name;
            continue;
          }
          ASSERT_EQ(result.count(argument.name), 1u) << kernel.name << " " << argument.name;
          const Words& words = result.at(argument.name);
          EXPECT_EQ(words.size(), argument.words.size()) << kernel.name << " " << argument.name;
          changes = changes || words != argument.words;
        }
      }
    }
    EXPECT_TRUE(changes) << kernel.name << " never changes anything";
  }
}

TEST(Kernels, InputsTellRightFromWrong) {
  // A kernel whose result hardly depended on its input would compare next to nothing.
  for (const Kernel& kernel : all_kernels()) {
    std::set<std::map<std::string, Words>> results;
    for (const KernelInput& input : kernel.inputs()) {
      results.insert(host_result(kernel, make_launch(kernel, input, 4)));
    }
    EXPECT_GE(results.size(), 4u) << kernel.name;
  }
}

TEST(Kernels, LaunchesSurviveTheirJson) {
  for (const Kernel& kernel : all_kernels()) {
    for (const KernelInput& input : kernel.inputs()) {
      executor::Launch launch = make_launch(kernel, input, 4);
      launch.expect = host_result(kernel, launch);
      const executor::Launch back = executor::parse_launch(
          std::make_shared<diagnostics::SourceText>("launch.json", executor::to_json(launch)));
      EXPECT_EQ(executor::digest(back), executor::digest(launch))
          << kernel.name << " " << input.name;
      EXPECT_EQ(back.expect, launch.expect) << kernel.name << " " << input.name;
    }
  }
}

TEST(Kernels, FolderCanBeReplaced) {
  const Kernel& kernel = all_kernels().front();
  setenv("WARPLOCK_KERNELS", "/elsewhere", 1);
  EXPECT_EQ(kernel_path(kernel), "/elsewhere/" + kernel.family + "/" + kernel.name + ".cu");
  setenv("WARPLOCK_KERNELS", "", 1);
  EXPECT_EQ(kernel_path(kernel),
            WARPLOCK_SOURCE_DIR "/suites/kernels/" + kernel.family + "/" + kernel.name + ".cu");
  unsetenv("WARPLOCK_KERNELS");
}

TEST(Inputs, RandomNumbersAreFixed) {
  Random random(1);
  EXPECT_THAT(random.words(3), ElementsAre(0x512d4711, 0xc02c6536, 0xdddaed13));
  const Words range = random.words_between(100, -2, 1);
  const std::set<uint32_t> seen(range.begin(), range.end());
  EXPECT_THAT(seen, ElementsAre(0u, 1u, 0xfffffffe, 0xffffffff));
}

TEST(Inputs, CornerArraysHoldTheCorners) {
  std::set<uint32_t> words;
  std::set<uint32_t> sizes;
  for (const Array& array : corner_arrays(16)) {
    EXPECT_EQ(array.words.size(), 16u) << array.name;
    EXPECT_LE(array.n, 16u) << array.name;
    words.insert(array.words.begin(), array.words.end());
    sizes.insert(array.n);
  }
  for (const uint32_t corner : {0u, 1u, 0xffffffffu, 0x80000000u, 0x7fffffffu, 31u, 32u, 33u}) {
    EXPECT_TRUE(words.count(corner)) << corner;
  }
  EXPECT_THAT(sizes, ElementsAre(0u, 1u, 13u, 16u));
}

TEST(Inputs, SmallArraysStayBelowTheirBound) {
  for (const Array& array : small_arrays(16, 7)) {
    EXPECT_LT(*std::max_element(array.words.begin(), array.words.end()), 7u) << array.name;
  }
}

TEST(Inputs, ShuffledHoldsTheSameWords) {
  const Words words{1, 2, 3, 4, 5, 6, 7};
  EXPECT_NE(shuffled(words), words);
  EXPECT_EQ(sorted_as_signed(shuffled(words)), words);
}

}  // namespace
}  // namespace warplock::suites
