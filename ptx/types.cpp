#include "ptx/types.h"

#include <stdexcept>

namespace warplock::ptx {
namespace {

/// Spellings are tables in the order of the enumerators; a value outside is a fault of the caller.
template <size_t N>
std::string_view entry_of(const std::string_view (&table)[N], size_t index) {
  if (index >= N) throw std::logic_error("enumerator without a spelling");
  return table[index];
}

constexpr std::string_view kTypes[] = {"none", "b8",  "b16", "b32", "b64", "b128",
                                       "u8",   "u16", "u32", "u64", "s8",  "s16",
                                       "s32",  "s64", "f32", "f64", "pred"};

constexpr std::string_view kSpaces[] = {"generic", "const", "global", "local", "param", "shared"};

constexpr std::string_view kOpcodes[] = {
    "add",        "sub",  "mul",       "mad",      "mul24",         "mad24",
    "sad",        "div",  "rem",       "abs",      "neg",           "min",
    "max",        "popc", "clz",       "bfind",    "fns",           "brev",
    "bfe",        "bfi",  "szext",     "bmsk",     "dp4a",          "dp2a",
    "addc",       "subc", "madc",      "set",      "setp",          "selp",
    "slct",       "and",  "or",        "xor",      "not",           "cnot",
    "lop3",       "shl",  "shr",       "shf",      "mov",           "prmt",
    "ld",         "ldu",  "st",        "prefetch", "prefetchu",     "isspacep",
    "cvta",       "cvt",  "bra",       "brx.idx",  "call",          "ret",
    "exit",       "trap", "nanosleep", "bar",      "bar.warp.sync", "membar",
    "fence",      "atom", "red",       "shfl",     "vote",          "match",
    "activemask", "redux"};
static_assert(std::size(kOpcodes) == static_cast<size_t>(Opcode::kRedux) + 1);

constexpr std::string_view kSpecialRegisters[] = {
    "%tid.x",           "%tid.y",          "%tid.z",
    "%ntid.x",          "%ntid.y",         "%ntid.z",
    "%ctaid.x",         "%ctaid.y",        "%ctaid.z",
    "%nctaid.x",        "%nctaid.y",       "%nctaid.z",
    "%laneid",          "%warpid",         "%nwarpid",
    "WARP_SZ",          "%smid",           "%nsmid",
    "%gridid",          "%lanemask_eq",    "%lanemask_le",
    "%lanemask_lt",     "%lanemask_ge",    "%lanemask_gt",
    "%clock",           "%clock_hi",       "%clock64",
    "%globaltimer",     "%globaltimer_lo", "%globaltimer_hi",
    "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size"};
static_assert(std::size(kSpecialRegisters) ==
              static_cast<size_t>(SpecialRegister::kDynamicSmemSize) + 1);

}  // namespace

uint32_t bits(Type type) {
  switch (type) {
    case Type::kNone:
      return 0;
    case Type::kPred:
      return 1;
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return 8;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
      return 16;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
      return 32;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return 64;
    case Type::kB128:
      return 128;
  }
  return 0;
}

bool is_signed(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64;
}

std::string_view spelling(Type type) {
  return entry_of(kTypes, static_cast<size_t>(type));
}
std::string_view spelling(Space space) {
  return entry_of(kSpaces, static_cast<size_t>(space));
}
std::string_view spelling(Opcode opcode) {
  return entry_of(kOpcodes, static_cast<size_t>(opcode));
}
std::string_view spelling(SpecialRegister reg) {
  return entry_of(kSpecialRegisters, static_cast<size_t>(reg));
}

Type type_of(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::kGridid:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobaltimer:
      return Type::kU64;
    default:
      return Type::kU32;
  }
}

}  // namespace warplock::ptx
