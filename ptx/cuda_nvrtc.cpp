#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "ptx/cuda_compilers.h"

namespace warplock::ptx {
namespace {

/// The part of NVRTC's interface that is used here, as its documentation declares it. It has been
/// the same since CUDA 7.
using Program = void*;
struct Nvrtc {
  int (*version)(int*, int*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*create)(Program*, const char* source, const char* name, int headers,
                const char* const* texts, const char* const* names) = nullptr;
  int (*compile)(Program, int options, const char* const*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*ptx_size)(Program, size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  std::string why_missing;
  int major = 0, minor = 0;
};
constexpr int kCompilationError = 6;  // NVRTC_ERROR_COMPILATION

/// The integer types that ptx/cuda_builtins.h gives clang; NVRTC knows everything else by itself.
constexpr const char* kPrelude = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
)";
constexpr const char* kPreludeName = "warplock_prelude.h";
constexpr const char* kForward = "#include \"warplock_prelude.h\"\n";

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

void* open_library(std::string& why) {
  std::vector<std::string> candidates;
  const char* given = std::getenv("WARPLOCK_NVRTC");
  if (given != nullptr && *given != '\0') {
    candidates.emplace_back(given);
  } else {
    for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
      for (const char* name :
           {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
        candidates.push_back(std::string(folder) + name);
      }
    }
  }
  for (const std::string& candidate : candidates) {
    if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  why = given != nullptr && *given != '\0'
            ? fmt::format("WARPLOCK_NVRTC names {}, which cannot be opened", given)
            : "libnvrtc.so is neither in the loader's path nor in /usr/local/cuda/lib64: install "
              "CUDA's "
              "NVRTC or set WARPLOCK_NVRTC";
  return nullptr;
}

Nvrtc load() {
  Nvrtc nvrtc;
  void* library = open_library(nvrtc.why_missing);
  if (library == nullptr) return nvrtc;
  const bool complete = resolve(library, "nvrtcVersion", nvrtc.version) &&
                        resolve(library, "nvrtcGetErrorString", nvrtc.error_string) &&
                        resolve(library, "nvrtcCreateProgram", nvrtc.create) &&
                        resolve(library, "nvrtcCompileProgram", nvrtc.compile) &&
                        resolve(library, "nvrtcGetProgramLogSize", nvrtc.log_size) &&
                        resolve(library, "nvrtcGetProgramLog", nvrtc.log) &&
                        resolve(library, "nvrtcGetPTXSize", nvrtc.ptx_size) &&
                        resolve(library, "nvrtcGetPTX", nvrtc.ptx) &&
                        resolve(library, "nvrtcDestroyProgram", nvrtc.destroy);
  if (!complete) {
    nvrtc.why_missing = "libnvrtc.so lacks functions of NVRTC's interface";
  } else if (nvrtc.version(&nvrtc.major, &nvrtc.minor) != 0) {
    nvrtc.why_missing = "libnvrtc.so does not tell its version";
  } else if (nvrtc.major < 11) {
    nvrtc.why_missing =
        fmt::format("NVRTC {}.{} is too old: compute_80 needs CUDA 11", nvrtc.major, nvrtc.minor);
  }
  return nvrtc;
}

/// Opened once; a library of this size is never closed again.
const Nvrtc& nvrtc() {
  static const Nvrtc loaded = load();
  return loaded;
}

class ProgramHandle {
 public:
  explicit ProgramHandle(const Nvrtc& library) : library_(library) {}
  ~ProgramHandle() {
    if (program_ != nullptr) library_.destroy(&program_);
  }
  ProgramHandle(const ProgramHandle&) = delete;
  ProgramHandle& operator=(const ProgramHandle&) = delete;
  Program* address() { return &program_; }
  Program get() const { return program_; }

 private:
  const Nvrtc& library_;
  Program program_ = nullptr;
};

std::string text_of(Program program, int (*size)(Program, size_t*), int (*text)(Program, char*)) {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0) return {};
  std::string result(bytes, '\0');
  if (text(program, result.data()) != 0) return {};
  result.resize(bytes - 1);  // the size counts the terminating zero
  return result;
}

}  // namespace

std::string why_nvrtc_missing() {
  return nvrtc().why_missing;
}

std::string nvrtc_version() {
  const Nvrtc& library = nvrtc();
  return library.why_missing.empty() ? fmt::format("NVRTC {}.{}", library.major, library.minor)
                                     : "";
}

std::string compile_with_nvrtc(const diagnostics::SourceText& source) {
  const Nvrtc& library = nvrtc();
  if (!library.why_missing.empty()) throw std::runtime_error(library.why_missing);

  const std::string text(source.text());
  // NVRTC takes a C string: what stands behind a zero byte would silently not be compiled.
  if (const size_t zero = text.find('\0'); zero != std::string::npos) {
    throw diagnostics::InputError(
        diagnostics::error_at(source, source.position(zero), "CUDA", "zero byte in CUDA C text"));
  }
  const char* texts[] = {kPrelude, kForward, kForward};
  const char* names[] = {kPreludeName, "stdint.h", "cstdint"};
  ProgramHandle program(library);
  int status =
      library.create(program.address(), text.c_str(), source.name().c_str(), 3, texts, names);
  if (status == 0) {
    const auto folder = std::filesystem::path(source.name()).parent_path().string();
    const std::string include = "--include-path=" + (folder.empty() ? std::string(".") : folder);
    const std::string prelude = std::string("--pre-include=") + kPreludeName;
    const char* options[] = {"--gpu-architecture=compute_80",
                             "-lineinfo",
                             "--std=c++17",
                             "--disable-warnings",
                             "--device-int128",
                             include.c_str(),
                             prelude.c_str()};
    status = library.compile(program.get(), static_cast<int>(std::size(options)), options);
  }
  if (status != 0) {
    const std::string log = program.get() == nullptr
                                ? std::string()
                                : text_of(program.get(), library.log_size, library.log);
    std::vector<diagnostics::Diagnostic> messages = parse_nvrtc_messages(log, source);
    if (status == kCompilationError && !messages.empty()) {
      throw diagnostics::InputError(std::move(messages));
    }
    throw std::runtime_error(fmt::format("{} failed on {}: {} {}", nvrtc_version(), source.name(),
                                         library.error_string(status), log));
  }
  std::string ptx = text_of(program.get(), library.ptx_size, library.ptx);
  if (ptx.empty()) {
    throw std::runtime_error(
        fmt::format("{} wrote nothing for {}", nvrtc_version(), source.name()));
  }
  return ptx;
}

}  // namespace warplock::ptx
