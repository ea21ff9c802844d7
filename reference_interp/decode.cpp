#include "reference_interp/decode.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "reference_interp/address_map.h"
#include "reference_interp/frame_layout.h"
#include "reference_interp/operand_types.h"
#include "reference_interp/ops/families.h"
#include "reference_interp/plant.h"

namespace warplock::reference_interp {
namespace {

using ptx::Opcode;
using Kind = ptx::Operand::Kind;

uint8_t flags_of(const ptx::Instruction& in) {
  switch (in.opcode) {
    case Opcode::kBra:
    case Opcode::kBrxIdx:
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kExit:
    case Opcode::kTrap:
    case Opcode::kBar:
    case Opcode::kBarWarpSync:
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kRedux:
      return kControl;
    case Opcode::kMov:
    case Opcode::kSelp:
    case Opcode::kSlct:
      return kPropagates;
    default:
      return 0;
  }
}

/// Volatile and "strong" accesses order like atomics (docs/reference.md, "Data races").
bool synchronises(const ptx::Modifiers& m) {
  if (m.is_volatile) return true;
  for (const char* word : {".relaxed", ".acquire", ".release"}) {
    if (m.kept.find(word) != std::string::npos) return true;
  }
  return false;
}

template <int W>
class FunctionDecoder {
 public:
  FunctionDecoder(Code<W>& code, uint32_t index, const VariableAddresses& addresses,
                  const Options& options)
      : code_(code),
        module_(*code.module),
        function_(module_.functions[index]),
        index_(index),
        options_(options),
        layout_(module_, index, addresses, W) {}

  void decode() {
    FunctionCode& function = code_.functions[index_];
    for (const ptx::Instruction& in : function_.body) decode(in);
    decode_end();
    layout_.finish(function);
    for (uint32_t i = 0; i < function_.registers.size(); ++i) {
      function.register_rows.push_back(layout_.place(layout_.reg(i)));
    }
    // Places are final only now.
    for (uint32_t pc = function.start; pc <= function.end; ++pc) {
      DecodedInstruction<W>& in = code_.instructions[pc];
      for (int k = 0; k < in.destinations; ++k) in.d[k] = layout_.place(in.d[k]);
      for (int k = 0; k < in.sources; ++k) in.s[k] = layout_.place(in.s[k]);
      if ((in.flags & kGuarded) != 0) in.guard = layout_.place(in.guard);
    }
    for (auto& [pc, site] : code_.calls) {
      if (pc < function.start || pc > function.end) continue;
      for (Transfer& t : site.arguments) {
        if (!t.from_memory) t.from_row = layout_.place(t.from_row);
      }
      for (Transfer& t : site.returns) {
        if (!t.to_memory) t.to_row = layout_.place(t.to_row);
      }
    }
  }

  const FrameLayout& layout() const { return layout_; }

 private:
  [[noreturn]] void refuse(const ptx::Instruction& in, const std::string& why) const {
    throw Unsupported{
        fmt::format("line {}: `{}`: {}", in.position.line, to_text(module_, function_, in), why)};
  }

  uint32_t register_name(const ptx::Operand& operand) const {
    if (operand.kind != Kind::kRegister) return ptx::kNoIndex;
    return code_.functions[index_].first_register_name + operand.index;
  }

  /// A value, of the type wanted (kNone: whatever it is).
  OperandRef value(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type wanted,
                   bool may_be_wider) {
    const bool any = wanted == ptx::Type::kNone;
    const RowKind kind = any ? RowKind::k64 : row_kind(wanted);
    switch (operand.kind) {
      case Kind::kRegister: {
        const OperandRef reg = layout_.reg(operand.index);
        const bool fits =
            layout_.kind(reg) == kind || (may_be_wider && layout_.kind(reg) != RowKind::kPredicate);
        if (!any && !fits) {
          refuse(in, fmt::format("register {} has the wrong width",
                                 function_.registers[operand.index].name));
        }
        return reg;
      }
      case Kind::kImmediate:
        return layout_.constant(operand.value, kind);
      case Kind::kSpecial:
        return layout_.special(operand.special, kind);
      case Kind::kVariable:
        return layout_.variable_address(operand.index, operand.offset, kind);
      case Kind::kParameter:
        return parameter_address(operand, operand.offset, kind);
      case Kind::kSink:
        return layout_.sink(kind);
      default:
        refuse(in, "an operand of this kind is not supported here");
    }
  }

