#pragma once

#include <string>

#include "executor/executor.h"
#include "ptx/from_cuda.h"

namespace warplock::suites {

/// Loads FILE.cu (compiling it) or FILE.ptx. The PTX of a .cu is written to `ptx_folder`/STEM.ptx,
/// since executors in other processes read it from there. Throws `InputError` for bad input and
/// `std::runtime_error` when the compiler is missing.
executor::Program load_program(const std::string& path, ptx::CudaCompiler compiler,
                               const std::string& ptx_folder);

/// A folder that lives as long as this object, for the files of one command.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace warplock::suites
