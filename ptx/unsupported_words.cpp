#include <algorithm>
#include <iterator>

#include "ptx/forms.h"

/// Words of PTX outside our subset, so that they are refused as such and not as unknown.
namespace warplock::ptx {

bool is_unsupported_type(std::string_view word) {
  constexpr std::string_view kTypesOutside[] = {
      "f16",   "f16x2", "bf16",   "bf16x2", "tf32",   "e4m3",       "e5m2",   "u16x2",
      "s16x2", "b128",  "e4m3x2", "e5m2x2", "texref", "samplerref", "surfref"};
  return std::find(std::begin(kTypesOutside), std::end(kTypesOutside), word) !=
         std::end(kTypesOutside);
}

bool is_unsupported_word(std::string_view mnemonic, std::string_view word) {
  // Instructions that have forms for floating point, packed integers or 128 bits, and the words
  // that only those forms have.
  constexpr std::string_view kMnemonics[] = {"add", "sub", "mul",  "mad",  "div",  "abs", "neg",
                                             "min", "max", "set",  "setp", "cvt",  "ld",  "ldu",
                                             "st",  "mov", "atom", "red",  "redux"};
  constexpr std::string_view kWords[] = {
      "f16",   "f16x2", "bf16",  "bf16x2", "f32",      "f64", "f32x2", "tf32",   "e4m3",
      "e5m2",  "u16x2", "s16x2", "b128",   "rn",       "rz",  "rm",    "rp",     "e4m3x2",
      "rni",   "rzi",   "rmi",   "rpi",    "rna",      "ftz", "full",  "approx", "e5m2x2",
      "noftz", "v8",    "relu",  "mmio",   "equ",      "neu", "ltu",   "leu",    "gtu",
      "geu",   "num",   "nan",   "NaN",    "satfinite"};
  constexpr std::string_view kEverywhere[] = {"shared::cluster", "L2::cache_hint", "multimem"};
  struct Pair {
    std::string_view mnemonic, word;
  };
  constexpr Pair kPairs[] = {{"atom", "v2"},
                             {"atom", "v4"},
                             {"red", "v2"},
                             {"red", "v4"},
                             {"red", "async"},
                             {"st", "async"},
                             {"st", "bulk"},
                             {"lop3", "and"},
                             {"lop3", "or"},
                             {"lop3", "xor"},
                             {"cvt", "sat"},
                             {"cvt", "pack"},

                             {"min", "xorsign"},

                             {"max", "xorsign"},

                             {"redux", "abs"},
                             {"prefetch", "tensormap"},
                             {"prefetch", "const"},
                             {"prefetch", "param"},
                             {"barrier", "cluster"},
                             {"membar", "proxy"},
                             {"fence", "async"},
                             {"fence", "mbarrier_init"},
                             {"fence", "tensormap::generic"},
                             {"fence", "async::generic"},
                             {"fence", "sync_restrict::shared::cluster"},
                             {"fence", "sync_restrict::shared::cta"},
                             {"ld", "L2::evict_first"},
                             {"ld", "L2::evict_last"},
                             {"ld", "L2::evict_normal"},
                             {"st", "L2::evict_first"},
                             {"st", "L2::evict_last"},
                             {"st", "L2::evict_normal"}};
  auto has = [](const auto& list, std::string_view what) {
    return std::find(std::begin(list), std::end(list), what) != std::end(list);
  };
  return has(kEverywhere, word) || (has(kMnemonics, mnemonic) && has(kWords, word)) ||
         std::any_of(std::begin(kPairs), std::end(kPairs), [&](const Pair& pair) {
           return pair.mnemonic == mnemonic && pair.word == word;
         });
}

bool is_unsupported_mnemonic(std::string_view mnemonic) {
  constexpr std::string_view kMnemonics[] = {
      "fma",          "rcp",          "sqrt",          "rsqrt",
      "sin",          "cos",          "lg2",           "ex2",
      "tanh",         "copysign",     "testp",         "tex",
      "tld4",         "txq",          "istypep",       "suld",
      "sust",         "sured",        "suq",           "mma",
      "wmma",         "wgmma",        "ldmatrix",      "stmatrix",
      "movmatrix",    "cp",           "mbarrier",      "griddepcontrol",
      "elect",        "mapa",         "getctarank",    "multimem",
      "createpolicy", "discard",      "applypriority", "alloca",
      "stacksave",    "stackrestore", "pmevent",       "brkpt",
      "setmaxnreg",   "tensormap",    "vadd",          "vsub",
      "vabsdiff",     "vmin",         "vmax",          "vshl",
      "vshr",         "vmad",         "vset",          "vadd2",
      "vsub2",        "vavrg2",       "vabsdiff2",     "vmin2",
      "vmax2",        "vset2",        "vadd4",         "vsub4",
      "vavrg4",       "vabsdiff4",    "vmin4",         "vmax4",
      "vset4",        "st_bulk",      "tcgen05",       "clusterlaunchcontrol",
      "cvt_pack"};
  return std::find(std::begin(kMnemonics), std::end(kMnemonics), mnemonic) != std::end(kMnemonics);
}

}  // namespace warplock::ptx
