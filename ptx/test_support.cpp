#include "ptx/test_support.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/parse.h"

namespace warplock::ptx {
namespace {

constexpr const char* kModule = R"(.version 8.5
.target sm_90
.address_size 64
.global .align 8 .b8 gv[64];
.const .align 4 .u32 cv[4] = {1};
.shared .align 8 .b8 sv[64];
.func (.reg .u32 rv) df (.reg .u32 x, .reg .u64 y) { mov.u32 rv, x; ret; }
.func nf() { ret; }
.func (.param .b32 rr) pf(.param .b32 aa, .param .b64 bb) { ret; }
.func sf(.param .align 8 .b8 ss[16]) { ret; }
ITEMS
.visible .entry k(.param .u64 p0, .param .u32 p1)
{
.reg .pred p, q, pp;
.reg .b16 h1, h2, h3, h4; .reg .u16 hu; .reg .s16 hs;
.reg .b32 r1, r2, r3, r4, r5; .reg .u32 u1, u2; .reg .s32 s1, s2; .reg .f32 f1, f2;
.reg .b64 d1, d2, d3, d4; .reg .u64 ud1; .reg .s64 sd1; .reg .f64 g1;
.reg .b8 b1; .reg .u8 ub1;
.local .align 8 .b8 lv[16];
BODY
ret;
}
)";

void replace(std::string& text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
}

std::shared_ptr<const diagnostics::SourceText> source(const std::string& text) {
  return std::make_shared<diagnostics::SourceText>("test.ptx", text);
}

}  // namespace

std::shared_ptr<const Module> parse_text(const std::string& text) {
  try {
    return parse(source(text));
  } catch (const diagnostics::InputError& error) {
    ADD_FAILURE() << diagnostics::render(error.diagnostics());
    return std::make_shared<Module>();
  }
}

std::vector<diagnostics::Diagnostic> refusal(const std::string& text) {
  try {
    parse(source(text));
    return {};
  } catch (const diagnostics::InputError& error) {
    return error.diagnostics();
  }
}

std::string refusal_class(const std::string& text) {
  std::vector<diagnostics::Diagnostic> diagnostics = refusal(text);
  return diagnostics.empty() ? "ok" : diagnostics.front().klass;
}

std::string module_around(const std::string& body, const std::string& items) {
  std::string text = kModule;
  replace(text, "BODY", body);
  replace(text, "ITEMS", items);
  return text;
}

std::vector<Instruction> instructions_of(const std::string& body) {
  std::shared_ptr<const Module> module = parse_text(module_around(body));
  const Function* kernel = module->find_entry("k");
  if (kernel == nullptr) return {};
  return {kernel->body.begin(), kernel->body.end() - 1};
}

std::string read_test_file(const std::string& path_in_repository) {
  std::ifstream file(std::string(WARPLOCK_SOURCE_DIR) + "/" + path_in_repository, std::ios::binary);
  EXPECT_TRUE(file.good()) << path_in_repository;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> files_in(const std::string& folder, const std::string& ending) {
  std::vector<std::string> files;
  std::string root = std::string(WARPLOCK_SOURCE_DIR) + "/" + folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == ending) {
      files.push_back(folder + "/" + entry.path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string find_ptxas() {
  std::string places =
      std::string(std::getenv("PATH") ? std::getenv("PATH") : "") + ":/usr/local/cuda/bin";
  std::stringstream list(places);
  for (std::string place; std::getline(list, place, ':');) {
    std::string path = place + "/ptxas";
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

std::string ptxas_errors(const std::string& ptxas, const std::string& text) {
  static std::atomic<int> counter{0};
  std::filesystem::path file = std::filesystem::temp_directory_path() /
                               fmt::format("warplock_{}_{}.ptx", getpid(), counter++);
  std::ofstream(file) << text;
  std::string command =
      fmt::format("'{}' -arch=sm_90 -o /dev/null '{}' 2>&1", ptxas, file.string());
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> part;
  while (size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    output.append(part.data(), count);
  }
  int status = pclose(pipe);
  std::filesystem::remove(file);
  if (status == 0) return "";
  return output.empty() ? fmt::format("ptxas ended with {}", status) : output;
}

}  // namespace warplock::ptx