  OperandRef parameter_address(const ptx::Operand& operand, int64_t offset, RowKind kind) {
    const ptx::Parameter& parameter = function_.parameters[operand.index];
    if (!function_.is_entry) return layout_.variable_address(parameter.variable, offset, kind);
    return layout_.constant(kParamBase + parameter.offset + static_cast<uint64_t>(offset), kind);
  }

  /// The address of a memory instruction: s[0], with an offset added when it is executed.
  void address(const ptx::Operand& operand, DecodedInstruction<W>& out) {
    out.address_offset = operand.offset;
    out.sources = 1;
    switch (operand.base) {
      case ptx::Operand::Base::kRegister:
        out.s[0] = layout_.reg(operand.index);
        break;
      case ptx::Operand::Base::kNone:
        out.s[0] = layout_.constant(0, RowKind::k64);
        break;
      case ptx::Operand::Base::kVariable:
        out.s[0] = layout_.variable_address(operand.index, 0, RowKind::k64);
        break;
      case ptx::Operand::Base::kParameter:
        out.s[0] = parameter_address(operand, 0, RowKind::k64);
        break;
    }
  }

  void add_source(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type wanted,
                  DecodedInstruction<W>& out) {
    const bool wider = in.opcode == Opcode::kSt || in.opcode == Opcode::kCvt;
    if (out.sources >= std::size(out.s)) refuse(in, "too many operands");
    if (operand.negated) out.negated |= static_cast<uint8_t>(1 << out.sources);
    out.s[out.sources++] = value(in, operand, wanted, wider);
    if (operand.kind == Kind::kSpecial && is_clock(operand.special)) out.flags |= kReadsClock;
  }

  void add_destination(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type wanted,
                       DecodedInstruction<W>& out, InstructionInfo& info) {
    const bool wider =
        in.opcode == Opcode::kLd || in.opcode == Opcode::kLdu || in.opcode == Opcode::kCvt;
    if (out.destinations >= std::size(out.d)) refuse(in, "too many operands");
    InstructionInfo::Destination named;
    const OperandRef place = value(in, operand, wanted, wider);
    named.name = register_name(operand);
    named.kind = layout_.kind(place);
    ptx::Type type = wanted;
    if (operand.kind == Kind::kRegister) type = function_.registers[operand.index].type;
    named.bytes = static_cast<uint8_t>(ptx::bytes(type));
    if (out.destinations == 0) {
      const uint32_t bits = ptx::bits(type);
      out.register_mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    }
    out.d[out.destinations++] = place;
    info.destinations.push_back(named);
  }

  static bool is_clock(ptx::SpecialRegister special) {
    using S = ptx::SpecialRegister;
    switch (special) {
      case S::kClock:
      case S::kClockHi:
      case S::kClock64:
      case S::kGlobaltimer:
      case S::kGlobaltimerLo:
      case S::kGlobaltimerHi:
        return true;
      default:
        return false;
    }
  }

  /// Elements of vectors have the type of the instruction; those of mov share its width.
  static ptx::Type element_type(const ptx::Instruction& in, const ptx::Operand& vector) {
    if (in.opcode != Opcode::kMov) return in.type();
    switch (ptx::bits(in.type()) / std::max<size_t>(1, vector.elements.size())) {
      case 8:
        return ptx::Type::kB8;
      case 16:
        return ptx::Type::kB16;
      default:
        return ptx::Type::kB32;
    }
  }

  void operands(const ptx::Instruction& in, DecodedInstruction<W>& out, InstructionInfo& info) {
    for (size_t k = 0; k < in.destinations.size(); ++k) {
      const ptx::Operand& operand = in.destinations[k];
      if (operand.kind != Kind::kVector) {
        add_destination(in, operand, destination_type(in, k), out, info);
        continue;
      }
      for (const ptx::Operand& element : operand.elements) {
        add_destination(in, element, element_type(in, operand), out, info);
      }
    }
    for (size_t k = 0; k < in.sources.size(); ++k) {
      const ptx::Operand& operand = in.sources[k];
      switch (operand.kind) {
        case Kind::kAddress:
          address(operand, out);
          break;
        case Kind::kLabel:
          out.target = code_.functions[index_].start + operand.index;
          break;
        case Kind::kBranchTable:
          out.target = table(operand.index);
          break;
        case Kind::kVector:
          for (const ptx::Operand& element : operand.elements) {
            add_source(in, element, element_type(in, operand), out);
          }
          break;
        default:
          add_source(in, operand, source_type(in, k), out);
      }
    }
  }

