#include "native_exec/fibre.h"

#include <sys/mman.h>

#include <new>

#ifndef __x86_64__
#error "the executor `native` generates and runs x86-64 code"
#endif

// GCC says it by a macro, clang by a feature.
#if defined(__SANITIZE_ADDRESS__)
#define WARPLOCK_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPLOCK_ASAN
#endif
#endif
#ifdef WARPLOCK_ASAN
#include <sanitizer/asan_interface.h>
#endif

// The System V ABI lets a function change every register but these six. The floating-point control
// words are callee-saved as well, but no code here changes them.
asm(R"(
  .text
  .globl warplock_switch_fibre
  .type warplock_switch_fibre, @function
warplock_switch_fibre:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size warplock_switch_fibre, .-warplock_switch_fibre
)");

namespace warplock::native_exec {

namespace {

/// Fibres never unwind, so the address sanitizer still has the marks of their last frames.
void forget_frames([[maybe_unused]] std::byte* low, [[maybe_unused]] std::byte* high) {
#ifdef WARPLOCK_ASAN
  ASAN_UNPOISON_MEMORY_REGION(low, static_cast<size_t>(high - low));
#endif
}

}  // namespace

FibreContext StackPool::start(uint32_t index, void (*body)()) {
  forget_frames(low(index), high(index));
  // What the switch pops: six registers, then the address it returns to. That leaves the stack
  // pointer 8 bytes below a multiple of 16, as after a call.
  auto* const top = reinterpret_cast<uint64_t*>(high(index));
  uint64_t* const stack = top - 8;
  for (int i = 0; i < 6; ++i) stack[i] = 0;
  stack[6] = reinterpret_cast<uint64_t>(body);
  stack[7] = 0;  // the return address of `body`, which never returns
  return stack;
}

StackPool::~StackPool() {
  release();
}

void StackPool::release() {
  for (uint32_t i = 0; i < count_; ++i) forget_frames(low(i), high(i));
  if (base_ != nullptr) munmap(base_, stride_ * count_);
  base_ = nullptr;
  count_ = 0;
}

void StackPool::reserve(uint32_t count, size_t bytes) {
  const size_t stride = (bytes + 2 * kGuardBytes - 1) / kGuardBytes * kGuardBytes;
  if (count > count_ || stride > stride_) {
    release();
    void* memory = mmap(nullptr, stride * count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(memory);
    stride_ = stride;
    count_ = count;
    for (uint32_t i = 0; i < count; ++i) {
      if (mprotect(base_ + i * stride_, kGuardBytes, PROT_NONE) != 0) throw std::bad_alloc();
    }
  }
}

}  // namespace warplock::native_exec
