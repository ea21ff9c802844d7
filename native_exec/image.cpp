#include "native_exec/image.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>
#include <stdexcept>

#include "native_exec/hooks.h"
#include "native_exec/lowering.h"

namespace warplock::native_exec {
namespace {

namespace orc = llvm::orc;

[[noreturn]] void fail(const std::string& what, llvm::Error error) {
  throw std::runtime_error(what + ": " + llvm::toString(std::move(error)));
}

template <class T>
T check(const std::string& what, llvm::Expected<T> value) {
  if (!value) fail(what, value.takeError());
  return std::move(*value);
}

void check(const std::string& what, llvm::Error error) {
  if (error) fail(what, std::move(error));
}

std::unique_ptr<orc::LLJIT> make_jit() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto builder =
      check("cannot describe this machine to LLVM", orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto jit = check("cannot set up LLVM's JIT", orc::LLJITBuilder()
                                                   .setJITTargetMachineBuilder(std::move(builder))
                                                   .setPlatformSetUp(orc::setUpInactivePlatform)
                                                   .create());
  // What fails is said by the exception alone.
  jit->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { consumeError(std::move(error)); });
  // What code generation itself calls, memcpy or the division of 128-bit integers, is found in this
  // process.
  orc::SymbolMap symbols;
  for (const Hook& hook : all_hooks()) {
    symbols[jit->mangleAndIntern(hook.name)] = {orc::ExecutorAddr::fromPtr(hook.address),
                                                llvm::JITSymbolFlags::Exported};
  }
  check("cannot define the hooks",
        jit->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))));
  return jit;
}

}  // namespace

const Entry* Image::find_entry(const std::string& name) const {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::string llvm_version() {
  return "LLVM " LLVM_VERSION_STRING;
}

std::unique_ptr<Image> make_image(const std::string& bitcode) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module =
      check("LLVM cannot read clang's bitcode (is clang newer than LLVM " LLVM_VERSION_STRING "?)",
            llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "cuda"), *context));
  auto image = std::make_unique<Image>();
  // The JIT goes last: it holds code that refers to nothing but the image's own memory.
  std::shared_ptr<orc::LLJIT> jit = make_jit();
  Lowering(*module, *image).run();
  // PTX ISA and CUDA allow a thread 512 KiB of local memory.
  constexpr uint64_t kMaxLocalBytes = 512 * 1024;
  if (image->stack_bytes > kMaxLocalBytes) {
    throw UnsupportedProgram(fmt::format("a thread's own variables take {} bytes of at most {}",
                                         image->stack_bytes, kMaxLocalBytes));
  }
  module->setTargetTriple(jit->getTargetTriple().str());
  module->setDataLayout(jit->getDataLayout());
  check("cannot compile",
        jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
  for (Entry& entry : image->entries) {
    entry.call = check("no code for " + entry.name, jit->lookup(entry.wrapper_symbol))
                     .toPtr<void (*)(const std::byte*)>();
  }
  for (Variable& variable : image->variables) {
    if (variable.initial_symbol.empty()) continue;
    variable.initial = check("cannot find the initial contents of " + variable.name,
                             jit->lookup(variable.initial_symbol))
                           .toPtr<const void*>();
  }
  image->code = std::move(jit);
  return image;
}

}  // namespace warplock::native_exec