  uint32_t table(uint32_t index) {
    std::vector<uint32_t> targets;
    for (uint32_t target : function_.branch_tables[index].targets) {
      targets.push_back(code_.functions[index_].start + target);
    }
    code_.tables.push_back(std::move(targets));
    return static_cast<uint32_t>(code_.tables.size() - 1);
  }

  void decode(const ptx::Instruction& written) {
    const Plant plant = plant_in(code_, written, options_);
    const ptx::Instruction& in = *plant.executed;
    DecodedInstruction<W> out;
    InstructionInfo info;
    info.text = &written;
    info.function = index_;
    info.id = written.id;
    out.text = &in;
    out.flags = flags_of(in);
    out.space = in.modifiers.space;
    out.synchronises = synchronises(in.modifiers);
    if (in.guard.present()) {
      out.flags |= kGuarded | (in.guard.negated ? kGuardNegated : 0);
      out.guard = layout_.reg(in.guard.reg);
    }
    const uint32_t pc = static_cast<uint32_t>(code_.instructions.size());
    if (in.opcode == Opcode::kCall) {
      call(in, pc, info);
    } else {
      operands(in, out, info);
    }
    if (out.sources != 0) out.wide_source = layout_.kind(out.s[0]) == RowKind::k64;
    const RegisterWidths widths = widths_of(in, info, out);
    out.handler = handler_of<W>(in, widths);
    if (out.handler == nullptr) refuse(in, "this form is not supported");
    if (plant.distort) distort(code_, pc, out, plant.distort);
    code_.instructions.push_back(out);
    code_.info.push_back(std::move(info));
  }

  RegisterWidths widths_of(const ptx::Instruction& in, const InstructionInfo& info,
                           const DecodedInstruction<W>& out) const {
    RegisterWidths widths;
    for (const InstructionInfo::Destination& d : info.destinations) {
      widths.destination = std::max<uint32_t>(widths.destination, 8u * d.bytes);
      const bool same = layout_.kind(out.d[0]) == d.kind;
      if (in.opcode == Opcode::kLd && !same) refuse(in, "the registers differ in width");
    }
    const ptx::Operand* source = nullptr;
    if (in.opcode == Opcode::kCvt) source = &in.sources[0];
    if (in.opcode == Opcode::kSt) source = &in.sources[1];
    if (source == nullptr) return widths;
    if (source->kind == Kind::kVector) {
      for (uint8_t k = 2; k < out.sources; ++k) {
        if (layout_.kind(out.s[k]) != layout_.kind(out.s[1])) {
          refuse(in, "the registers differ in width");
        }
      }
      source = &source->elements[0];
    }
    const ptx::Type type = source->kind == Kind::kRegister
                               ? function_.registers[source->index].type
                               : source_type(in, in.opcode == Opcode::kSt ? 1 : 0);
    widths.source = ptx::bits(type);
    return widths;
  }

  /// The body ends in a ret, written or not.
  void decode_end() {
    static const ptx::Instruction kRet = [] {
      ptx::Instruction ret;
      ret.opcode = Opcode::kRet;
      return ret;
    }();
    DecodedInstruction<W> out;
    out.flags = kControl;
    out.handler = handler_of<W>(kRet, {});
    InstructionInfo info;
    info.function = index_;
    info.id = function_.body.empty() ? module_.instruction_count : function_.body.back().id;
    code_.instructions.push_back(out);
    code_.info.push_back(std::move(info));
  }

  void call(const ptx::Instruction& in, uint32_t pc, InstructionInfo& info) {
    CallSite site;
    const ptx::Operand& target = in.sources.at(0);
    if (target.kind != Kind::kFunction) refuse(in, "indirect calls are not supported");
    site.callee = definition_of(in, target.index);
    const ptx::Function& callee = module_.functions[site.callee];
    if (in.sources.size() - 1 != callee.parameters.size() ||
        in.destinations.size() != callee.returns.size()) {
      refuse(in, "the number of arguments is not that of the function");
    }
    for (size_t k = 0; k < callee.parameters.size(); ++k) {
      Transfer t;
      caller_side(in, in.sources[k + 1], callee.parameters[k], t.from_memory, t.from_row,
                  t.from_offset);
      callee_side(callee.parameters[k], t);
      site.arguments.push_back(t);
    }
    for (size_t k = 0; k < callee.returns.size(); ++k) {
      Transfer t;
      caller_side(in, in.destinations[k], callee.returns[k], t.to_memory, t.to_row, t.to_offset);
      // The callee's side is the source of a return value.
      Transfer callee_part;
      callee_side(callee.returns[k], callee_part);
      t.from_memory = callee_part.to_memory;
      t.from_row = callee_part.to_row;
      t.from_offset = callee_part.to_offset;
      t.kind = callee_part.kind;
      t.bytes = callee_part.bytes;
      site.returns.push_back(t);
      InstructionInfo::Destination named;
      named.name = register_name(in.destinations[k]);
      named.kind = t.kind;
      named.bytes = static_cast<uint8_t>(std::min<uint32_t>(8, t.bytes));
      info.destinations.push_back(named);
    }
    code_.calls.emplace(pc, std::move(site));
  }

