#include "ptx/from_cuda.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "ptx/cuda_compilers.h"

namespace warplock::ptx {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

}  // namespace

std::string compile_cuda(const std::string& cuda_path, CudaCompiler compiler) {
  const auto source = diagnostics::read_source(cuda_path, kMaxSourceBytes);
  return plain_ptx(compiler == CudaCompiler::kClang ? compile_with_clang(*source, ClangOutput::kPtx)
                                                    : compile_with_nvrtc(*source));
}

std::string compile_cuda_to_bitcode(const std::string& cuda_path) {
  const auto source = diagnostics::read_source(cuda_path, kMaxSourceBytes);
  return compile_with_clang(*source, ClangOutput::kBitcode);
}

std::string why_missing(CudaCompiler compiler) {
  return compiler == CudaCompiler::kClang ? why_clang_missing() : why_nvrtc_missing();
}

std::string version_of(CudaCompiler compiler) {
  return compiler == CudaCompiler::kClang ? clang_version() : nvrtc_version();
}

std::string plain_ptx(const std::string& ptx) {
  std::istringstream in(ptx);
  std::string result, line;
  bool in_section = false;
  while (std::getline(in, line)) {
    const size_t word = std::min(line.find_first_not_of(" \t"), line.size());
    if (in_section) {
      in_section = line.find('}') == std::string::npos;
      continue;
    }
    if (line.compare(word, 8, ".section") == 0) {
      in_section = line.find('}') == std::string::npos;
      continue;
    }
    if (line.compare(word, 4, ".loc") == 0) {
      line.erase(std::min({line.find(','), line.find("//"), line.size()}));
      line.erase(line.find_last_not_of(" \t") + 1);
    } else if (line.compare(word, 5, ".file") == 0) {
      const size_t open = line.find('"');
      const size_t close = line.rfind('"');
      if (open < close) {
        const std::filesystem::path path = line.substr(open + 1, close - open - 1);
        line = line.substr(0, open + 1) + path.filename().string() + '"';
      }
    }
    result += line;
    result += '\n';
  }
  return result;
}

}  // namespace warplock::ptx
