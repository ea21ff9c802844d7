#include "circuit/weights/protocol.h"

#include <array>

#include <fmt/format.h>

#include "circuit/weights/machine/machine.h"

namespace warplock::weights {
namespace {

using circuit::MachineProgram;
using circuit::Step;

/// Bytes that are not zero, or one that is; the last is marked.
void add_pieces(std::vector<Token>& tokens, const std::vector<Token>& pieces) {
  std::vector<Token> sent;
  for (const Token& piece : pieces) {
    if (piece.value != 0) sent.push_back(piece);
  }
  if (sent.empty()) sent.push_back(pieces.front());
  sent.back().flag = 1;
  tokens.insert(tokens.end(), sent.begin(), sent.end());
}

Token piece(Token::Kind kind, uint32_t chunk, uint32_t value) {
  Token token;
  token.kind = kind;
  token.chunk = chunk;
  token.value = value;
  return token;
}

void add_program(const MachineProgram& program, std::vector<Token>& tokens) {
  for (uint32_t block = 0; block < program.blocks.size(); ++block) {
    for (uint32_t slot = 0; slot < program.spec.slots; ++slot) {
      std::vector<Token> pieces;
      bool empty = true;
      for (uint8_t byte : rom_record(program, block, slot)) {
        pieces.push_back(
            piece(Token::Kind::kDataPiece, static_cast<uint32_t>(pieces.size()), byte));
        empty = empty && byte == 0;
      }
      if (empty) continue;  // what was never written reads zero
      Token header;
      header.kind = Token::Kind::kRomHeader;
      header.block = block;
      header.slot = slot;
      tokens.push_back(header);
      add_pieces(tokens, pieces);
    }
  }
}

/// A record takes one word a bank, of any rows.
void add_memory(const MachineProgram& program, std::vector<Token>& tokens) {
  std::array<std::vector<uint32_t>, kLanes> waiting;
  for (uint32_t word = 0; word < program.memory.size(); ++word) {
    if (program.memory[word] != 0) waiting[word % kLanes].push_back(word);
  }
  for (size_t i = 0;; ++i) {
    Step step;
    step.kind = Step::Kind::kMemory;
    step.slot = kLanes;
    for (uint32_t bank = 0; bank < kLanes; ++bank) {
      if (i >= waiting[bank].size()) continue;
      uint32_t word = waiting[bank][i];
      step.mask |= 1u << bank;
      step.rows[bank] = word / kLanes;
      step.data[bank] = program.memory[word];
    }
    if (step.mask == 0) return;
    std::vector<Token> record = tokens_of(step);
    tokens.insert(tokens.end(), record.begin(), record.end());
  }
}

void add_registers(const MachineProgram& program, std::vector<Token>& tokens) {
  for (const circuit::InitialRegister& initial : program.registers) {
    Step step;
    step.kind = Step::Kind::kRegister;
    step.warp = initial.warp;
    step.index = initial.reg;
    step.mask = (1u << kLanes) - 1;
    step.data = initial.lanes;
    std::vector<Token> record = tokens_of(step);
    tokens.insert(tokens.end(), record.begin(), record.end());
  }
}

}  // namespace

ProtocolError::ProtocolError(size_t at, const std::string& message)
    : std::runtime_error(fmt::format("token {}: {}", at, message)), position(at) {}

std::vector<Token> prompt_of(const MachineProgram& program) {
  circuit::validate(program);
  std::vector<Token> tokens;
  auto add = [&](Token::Kind kind, uint32_t index) {
    Token token;
    token.kind = kind;
    token.index = index;
    tokens.push_back(token);
  };
  add(Token::Kind::kReset, 0);
  add_program(program, tokens);
  add_memory(program, tokens);
  add_registers(program, tokens);
  if (program.ctas_x > 1) add(Token::Kind::kGridX, program.ctas_x - 1);
  if (program.ctas_y > 1) add(Token::Kind::kGridY, program.ctas_y - 1);
  for (uint32_t warp = 0; warp < program.warp_lanes.size(); ++warp) {
    if (program.warp_lanes[warp] == 0) continue;
    Token token;
    token.kind = Token::Kind::kConfig;
    token.warp = warp;
    token.mask = program.warp_lanes[warp];
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<Token> tokens_of(const Step& step) {
  Token token;
  token.warp = step.warp;
  token.mask = step.mask;
  token.slot = step.slot;
  token.index = step.index;
  switch (step.kind) {
    case Step::Kind::kExec: {
      Token exec;
      exec.kind = Token::Kind::kExec;
      exec.block = step.block;
      exec.warp = step.warp;
      exec.mask = step.mask;
      exec.flag = step.release ? 1 : 0;
      return {exec};
    }
    case Step::Kind::kCta:
    case Step::Kind::kCtaRow:
      token = {};
      token.kind = step.kind == Step::Kind::kCta ? Token::Kind::kCta : Token::Kind::kCtaRow;
      token.index = step.index;
      return {token};
    case Step::Kind::kHalt:
      return {Token{}};
    case Step::Kind::kRegister:
      token.kind = Token::Kind::kRegisterHeader;
      break;
    case Step::Kind::kMemory:
      token.kind = Token::Kind::kMemoryHeader;
      token.index = token.warp = 0;
      break;
  }
  std::vector<Token> tokens = {token}, pieces;
  for (uint32_t byte = 0; byte < kDataBytes; ++byte) {
    bool sent = (step.mask >> (byte / 4)) & 1;
    uint32_t value = sent ? (step.data[byte / 4] >> (8 * (byte % 4))) & 0xff : 0;
    pieces.push_back(piece(Token::Kind::kDataPiece, byte, value));
  }
  if (step.kind == Step::Kind::kMemory) {
    for (uint32_t bank = 0; bank < kLanes; ++bank) {
      bool sent = (step.mask >> bank) & 1;
      pieces.push_back(piece(Token::Kind::kRowPiece, bank, sent ? step.rows[bank] : 0));
    }
  }
  add_pieces(tokens, pieces);
  return tokens;
}

std::optional<Step> StepReader::take(const Token& token) {
  using K = Token::Kind;
  auto fail = [&](const std::string& message) -> void {
    throw ProtocolError(position_, message + ": " + text_of(token));
  };
  bool is_piece = token.kind == K::kDataPiece || token.kind == K::kRowPiece;
  if (open_ && !is_piece) fail("a record is not complete");
  if (!open_ && is_piece) fail("a piece without a record");
  Step step;
  step.warp = token.warp;
  step.mask = token.mask;
  step.index = token.index;
  step.slot = token.slot;
  switch (token.kind) {
    case K::kExec:
      step.kind = Step::Kind::kExec;
      step.block = token.block;
      step.release = token.flag != 0;
      break;
    case K::kRegisterHeader:
    case K::kMemoryHeader:
      step.kind = token.kind == K::kRegisterHeader ? Step::Kind::kRegister : Step::Kind::kMemory;
      open_ = step;
      next_chunk_ = 0;
      ++position_;
      return std::nullopt;
    case K::kDataPiece:
    case K::kRowPiece: {
      bool row = token.kind == K::kRowPiece;
      int chunk = static_cast<int>(token.chunk + (row ? kDataBytes : 0));
      uint32_t lane = row ? token.chunk : token.chunk / 4;
      if (chunk < next_chunk_) fail("pieces out of order");
      if (row && open_->kind != Step::Kind::kMemory) fail("a row in a register record");
      if (token.value != 0 && !((open_->mask >> lane) & 1)) fail("a piece of a masked lane");
      next_chunk_ = chunk + 1;
      if (row) {
        open_->rows[lane] = token.value;
      } else {
        open_->data[lane] |= token.value << (8 * (token.chunk % 4));
      }
      ++position_;
      if (!token.flag) return std::nullopt;
      step = *open_;
      open_.reset();
      return step;
    }
    case K::kCta:
      step.kind = Step::Kind::kCta;
      break;
    case K::kCtaRow:
      step.kind = Step::Kind::kCtaRow;
      break;
    case K::kHalt:
      step.kind = Step::Kind::kHalt;
      break;
    default:
      fail("only a prompt has this");
  }
  ++position_;
  return step;
}

std::vector<Step> steps_of(const circuit::MachineSpec& spec, std::span<const Token> run) {
  StepReader reader(spec);
  std::vector<Step> steps;
  for (const Token& token : run) {
    if (auto step = reader.take(token)) steps.push_back(*step);
  }
  if (!reader.between_steps()) throw ProtocolError(run.size(), "the run ends inside a record");
  return steps;
}

}  // namespace warplock::weights
