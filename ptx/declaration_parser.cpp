#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ptx/parser.h"

/// Declarations of variables (PTX ISA 5.4).
namespace warplock::ptx {
namespace {

std::optional<Space> variable_space(std::string_view word) {
  if (word == "global") return Space::kGlobal;
  if (word == "const") return Space::kConst;
  if (word == "shared") return Space::kShared;
  if (word == "local") return Space::kLocal;
  if (word == "param") return Space::kParam;
  return std::nullopt;
}

/// a * b, or UINT64_MAX when that is larger.
uint64_t saturating_product(uint64_t a, uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) return UINT64_MAX;
  return a * b;
}

/// The bytes that a variable in the space may have, or all of them together.
uint64_t size_limit(Space space, bool together) {
  switch (space) {
    case Space::kShared:
      return kMaxSharedVariableBytes;
    case Space::kConst:
      return kMaxConstVariableBytes;
    case Space::kParam:
      return together ? kMaxVariableBytes : kMaxParameterBytes;
    default:
      return kMaxVariableBytes;
  }
}

}  // namespace

bool Parser::at_space() const {
  return tokens_.peek().kind == Token::Kind::kDotWord &&
         variable_space(tokens_.peek().text).has_value();
}

/// .SPACE [.align N] [.vN] .TYPE name[dims] [= init] {, name...} ;
void Parser::variables(const Linkage& linkage) {
  Token word = tokens_.take();
  Space space = *variable_space(word.text);
  bool in_body = function_ != nullptr;
  bool allowed = in_body
                     ? (space == Space::kShared || space == Space::kLocal ||
                        space == Space::kParam || space == Space::kGlobal || space == Space::kConst)
                     : (space != Space::kParam && space != Space::kLocal);
  if (!allowed) {
    tokens_.fail(word.position, "syntax",
                 fmt::format("variables in .{} are declared inside functions", word.text));
  }
  if (linkage.is_common && space != Space::kGlobal) {
    tokens_.fail(word.position, "syntax", ".common variables lie in .global");
  }
  while (tokens_.accept_word("attribute")) {
    tokens_.expect('(', ".attribute");
    while (!tokens_.at_end() && !tokens_.peek().is(')')) tokens_.take();
    tokens_.expect(')', "an attribute");
  }
  DeclaredType declared = declared_type("the type of a variable");
  do variable(declared, space, linkage);
  while (tokens_.accept(','));
  tokens_.expect(';', "a declaration");
}

Parser::DeclaredType Parser::declared_type(std::string_view what) {
  DeclaredType declared;
  for (;;) {
    Token token = tokens_.peek();
    if (token.kind != Token::Kind::kDotWord) tokens_.fail_here(what);
    if (token.text == "align") {
      tokens_.take();
      diagnostics::Position position = tokens_.peek().position;
      uint64_t alignment = parse_count(tokens_, 1u << 16, "an alignment");
      if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        tokens_.fail(position, "out of range", "an alignment is a power of two");
      }
      declared.alignment = static_cast<uint32_t>(alignment);
      continue;
    }
    if (token.text == "v2" || token.text == "v4") {
      tokens_.take();
      declared.vector = token.text == "v2" ? 2 : 4;
      continue;
    }
    Type type = type_named(token.text);
    if (type == Type::kB128 || (type == Type::kNone && is_unsupported_type(token.text))) {
      tokens_.fail(token.position, "unsupported", fmt::format("the type .{}", token.text));
    }
    if (type == Type::kNone) tokens_.fail_here(what);
    tokens_.take();
    if (bytes(type) * declared.vector > 16) {
      tokens_.fail(token.position, "type mismatch", "a vector has at most 128 bits");
    }
    declared.type = type;
    declared.position = token.position;
    return declared;
  }
}

/// [N][M]... ; `open` when the first has no number.
std::vector<uint64_t> Parser::dimensions(bool& open) {
  std::vector<uint64_t> sizes;
  open = false;
  constexpr size_t kMaxDimensions = 16;
  while (tokens_.accept('[')) {
    if (tokens_.peek().is(']') && sizes.empty()) {
      open = true;
      sizes.push_back(0);
    } else {
      diagnostics::Position position = tokens_.peek().position;
      uint64_t size = parse_count(tokens_, uint64_t{1} << 40, "the size of an array");
      if (size == 0 && !sizes.empty()) {
        tokens_.fail(position, "out of range", "an inner dimension of an array is not 0");
      }
      if (size == 0) open = true;
      sizes.push_back(size);
    }
    tokens_.expect(']', "the size of an array");
    if (sizes.size() > kMaxDimensions) {
      tokens_.fail(tokens_.end_of_previous(), "resource limit", "too many dimensions");
    }
  }
  return sizes;
}

