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
  if (variable.dimensions.empty()) return initialize_element(variable, 0);
  uint64_t row = 1;
  for (size_t i = 1; i < variable.dimensions.size(); ++i) row *= variable.dimensions[i];
  uint32_t width = bytes(variable.type);
  uint64_t rows =
      initialize_level(variable, 0, 0, open ? kMaxVariableBytes : variable.size / width / row);
  if (open) {
    variable.dimensions[0] = rows;
    variable.size = rows * row * width;
  }
}

/// One `{ ... }` for the dimension `level`, whose first value is `element` and which has at most
/// `count` entries. Returns how many it has.
uint64_t Parser::initialize_level(Variable& variable, size_t level, uint64_t element,
                                  uint64_t count) {
  uint64_t step = 1;
  for (size_t i = level + 1; i < variable.dimensions.size(); ++i) step *= variable.dimensions[i];
  bool is_last = level + 1 == variable.dimensions.size();
  tokens_.expect('{', "'='");
  uint64_t entries = 0;
  if (!tokens_.peek().is('}')) {
    do {
      if (entries >= count || (element + step) * bytes(variable.type) > kMaxVariableBytes) {
        tokens_.fail(tokens_.peek().position, "out of range",
                     fmt::format("too many values for '{}'", variable.name));
      }
      if (is_last) {
        initialize_element(variable, element);
      } else {
        initialize_level(variable, level + 1, element, variable.dimensions[level + 1]);
      }
      element += step;
      ++entries;
    } while (tokens_.accept(','));
  }
  tokens_.expect('}', "an initialiser");
  return entries;
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
    if (symbol == nullptr && name.text == "WARP_SZ") {
      tokens_.fail(name.position, "unsupported", "WARP_SZ in an initialiser");
    }
    if (symbol == nullptr) {
      tokens_.fail(name.position, "undefined symbol",
                   fmt::format("'{}' is not defined", name.text));
    }
    if (symbol->kind != Symbol::Kind::kVariable) {
      tokens_.fail(name.position, "unsupported",
                   fmt::format("'{}' in an initialiser is not a variable", name.text));
    }
    if (variable.type != Type::kU32 && variable.type != Type::kU64) {
      tokens_.fail(name.position, "type mismatch",
                   fmt::format("an address in an element of type .{}", spelling(variable.type)));
    }
    Space space = module_.variables[symbol->index].space;
    if (space != Space::kGlobal && space != Space::kConst) {
      tokens_.fail(name.position, "type mismatch",
                   fmt::format("'{}' lies in .{}, where every CTA or thread has its own", name.text,
                               spelling(space)));
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
  bool same_bits = (variable.type == Type::kB32 && value.kind == Constant::Kind::kFloat32) ||
                   (variable.type == Type::kB64 && value.kind == Constant::Kind::kFloat64);
  if (is_float == value.is_integer() && !same_bits) {
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
  } else if (value.is_integer() && !fits(value, bits(variable.type))) {
    tokens_.fail(token.position, "out of range",
                 fmt::format("the value does not fit .{}", spelling(variable.type)));
  }
  store(variable.initializer, offset, pattern, width);
}

}  // namespace warplock::ptx
