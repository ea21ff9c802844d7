#pragma once

#include <string>

/// The programs that the tests of the comparison run (trace/tiny_gpu.h).
namespace warplock::trace::tiny_kernels {

/// No races, no atomics: loads, a loop, an exchange through shared memory with a barrier, pointers
/// stored to memory. `in` needs as many words as there are threads.
inline const std::string kPlain = R"(
mov.u32 %r1, %tid
mul.u64 %rd9, %r1, 4
mov.u64 %rd1, in
add.u64 %rd1, %rd1, %rd9
ld.global.u32 %r2, [%rd1]
mov.u64 %rd2, s
add.u64 %rd2, %rd2, %rd9
mov.u32 %r3, 0
mov.u32 %r4, 0
LOOP:
add.u32 %r3, %r3, %r2
st.shared.u32 [%rd2], %r3
add.u32 %r4, %r4, 1
setp.lt.u32 %p1, %r4, 3
@%p1 bra LOOP
bar.sync 0
mov.u64 %rd3, s
ld.shared.u32 %r5, [%rd3+4]
setp.eq.u32 %p2, %r1, 0
@%p2 add.u32 %r5, %r5, 100
mov.u64 %rd4, out
add.u64 %rd4, %rd4, %rd9
mov.u32 %r7, %ctaid
mul.u64 %rd8, %r7, 16
add.u64 %rd4, %rd4, %rd8
st.global.u32 [%rd4], %r5
bar.sync 0
add.u64 %rd7, %rd3, %rd9
add.u64 %rd7, %rd7, %rd9
st.shared.u64 [%rd7+128], %rd3
@%p2 bra END
bar.sync 0
END:
exit
)";

/// Each thread takes a ticket and writes its number to the place of that number. `result` needs
/// twice 16 words.
inline const std::string kTickets = R"(
mov.u32 %r1, %tid
mov.u64 %rd1, counter
atom.global.add.u32 %r2, [%rd1], 1
mul.u64 %rd2, %r2, 4
mov.u64 %rd3, out
add.u64 %rd3, %rd3, %rd2
st.global.u32 [%rd3], %r1
mov.u64 %rd4, in
mul.u64 %rd5, %r1, 4
add.u64 %rd4, %rd4, %rd5
ld.global.u32 %r3, [%rd4]
mov.u32 %r5, 0
setp.eq.u32 %p1, %r2, 0
@!%p1 bra DONE
mov.u64 %rd6, last
st.global.u32 [%rd6], 1
mov.u32 %r5, 9
DONE:
mul.u32 %r4, %r3, 3
mov.u64 %rd7, result
add.u64 %rd7, %rd7, %rd5
st.global.u32 [%rd7], %r4
add.u32 %r5, %r5, 1
st.global.u32 [%rd7+64], %r5
mov.u32 %r2, 1
add.u32 %r2, %r2, 1
exit
)";

/// A spin lock around counter = counter + 10, released by an exchange, twice.
inline const std::string kLock = R"(
mov.u32 %r1, %tid
mov.u64 %rd1, lock
mov.u64 %rd2, counter
mov.u32 %r6, 0
SPIN:
atom.global.cas.b32 %r2, [%rd1], 0, 1
setp.ne.u32 %p1, %r2, 0
@%p1 bra SPIN
ld.global.u32 %r3, [%rd2]
add.u32 %r3, %r3, 10
st.global.u32 [%rd2], %r3
atom.global.exch.b32 %r4, [%rd1], 0
add.u32 %r6, %r6, 1
setp.lt.u32 %p2, %r6, 2
@%p2 bra SPIN
bar.sync 0
ld.global.u32 %r5, [%rd2]
mov.u64 %rd3, out
mul.u64 %rd4, %r1, 4
add.u64 %rd3, %rd3, %rd4
st.global.u32 [%rd3], %r5
exit
)";

/// Counts the low bits of `in` in shared memory, then adds the counts up in global memory.
inline const std::string kHistogram = R"(
mov.u32 %r1, %tid
mul.u64 %rd1, %r1, 4
mov.u64 %rd2, in
add.u64 %rd2, %rd2, %rd1
mov.u64 %rd3, s
setp.ge.u32 %p1, %r1, 2
mul.u64 %rd4, %r1, 4
add.u64 %rd5, %rd3, %rd4
@!%p1 st.shared.u32 [%rd5], 0
bar.sync 0
ld.global.u32 %r2, [%rd2]
setp.lt.u32 %p2, %r2, 7
@%p2 atom.shared.add.u32 %r3, [%rd3], 1
@!%p2 atom.shared.add.u32 %r3, [%rd3+4], 1
add.u32 %r6, %r2, 1
bar.sync 0
@%p1 bra END
ld.shared.u32 %r4, [%rd5]
mov.u64 %rd6, out
add.u64 %rd6, %rd6, %rd4
red.global.add.u32 [%rd6], %r4
END:
exit
)";

/// The CTA that finishes last adds up what all wrote; found by an atomic, told by shared memory.
inline const std::string kLastBlock = R"(
mov.u32 %r1, %tid
mov.u32 %r2, %ctaid
mov.u64 %rd1, s
mov.u64 %rd2, out
setp.ne.u32 %p1, %r1, 0
@%p1 bra WAIT
mul.u64 %rd3, %r2, 4
add.u64 %rd4, %rd2, %rd3
add.u32 %r3, %r2, 7
st.global.u32 [%rd4], %r3
mov.u64 %rd5, counter
atom.global.inc.u32 %r4, [%rd5], 1000
st.shared.u32 [%rd1], %r4
WAIT:
bar.sync 0
ld.shared.u32 %r5, [%rd1]
setp.ne.u32 %p2, %r5, 2
@%p2 bra END
ld.global.u32 %r6, [%rd2]
ld.global.u32 %r7, [%rd2+4]
ld.global.u32 %r8, [%rd2+8]
add.u32 %r9, %r6, %r7
add.u32 %r9, %r9, %r8
mov.u64 %rd6, result
mul.u64 %rd7, %r1, 4
add.u64 %rd6, %rd6, %rd7
st.global.u32 [%rd6], %r9
END:
exit
)";

/// Thread 0 hands a value to the others through a flag that they spin on.
inline const std::string kFlag = R"(
mov.u32 %r1, %tid
mov.u64 %rd1, out
mov.u64 %rd2, lock
setp.ne.u32 %p1, %r1, 0
@%p1 bra SPIN
st.global.u32 [%rd1], 42
st.volatile.global.u32 [%rd2], 1
bra END
SPIN:
ld.volatile.global.u32 %r2, [%rd2]
setp.eq.u32 %p2, %r2, 0
@%p2 bra SPIN
ld.global.u32 %r3, [%rd1]
mul.u64 %rd3, %r1, 4
add.u64 %rd4, %rd1, %rd3
st.global.u32 [%rd4], %r3
END:
exit
)";

}  // namespace warplock::trace::tiny_kernels
