#include "ptx/forms.h"

/// Extended-precision arithmetic (PTX ISA 9.7.2): the carry flag CC.CF.
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kAdd, "add flag:cc type:@int32_64", "=t t t"},
    {Opcode::kAddc, "addc ?flag:cc type:@int32_64", "=t t t"},
    {Opcode::kSub, "sub flag:cc type:@int32_64", "=t t t"},
    {Opcode::kSubc, "subc ?flag:cc type:@int32_64", "=t t t"},
    {Opcode::kMad, "mad half:lo|hi flag:cc type:@int32_64", "=t t t t"},
    {Opcode::kMadc, "madc half:lo|hi ?flag:cc type:@int32_64", "=t t t t"},
};

}  // namespace

std::span<const Form> extended_precision_forms() {
  return kForms;
}

}  // namespace warplock::ptx
