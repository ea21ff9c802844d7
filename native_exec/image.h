#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "native_exec/arena.h"
#include "native_exec/site.h"
#include "trace/event.h"

/// A CUDA C file as machine code in this process, without a word of LLVM.
namespace warplock::native_exec {

/// A __device__, __constant__ or __shared__ variable. Each has a fixed address: CTAs run one after
/// another, so that one copy of every shared variable is enough.
struct Variable {
  std::string name;  ///< as the PTX spells it
  trace::Space space = trace::Space::kGlobal;
  uint64_t size = 0;
  std::byte* memory = nullptr;
  std::string initial_symbol;      ///< global variables: the symbol of the initial contents
  const void* initial = nullptr;   ///< its address
  bool is_dynamic_shared = false;  ///< extern __shared__ x[]: as large as the launch says
};

/// Counters that generated code changes itself, at a fixed address.
struct Counters {
  uint64_t steps = 0;
};

/// A kernel: what calls it takes its arguments from a block of bytes.
struct Entry {
  std::string name;
  std::string wrapper_symbol;
  void (*call)(const std::byte* arguments) = nullptr;
  std::vector<uint32_t> parameter_offsets;
  std::vector<uint32_t> parameter_sizes;
  uint32_t argument_bytes = 0;
};

struct Image {
  std::vector<Site> sites;
  std::vector<Variable> variables;
  std::vector<Entry> entries;
  std::vector<std::string> unsupported;  ///< reasons, by the number that warplock_unsupported gets
  uint64_t stack_bytes = 0;  ///< what a thread's own variables take at most, by estimate
  std::unique_ptr<Counters> counters = std::make_unique<Counters>();
  std::unique_ptr<Arena> arena;  ///< holds the variables
  std::shared_ptr<void> code;    ///< keeps the machine code

  const Entry* find_entry(const std::string& name) const;
};

/// A program that no machine code can be made of here, through no fault of its own.
struct UnsupportedProgram : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Compiles LLVM bitcode for NVPTX, as ptx::compile_cuda_to_bitcode makes it, to code of this
/// machine. Throws `UnsupportedProgram` when it asks for more than there is, and
/// `std::runtime_error` when LLVM cannot read or compile it.
std::unique_ptr<Image> make_image(const std::string& bitcode);

/// The version of LLVM, for example "LLVM 19.1.7".
std::string llvm_version();

}  // namespace warplock::native_exec
