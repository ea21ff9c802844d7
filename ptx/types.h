#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The enumerations of PTX: fundamental types, state spaces, opcodes and modifiers. Names follow
/// the PTX ISA; section numbers in comments are those of PTX ISA 8.x.
namespace warplock::ptx {

/// Fundamental types (PTX ISA 5.2). `kF32` and `kF64` exist so that registers can be declared and
/// values moved; arithmetic on them is refused by the front end, except for the few forms
/// docs/ptx.md lists.
enum class Type : uint8_t {
  kNone,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF32,
  kF64,
  kPred
};
/// Bits of a value of the type: 8 to 128, and 1 for a predicate.
uint32_t bits(Type type);
inline uint32_t bytes(Type type) {
  return (bits(type) + 7) / 8;
}
bool is_signed(Type type);
std::string_view spelling(Type type);  ///< "u32", without the dot

/// State spaces (PTX ISA 5.1); `kGeneric` where an access names none.
enum class Space : uint8_t { kGeneric, kConst, kGlobal, kLocal, kParam, kShared };
std::string_view spelling(Space space);

/// Opcodes. One enumerator for one mnemonic's first word, except that `bar` and `barrier` are told
/// apart by `Modifiers::barrier_op`, and `bar.warp.sync` is its own.
enum class Opcode : uint8_t {
  // integer arithmetic (9.7.1) and extended precision (9.7.2)
  kAdd,
  kSub,
  kMul,
  kMad,
  kMul24,
  kMad24,
  kSad,
  kDiv,
  kRem,
  kAbs,
  kNeg,
  kMin,
  kMax,
  kPopc,
  kClz,
  kBfind,
  kFns,
  kBrev,
  kBfe,
  kBfi,
  kSzext,
  kBmsk,
  kDp4a,
  kDp2a,
  kAddc,
  kSubc,
  kMadc,
  // comparison and selection (9.7.5, 9.7.6), logic and shift (9.7.8)
  kSet,
  kSetp,
  kSelp,
  kSlct,
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kLop3,
  kShl,
  kShr,
  kShf,
  // data movement and conversion (9.7.9)
  kMov,
  kPrmt,
  kLd,
  kLdu,
  kSt,
  kPrefetch,
  kPrefetchu,
  kIsspacep,
  kCvta,
  kCvt,
  // control flow (9.7.12)
  kBra,
  kBrxIdx,
  kCall,
  kRet,
  kExit,
  kTrap,
  kNop,
  // synchronisation and communication (9.7.13)
  kBar,
  kBarWarpSync,
  kMembar,
  kFence,
  kAtom,
  kRed,
  kShfl,
  kVote,
  kMatch,
  kActivemask,
  kRedux,
};
std::string_view spelling(Opcode opcode);  ///< "add", "brx.idx", "bar.warp.sync"

enum class Half : uint8_t { kNone, kLo, kHi, kWide };
/// Comparison operators (9.7.5). lo, ls, hi, hs are the unsigned spellings of lt, le, gt, ge, and
/// are stored as those.
enum class Compare : uint8_t { kNone, kEq, kNe, kLt, kLe, kGt, kGe };
enum class BoolOp : uint8_t { kNone, kAnd, kOr, kXor };
/// Shift amounts of shf, and of bmsk and szext (clamp or wrap).
enum class Overflow : uint8_t { kNone, kClamp, kWrap };
enum class Direction : uint8_t { kNone, kLeft, kRight };
enum class PrmtMode : uint8_t { kNone, kF4e, kB4e, kRc8, kEcl, kEcr, kRc16 };
enum class AtomicOp : uint8_t { kNone, kAdd, kAnd, kOr, kXor, kExch, kCas, kMin, kMax, kInc, kDec };
enum class ShuffleMode : uint8_t { kNone, kUp, kDown, kBfly, kIdx };
enum class VoteMode : uint8_t { kNone, kAll, kAny, kUni, kBallot };
enum class MatchMode : uint8_t { kNone, kAny, kAll };
enum class ReduxOp : uint8_t { kNone, kAdd, kMin, kMax, kAnd, kOr, kXor };
enum class BarrierOp : uint8_t { kNone, kSync, kArrive, kRedPopc, kRedAnd, kRedOr };
enum class Rounding : uint8_t { kNone, kRn, kRz, kRm, kRp };

/// Everything an opcode's dots say, besides types. Defaults mean "not given".
struct Modifiers {
  Half half = Half::kNone;  ///< mul, mad, mul24, mad24, madc, dp2a (.lo/.hi)
  Compare compare = Compare::kNone;
  BoolOp bool_op = BoolOp::kNone;  ///< set, setp: combines with the source predicate
  Overflow overflow = Overflow::kNone;
  Direction direction = Direction::kNone;
  PrmtMode prmt = PrmtMode::kNone;
  AtomicOp atomic = AtomicOp::kNone;
  ShuffleMode shuffle = ShuffleMode::kNone;
  VoteMode vote = VoteMode::kNone;
  MatchMode match = MatchMode::kNone;
  ReduxOp redux = ReduxOp::kNone;
  BarrierOp barrier = BarrierOp::kNone;
  Rounding rounding = Rounding::kNone;
  Space space = Space::kGeneric;  ///< ld, st, atom, red, cvta, isspacep
  uint8_t vector = 1;             ///< elements: 1, 2 or 4 (ld, st)
  bool saturate = false;
  bool carry_out = false;     ///< .cc
  bool to = false;            ///< cvta.to
  bool shift_amount = false;  ///< bfind.shiftamt
  bool uniform = false;       ///< bra.uni, call.uni
  bool aligned = true;        ///< false for barrier without .aligned
  bool is_volatile = false;
  bool sync = true;  ///< false for the pre-Volta shfl, vote, match without .sync
  /// Words that change nothing an integer execution can show (cache operators, eviction hints,
  /// .nc, memory order, scope), in order of spelling and with their dots, so that printing gives
  /// them back: ".relaxed.gpu".
  std::string kept;
  friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

/// Special registers (PTX ISA 10) that a kernel can read. kAlignedSmemSize is %aggr_smem_size.
enum class SpecialRegister : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kWarpSize,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kTotalSmemSize,
  kAlignedSmemSize,
  kDynamicSmemSize,
};
std::string_view spelling(SpecialRegister reg);  ///< "%tid.x"; "WARP_SZ" for kWarpSize
Type type_of(SpecialRegister reg);

}  // namespace warplock::ptx
