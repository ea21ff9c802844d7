#pragma once

#include "circuit/emitter.h"

namespace warplock::circuit {

/// Translates a kernel and everything it calls into `emitter`'s code, rule by rule, and notes which
/// rules lowered each PTX instruction. Throws `Unfit` for what the machine cannot do.
void translate(Emitter& emitter, const ptx::Function& entry, std::vector<std::string>& rules);

}  // namespace warplock::circuit
