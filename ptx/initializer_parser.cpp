#include <bit>

#include <fmt/format.h>

#include "ptx/parser.h"

/// Initial values of variables (PTX ISA 5.4.4): constants, nested braces, addresses.
namespace warplock::ptx {
namespace {

void store(std::vector<uint8_t>& data, uint64_t offset, uint64_t value, uint32_t count) {
  if (data.size() < offset + count) data.resize(offset + count);
  for (uint32_t i = 0; i < count; ++i) data[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace

void Parser::initializer(Variable& variable, bool open) {
  variable.has_initializer = true;
  uint32_t width = bytes(variable.type);
  if (variable.dimensions.empty()) {
    // A scalar may stand in braces.
    bool braces = tokens_.accept('{');
    initialize_element(variable, 0);
    if (braces) tokens_.expect('}', "an initialiser");
    return;
  }
  uint64_t inner = 1;
  for (size_t i = 1; i < variable.dimensions.size(); ++i) inner *= variable.dimensions[i];
  uint64_t end = open ? kMaxVariableBytes / width : variable.size / width;
  if (!tokens_.peek().is('{')) tokens_.fail_here("'{' before the values of an array");
  uint64_t element = 0;
  initialize_level(variable, 0, element, end);
  if (open) {
    variable.dimensions[0] = (element + inner - 1) / inner;
    variable.size = variable.dimensions[0] * inner * width;
  }
}

/// One `{ ... }`: values and inner braces from `element` on, up to `end`. Braces start at a
/// multiple of the size of their level.
void Parser::initialize_level(Variable& variable, size_t level, uint64_t& element, uint64_t end) {
  tokens_.expect('{', "'='");
  uint64_t inner = 1;
  for (size_t i = level + 1; i < variable.dimensions.size(); ++i) inner *= variable.dimensions[i];
  uint64_t begin = element;
  if (!tokens_.peek().is('}')) {
    do {
      if (element >= end) {
        tokens_.fail(tokens_.peek().position, "out of range",
                     fmt::format("too many values for '{}'", variable.name));
      }
      if (tokens_.peek().is('{')) {
        if (level + 1 >= variable.dimensions.size()) {
          tokens_.fail(tokens_.peek().position, "syntax", "braces nested deeper than the array");
        }
        if ((element - begin) % inner != 0) {
          tokens_.fail(tokens_.peek().position, "syntax", "braces in the middle of a row");
        }
        uint64_t row = element;
        initialize_level(variable, level + 1, element, row + inner);
        element = row + inner;
      } else {
        initialize_element(variable, element++);
      }
    } while (tokens_.accept(','));
  }
  tokens_.expect('}', "an initialiser");
}

void Parser::initialize_element(Variable& variable, uint64_t element) {
  uint32_t width = bytes(variable.type);
  uint64_t offset = element * width;
  Token token = tokens_.peek();
  if (token.kind == Token::Kind::kName) {
    Relocation relocation;
    relocation.offset = static_cast<uint32_t>(offset);
    relocation.bytes = static_cast<uint8_t>(width);
    relocation.generic = token.text == "generic" && tokens_.peek_second().is('(');
    if (relocation.generic) {
      tokens_.take();
      tokens_.take();
    }
    Word name = tokens_.expect_name("the name of a variable");
    if (relocation.generic) tokens_.expect(')', "generic(");
    const Symbol* symbol = find(name.text);
    if (symbol == nullptr) {
      tokens_.fail(name.position, "undefined symbol",
                   fmt::format("'{}' is not defined", name.text));
    }
    if (symbol->kind != Symbol::Kind::kVariable) {
      tokens_.fail(name.position, "unsupported",
                   fmt::format("'{}' in an initialiser is not a variable", name.text));
    }
    if (width != 8 || variable.type == Type::kF64) {
      tokens_.fail(name.position, "unsupported",
                   fmt::format("an address in an element of type .{}", spelling(variable.type)));
    }
    relocation.variable = symbol->index;
    if (tokens_.peek().is('+')) relocation.addend = this->offset();
    store(variable.initializer, offset, 0, width);
    variable.relocations.push_back(relocation);
    return;
  }
  if (token.kind == Token::Kind::kInteger && tokens_.peek_second().is('(')) {
    tokens_.fail(token.position, "unsupported", "a byte of an address in an initialiser");
  }
  Constant value = parse_constant(tokens_);
  bool is_float = variable.type == Type::kF32 || variable.type == Type::kF64;
  uint64_t pattern = value.bits;
  if (is_float != !value.is_integer()) {
    tokens_.fail(token.position, "type mismatch",
                 fmt::format("this value is not of type .{}", spelling(variable.type)));
  }
  if (is_float) {
    if (value.kind == Constant::Kind::kFloat64 && width == 4) {
      pattern = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(pattern)));
    } else if (value.kind == Constant::Kind::kFloat32 && width == 8) {
      pattern = std::bit_cast<uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(pattern))));
    }
  } else if (!fits(value, bits(variable.type))) {
    tokens_.fail(token.position, "out of range",
                 fmt::format("the value does not fit .{}", spelling(variable.type)));
  }
  store(variable.initializer, offset, pattern, width);
}

}  // namespace warplock::ptx
