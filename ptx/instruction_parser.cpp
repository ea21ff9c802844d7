#include <fmt/format.h>

#include "ptx/parser.h"

/// The text of one instruction: guard, opcode with its words, operands.
namespace warplock::ptx {
namespace {

constexpr size_t kMaxVector = 8;
constexpr size_t kMaxArguments = 8192;

}  // namespace

void Parser::instruction() {
  RawInstruction raw;
  if (tokens_.accept('@')) {
    raw.guard_negated = tokens_.accept('!');
    raw.guard = tokens_.expect_name("a predicate after '@'");
  }
  raw.opcode = tokens_.expect_name("an instruction");
  if (is_unsupported_mnemonic(raw.opcode.text)) {
    tokens_.fail(raw.opcode.position, "unsupported",
                 fmt::format("the instruction '{}'", raw.opcode.text));
  }
  if (forms_of(raw.opcode.text).empty()) {
    tokens_.fail(raw.opcode.position, "unknown opcode",
                 fmt::format("'{}' is no instruction of PTX", raw.opcode.text));
  }
  while (tokens_.peek().kind == Token::Kind::kDotWord) {
    Token word = tokens_.take();
    raw.words.push_back({word.text, word.position});
  }
  bool is_call = raw.opcode.text == "call";
  if (!tokens_.peek().is(';')) {
    bool paired = false;
    do {
      raw.operands.push_back(operand(is_call));
      raw.operands.back().paired = paired;
      paired = tokens_.peek().is('|');
      if (raw.operands.size() > kMaxVector && !is_call) tokens_.fail_here("';'");
    } while (tokens_.accept('|') || tokens_.accept(','));
  }
  tokens_.expect(';', "an instruction");
  try {
    check(raw);
  } catch (const Failure& failure) {
    record(failure);  // here and not in body(): the semicolon is behind us
  }
}

int64_t Parser::offset() {
  tokens_.expect('+', "an address");
  diagnostics::Position position = tokens_.peek().position;
  Constant value = parse_constant(tokens_);
  if (!value.is_integer()) tokens_.fail(position, "type mismatch", "an offset is an integer");
  return static_cast<int64_t>(value.bits);
}

RawOperand Parser::list(char open, char close, RawOperand::Kind kind) {
  RawOperand result;
  result.kind = kind;
  result.position = tokens_.peek().position;
  tokens_.expect(open, "an operand");
  size_t limit = kind == RawOperand::Kind::kVector ? kMaxVector : kMaxArguments;
  if (!tokens_.peek().is(close)) {
    do {
      if (tokens_.peek().is('{') || tokens_.peek().is('[')) tokens_.fail_here("a plain operand");
      result.elements.push_back(operand(false));
      if (result.elements.size() > limit) {
        tokens_.fail(result.position, "resource limit", "too many elements");
      }
    } while (tokens_.accept(','));
  }
  tokens_.expect(close, "a list of operands");
  return result;
}

RawOperand Parser::address() {
  RawOperand result;
  result.kind = RawOperand::Kind::kAddress;
  result.position = tokens_.peek().position;
  tokens_.expect('[', "an operand");
  if (tokens_.peek().kind == Token::Kind::kName) {
    result.name = tokens_.take().text;
    if (tokens_.peek().is('+')) {
      result.has_offset = true;
      result.offset = offset();
    }
  } else {
    result.constant = parse_constant(tokens_);
  }
  tokens_.expect(']', "an address");
  result.unified = tokens_.accept_word("unified");
  return result;
}

RawOperand Parser::operand(bool in_call) {
  Token token = tokens_.peek();
  if (token.is('{')) return list('{', '}', RawOperand::Kind::kVector);
  if (token.is('[')) return address();
  if (token.is('(') && in_call) return list('(', ')', RawOperand::Kind::kList);
  RawOperand result;
  result.position = token.position;
  bool negated = token.is('!') && tokens_.peek_second().kind == Token::Kind::kName;
  if (negated) {
    tokens_.take();
    token = tokens_.peek();
  }
  result.negated = negated;
  if (token.kind != Token::Kind::kName) {
    result.kind = RawOperand::Kind::kConstant;
    result.constant = parse_constant(tokens_);
    return result;
  }
  tokens_.take();
  result.name = token.text;
  if (token.text == "_" && !negated) return result;
  result.kind = RawOperand::Kind::kName;
  if (tokens_.peek().kind == Token::Kind::kDotWord) result.component = tokens_.take().text;
  if (tokens_.peek().is('+')) {
    result.has_offset = true;
    result.offset = offset();
  }
  return result;
}

}  // namespace warplock::ptx