  uint32_t definition_of(const ptx::Instruction& in, uint32_t index) const {
    const ptx::Function& named = module_.functions[index];
    if (!named.is_declaration) return index;
    for (uint32_t i = 0; i < module_.functions.size(); ++i) {
      if (module_.functions[i].name == named.name && !module_.functions[i].is_declaration) return i;
    }
    refuse(in, fmt::format("{} is declared but its body is not in this module", named.name));
  }

  void caller_side(const ptx::Instruction& in, const ptx::Operand& operand,
                   const ptx::Parameter& parameter, bool& memory, OperandRef& row,
                   uint32_t& offset) {
    if (operand.kind == Kind::kVariable) {
      memory = true;
      offset = layout_.local_offset(operand.index) + static_cast<uint32_t>(operand.offset);
      return;
    }
    if (parameter.size > 8) refuse(in, "an aggregate must be passed in a .param variable");
    row = value(in, operand, parameter.type, false);
  }

  /// Register rows of the callee are filled in when it has been laid out: see link_calls.
  void callee_side(const ptx::Parameter& parameter, Transfer& t) const {
    t.kind = row_kind(parameter.type);
    t.bytes = parameter.size != 0 ? parameter.size : ptx::bytes(parameter.type);
    if (parameter.reg != ptx::kNoIndex) {
      t.to_row.slot = parameter.reg;
    } else {
      t.to_memory = true;
      t.to_offset = parameter.variable;
    }
  }

  Code<W>& code_;
  const ptx::Module& module_;
  const ptx::Function& function_;
  uint32_t index_;
  const Options& options_;
  FrameLayout layout_;
};

/// Replaces the callee's registers and variables by their places.
template <int W>
void link_calls(Code<W>& code) {
  const auto local_offset = [](const FunctionCode& function, uint32_t variable) {
    for (const LocalVariable& local : function.locals) {
      if (local.variable == variable) return local.offset;
    }
    return uint32_t{0};
  };
  for (auto& [pc, site] : code.calls) {
    const FunctionCode& callee = code.functions[site.callee];
    for (Transfer& t : site.arguments) {
      if (t.to_memory) {
        t.to_offset = local_offset(callee, t.to_offset);
      } else {
        t.to_row = callee.register_rows[t.to_row.slot];
      }
    }
    for (Transfer& t : site.returns) {
      if (t.from_memory) {
        t.from_offset = local_offset(callee, t.from_offset);
      } else {
        t.from_row = callee.register_rows[t.from_row.slot];
      }
    }
  }
}

}  // namespace

template <int W>
Code<W> decode(std::shared_ptr<const ptx::Module> module, const VariableAddresses& addresses,
               const Options& options) {
  Code<W> code;
  code.module = std::move(module);
  const ptx::Module& source = *code.module;
  // All starts first: branch targets and names need nothing else.
  uint32_t next = 0;
  for (const ptx::Function& function : source.functions) {
    FunctionCode placed;
    placed.function = &function;
    placed.start = next;
    placed.end = next + static_cast<uint32_t>(function.body.size());
    placed.first_register_name = static_cast<uint32_t>(code.register_names.size());
    next = placed.end + 1;
    for (const ptx::Register& reg : function.registers) code.register_names.push_back(reg.name);
    code.functions.push_back(std::move(placed));
  }
  code.instructions.reserve(next);
  for (uint32_t i = 0; i < source.functions.size(); ++i) {
    FunctionDecoder<W>(code, i, addresses, options).decode();
  }
  link_calls(code);
  return code;
}

template Code<4> decode<4>(std::shared_ptr<const ptx::Module>, const VariableAddresses&,
                           const Options&);
template Code<32> decode<32>(std::shared_ptr<const ptx::Module>, const VariableAddresses&,
                             const Options&);

}  // namespace warplock::reference_interp
