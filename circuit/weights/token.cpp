#include "circuit/weights/token.h"

#include <stdexcept>

#include <fmt/format.h>

#include "circuit/weights/machine/machine.h"

namespace warplock::weights {

Vocabulary::Vocabulary(const circuit::MachineSpec& spec, uint32_t first_id)
    : spec_(spec), first_id_(first_id) {
  using K = Token::Kind;
  Field block{&Token::block, 0, spec.blocks}, warp{&Token::warp, 0, spec.warps};
  Field mask{&Token::mask, 1, 15}, flag{&Token::flag, 0, 2};
  Field cta_x{&Token::index, 0, spec.max_ctas_x}, cta_y{&Token::index, 0, spec.max_ctas_y};
  add(K::kExec, {block, warp, mask, flag});
  // r0 reads zero because no id can write it.
  add(K::kRegisterHeader,
      {{&Token::index, 1, spec.registers - 1}, warp, mask, {&Token::slot, 0, spec.slots}});
  add(K::kMemoryHeader, {mask, {&Token::slot, kLanes, kLanes}});
  add(K::kDataPiece, {{&Token::chunk, 0, kDataBytes}, {&Token::value, 0, 256}, flag});
  add(K::kRowPiece,
      {{&Token::chunk, 0, kLanes}, {&Token::value, 0, 1u << Sizes(spec).row_bits}, flag});
  add(K::kCta, {cta_x});
  add(K::kCtaRow, {cta_y});
  add(K::kHalt, {});
  run_size_ = size_;
  add(K::kConfig, {warp, mask});
  add(K::kGridX, {cta_x});
  add(K::kGridY, {cta_y});
  add(K::kRomHeader, {block, {&Token::slot, 0, spec.slots}});
  add(K::kReset, {});
}

void Vocabulary::add(Token::Kind kind, std::vector<Field> fields) {
  Section section{kind, std::move(fields), size_, 1};
  for (const Field& field : section.fields) section.count *= field.count;
  size_ += section.count;
  sections_.push_back(std::move(section));
}

const Vocabulary::Section& Vocabulary::section(Token::Kind kind) const {
  return sections_.at(static_cast<size_t>(kind));
}

uint32_t Vocabulary::id(const Token& token) const {
  const Section& in = section(token.kind);
  uint32_t index = 0;
  for (const Field& field : in.fields) {
    uint32_t value = token.*field.member - field.low;
    if (value >= field.count) {
      throw std::out_of_range(fmt::format("the machine has no token {}", text_of(token)));
    }
    index = index * field.count + value;
  }
  return first_id_ + in.first + index;
}

Token Vocabulary::token(uint32_t id) const {
  if (id - first_id_ >= size_) throw std::out_of_range(fmt::format("{} is no machine token", id));
  uint32_t index = id - first_id_;
  const Section* in = &sections_.front();
  for (const Section& next : sections_) {
    if (index >= next.first) in = &next;
  }
  index -= in->first;
  Token token;
  token.kind = in->kind;
  for (auto field = in->fields.rbegin(); field != in->fields.rend(); ++field) {
    token.*field->member = field->low + index % field->count;
    index /= field->count;
  }
  return token;
}

std::string Vocabulary::text(uint32_t id) const {
  return text_of(token(id));
}

std::string text_of(const Token& t) {
  using K = Token::Kind;
  switch (t.kind) {
    case K::kExec:
      return fmt::format("<|exec:b{}:w{}:{:04b}{}|>", t.block, t.warp, t.mask,
                         t.flag ? ":release" : "");
    case K::kRegisterHeader:
      return fmt::format("<|register:r{}:w{}:{:04b}:slot{}|>", t.index, t.warp, t.mask, t.slot);
    case K::kMemoryHeader:
      return fmt::format("<|memory:{:04b}:slot{}|>", t.mask, t.slot);
    case K::kDataPiece:
      return fmt::format("<|byte{}:{:02x}{}|>", t.chunk, t.value, t.flag ? ":end" : "");
    case K::kRowPiece:
      return fmt::format("<|row{}:{}{}|>", t.chunk, t.value, t.flag ? ":end" : "");
    case K::kCta:
      return fmt::format("<|cta:{}|>", t.index);
    case K::kCtaRow:
      return fmt::format("<|cta-row:{}|>", t.index);
    case K::kHalt:
      return "<|halt|>";
    case K::kConfig:
      return fmt::format("<|warp:w{}:{:04b}|>", t.warp, t.mask);
    case K::kGridX:
      return fmt::format("<|last-cta-x:{}|>", t.index);
    case K::kGridY:
      return fmt::format("<|last-cta-y:{}|>", t.index);
    case K::kRomHeader:
      return fmt::format("<|code:b{}:slot{}|>", t.block, t.slot);
    case K::kReset:
      return "<|reset|>";
  }
  return "<|?|>";
}

}  // namespace warplock::weights
