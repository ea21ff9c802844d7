#include "suites/program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "executor/digest.h"
#include "ptx/parse.h"

namespace warplock::suites {
namespace fs = std::filesystem;

namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{} cannot be written", path));
}

}  // namespace

executor::Program load_program(const std::string& path, ptx::CudaCompiler compiler,
                               const std::string& ptx_folder) {
  executor::Program program;
  std::string extension = fs::path(path).extension();
  if (extension == ".cu") {
    diagnostics::read_source(path);  // a clear error before a compiler's
    program.cuda_path = fs::absolute(path);
    program.ptx_path = fs::absolute(fs::path(ptx_folder) / fs::path(path).stem()).string() + ".ptx";
    write_text(program.ptx_path, ptx::compile_cuda(*program.cuda_path, compiler));
  } else {
    program.ptx_path = path;
  }
  program.module = ptx::parse(diagnostics::read_source(program.ptx_path));
  program.digest = executor::digest_of(program.module->source->text());
  return program;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "warplock-XXXXXX").string();
  if (!mkdtemp(pattern.data())) {
    throw std::runtime_error(fmt::format("no temporary folder can be made at {}", pattern));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace warplock::suites
