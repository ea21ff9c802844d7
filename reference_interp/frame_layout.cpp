#include "reference_interp/frame_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "reference_interp/address_map.h"

namespace warplock::reference_interp {
namespace {

/// Bytes behind every local variable that belong to nobody, so that running over its end is seen.
constexpr uint32_t kLocalGap = 32;

uint32_t aligned(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

RowKind row_kind(ptx::Type type) {
  if (type == ptx::Type::kPred) return RowKind::kPredicate;
  return ptx::bits(type) > 32 ? RowKind::k64 : RowKind::k32;
}

FrameLayout::FrameLayout(const ptx::Module& module, uint32_t function,
                         const VariableAddresses& addresses, uint32_t warp_width)
    : module_(module),
      function_(module.functions[function]),
      index_(function),
      addresses_(addresses),
      warp_width_(warp_width) {
  for (const ptx::Register& reg : function_.registers) kinds_.push_back(row_kind(reg.type));
  lay_out_locals();
}

void FrameLayout::lay_out_locals() {
  for (uint32_t i = 0; i < module_.variables.size(); ++i) {
    const ptx::Variable& variable = module_.variables[i];
    const bool local = variable.space == ptx::Space::kLocal;
    const bool of_module = local && variable.function == ptx::kNoIndex && function_.is_entry;
    if (variable.function != index_ && !of_module) continue;
    if (!local && variable.space != ptx::Space::kParam) continue;
    LocalVariable placed;
    placed.variable = i;
    placed.offset = aligned(local_bytes_, std::max(1u, variable.alignment));
    if (variable.size > kMaxLocalBytes || placed.offset + variable.size > kMaxLocalBytes) {
      throw diagnostics::InputError(diagnostics::error_at(
          *module_.source, variable.declared, "resource limit",
          fmt::format("the local variables of {} need more than the {} bytes that a thread has",
                      function_.name, kMaxLocalBytes)));
    }
    placed.size = static_cast<uint32_t>(variable.size);
    locals_.push_back(placed);
    local_bytes_ = placed.offset + placed.size + kLocalGap;
  }
}

uint32_t FrameLayout::local_offset(uint32_t variable) const {
  for (const LocalVariable& local : locals_) {
    if (local.variable == variable) return local.offset;
  }
  const ptx::Variable& v = module_.variables[variable];
  throw diagnostics::InputError(diagnostics::error_at(
      *module_.source, v.declared, "unsupported",
      fmt::format("'{}' is used by {}, which does not declare it", v.name, function_.name)));
}

OperandRef FrameLayout::slot(Source source, uint64_t value, RowKind kind) {
  const auto [at, added] =
      slots_.try_emplace({source, value, kind}, static_cast<uint32_t>(kinds_.size()));
  if (added) kinds_.push_back(kind);
  return {0, at->second};
}

OperandRef FrameLayout::constant(uint64_t value, RowKind kind) {
  if (kind == RowKind::k32) value &= 0xffffffff;
  return slot(Source::kConstant, value, kind);
}

OperandRef FrameLayout::special(ptx::SpecialRegister special, RowKind kind) {
  return slot(Source::kSpecial, static_cast<uint64_t>(special), kind);
}

OperandRef FrameLayout::sink(RowKind kind) {
  return slot(Source::kSink, 0, kind);
}

OperandRef FrameLayout::variable_address(uint32_t variable, int64_t offset, RowKind kind) {
  const ptx::Space space = module_.variables[variable].space;
  if (space == ptx::Space::kLocal || space == ptx::Space::kParam) {
    return slot(Source::kLocalAddress, local_offset(variable) + static_cast<uint64_t>(offset),
                kind);
  }
  return constant(addresses_.address[variable] + static_cast<uint64_t>(offset), kind);
}

void FrameLayout::finish(FunctionCode& code) {
  code.registers = static_cast<uint32_t>(function_.registers.size());
  code.slots = static_cast<uint32_t>(kinds_.size());
  uint32_t end = aligned(code.slots * 4, 64);
  for (RowKind kind : kinds_) {
    const uint32_t size = kind == RowKind::kPredicate ? 4
                          : kind == RowKind::k32      ? 4 * warp_width_
                                                      : 8 * warp_width_;
    end = aligned(end, std::min(64u, size));
    offsets_.push_back(end);
    end += size;
  }
  code.frame_bytes = end;
  for (const auto& [what, index] : slots_) {
    const auto& [source, value, kind] = what;
    const OperandRef at = place({0, index});
    switch (source) {
      case Source::kConstant:
        code.constants.push_back({at, kind, value});
        break;
      case Source::kSpecial:
        code.specials.push_back({at, kind, static_cast<ptx::SpecialRegister>(value)});
        break;
      case Source::kLocalAddress:
        code.local_addresses.push_back({at, kind, value});
        break;
      case Source::kSink:
        break;
    }
  }
  code.locals = locals_;
  code.local_bytes = local_bytes_;
}

}  // namespace warplock::reference_interp