void Parser::variable(const DeclaredType& declared, Space space, const Linkage& linkage) {
  if (declared.type == Type::kPred) {
    tokens_.fail(declared.position, "type mismatch", "predicates are registers only");
  }
  Word name = tokens_.expect_name("the name of a variable");
  Variable variable;
  variable.name = name.text;
  variable.space = space;
  variable.type = declared.type;
  variable.declared = name.position;
  variable.is_extern = linkage.is_extern;
  variable.is_visible = linkage.is_visible || linkage.is_weak || linkage.is_common;
  variable.function = function_index_;
  bool open = false;
  variable.dimensions = dimensions(open);
  // A vector variable is laid out, and kept, as an array in its last dimension.
  if (declared.vector > 1) variable.dimensions.push_back(declared.vector);
  uint32_t natural = bytes(declared.type) * declared.vector;
  variable.alignment = declared.alignment != 0 ? declared.alignment : natural;
  variable.size = bytes(declared.type);
  for (uint64_t size : variable.dimensions) variable.size = saturating_product(variable.size, size);
  if (tokens_.peek().is('=')) {
    diagnostics::Position position = tokens_.take().position;
    if (space != Space::kGlobal && space != Space::kConst) {
      tokens_.fail(position, "syntax",
                   fmt::format("variables in .{} have no initialiser", spelling(space)));
    }
    if (linkage.is_extern)
      tokens_.fail(position, "syntax", "an .extern variable is defined elsewhere");
    check_limits(variable);
    initializer(variable, open);
    check_limits(variable);
    add_variable(std::move(variable), name.position);
    return;
  }
  bool may_be_open = linkage.is_extern && function_ == nullptr;
  if (open && !may_be_open) {
    tokens_.fail(name.position, "syntax", fmt::format("the size of '{}' is missing", name.text));
  }
  check_limits(variable);
  add_variable(std::move(variable), name.position);
}

/// The symbol of a declaration that this one repeats: both .extern, or a visible definition of an
/// .extern variable.
const Symbol* Parser::earlier_extern(const Word& name, const Variable& variable) const {
  auto found = scopes_.back().names.find(name.text);
  if (found == scopes_.back().names.end()) return nullptr;
  const Symbol& symbol = found->second;
  if (symbol.kind != Symbol::Kind::kVariable) return nullptr;
  const Variable& earlier = module_.variables[symbol.index];
  bool same = earlier.space == variable.space && earlier.type == variable.type;
  bool linked = (earlier.is_extern && (variable.is_extern || variable.is_visible)) ||
                (earlier.is_visible && variable.is_extern);
  return same && linked ? &symbol : nullptr;
}

uint32_t Parser::add_variable(Variable variable, diagnostics::Position position) {
  std::string_view name = keep(variable.name);
  if (const Symbol* earlier = earlier_extern({name, position}, variable)) {
    Variable& first = module_.variables[earlier->index];
    if (first.is_extern && !variable.is_extern) first = std::move(variable);
    return earlier->index;
  }
  uint32_t index = static_cast<uint32_t>(module_.variables.size());
  declare(name, {Symbol::Kind::kVariable, index, position});
  uint64_t& total = bytes_in_[static_cast<size_t>(variable.space)];
  total += variable.size;
  uint64_t limit = size_limit(variable.space, true);
  if (total > limit) {
    tokens_.fail(position, "resource limit",
                 fmt::format("the variables of this module in .{} have more than {} bytes in all",
                             spelling(variable.space), limit));
  }
  module_.variables.push_back(std::move(variable));
  return index;
}

void Parser::check_limits(const Variable& variable) {
  uint64_t limit = size_limit(variable.space, false);
  if (variable.size > limit) {
    tokens_.fail(variable.declared, "resource limit",
                 fmt::format("'{}' has more than {} bytes, the limit for .{}", variable.name, limit,
                             spelling(variable.space)));
  }
}

}  // namespace warplock::ptx
