#pragma once

#include "ptx/module.h"
#include "reference_interp/code.h"

/// The instruction families. Each looks at an instruction of its own and returns the handler of
/// that form, or null when there is none.
namespace warplock::reference_interp {

/// Bits of the registers of the first destination and of the first source that is a value (for st
/// the stored one); where they may be wider than the types: ld, st, cvt.
struct RegisterWidths {
  uint32_t destination = 0;
  uint32_t source = 0;
};

template <int W>
Handler<W> arithmetic_handler(const ptx::Instruction& in);
template <int W>
Handler<W> extended_handler(const ptx::Instruction& in);
template <int W>
Handler<W> bitfield_handler(const ptx::Instruction& in);
template <int W>
Handler<W> compare_handler(const ptx::Instruction& in);
template <int W>
Handler<W> logic_shift_handler(const ptx::Instruction& in);
template <int W>
Handler<W> movement_handler(const ptx::Instruction& in);
template <int W>
Handler<W> convert_handler(const ptx::Instruction& in, const RegisterWidths& widths);
template <int W>
Handler<W> memory_handler(const ptx::Instruction& in, const RegisterWidths& widths);
template <int W>
Handler<W> atomic_handler(const ptx::Instruction& in);
template <int W>
Handler<W> control_handler(const ptx::Instruction& in);
template <int W>
Handler<W> barrier_handler(const ptx::Instruction& in);
template <int W>
Handler<W> warp_handler(const ptx::Instruction& in);

/// The handler of any instruction, or null.
template <int W>
Handler<W> handler_of(const ptx::Instruction& in, const RegisterWidths& widths);

}  // namespace warplock::reference_interp
