#include <fmt/format.h>

#include "ptx/parser.h"

/// Bodies of functions: scopes, registers, labels, line directives (PTX ISA 4.3, 5.4 and 11.5).
namespace warplock::ptx {
namespace {

constexpr size_t kMaxNesting = 256;
constexpr uint32_t kMaxRegisters = 4'000'000;  // over all functions

}  // namespace

void Parser::open_scope() {
  if (scopes_.size() >= kMaxNesting) {
    tokens_.fail(tokens_.peek().position, "resource limit",
                 fmt::format("braces are nested at most {} deep", kMaxNesting));
  }
  scopes_.emplace_back();
}

/// Labels named in the scope are found in it or, failing that, left to the scope around it.
void Parser::close_scope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  bool outermost = scopes_.size() == 1;
  for (const PendingLabel& pending : scope.pending) {
    auto found = scope.names.find(pending.name);
    bool is_target = found != scope.names.end() && found->second.kind == Symbol::Kind::kLabel;
    if (!is_target) {
      if (!outermost) {
        scopes_.back().pending.push_back(pending);
      } else {
        record(tokens_.failure(pending.position, "undefined symbol",
                               fmt::format("there is no label '{}'", pending.name)));
      }
      continue;
    }
    uint32_t target = found->second.index;
    if (pending.user == PendingLabel::User::kTableEntry) {
      function_->branch_tables[pending.index].targets[pending.element] = target;
    } else {
      function_->body[pending.index].sources[pending.element].index = target;
    }
  }
}

/// The statements up to the closing brace. Errors inside a statement are recorded and reading goes
/// on after its semicolon.
void Parser::body() {
  size_t outermost = scopes_.size();
  for (;;) {
    if (tokens_.at_end()) tokens_.fail_here("'}' at the end of a function");
    if (tokens_.peek().is('}')) {
      tokens_.take();
      if (scopes_.size() == outermost) return;
      close_scope();
      continue;
    }
    if (tokens_.peek().is('{')) {
      open_scope();
      tokens_.take();
      continue;
    }
    try {
      statement();
    } catch (const Failure& failure) {
      record(failure);
      while (!tokens_.at_end() && !tokens_.peek().is(';') && !tokens_.peek().is('}'))
        tokens_.take();
      tokens_.accept(';');
    }
  }
}

void Parser::statement() {
  const Token& token = tokens_.peek();
  if (token.kind == Token::Kind::kName && tokens_.peek_second().is(':')) {
    Word name = tokens_.expect_name("a label");
    tokens_.take();
    return label(name);
  }
  if (token.kind != Token::Kind::kDotWord) return instruction();
  if (token.text == "reg") return registers();
  if (at_space()) return variables({});
  if (token.text == "loc") return loc_directive();
  if (token.text == "file") return file_directive();
  if (token.text == "pragma") return skip_statement();
  tokens_.fail_here("a statement");
}

void Parser::label(const Word& name) {
  const Token& next = tokens_.peek();
  if (next.kind == Token::Kind::kDotWord) {
    if (next.text == "branchtargets") return branch_table(name);
    if (next.text == "callprototype" || next.text == "calltargets") {
      declare(name.text, {Symbol::Kind::kCallPrototype, 0, name.position});
      return skip_statement();
    }
  }
  uint32_t target = static_cast<uint32_t>(function_->body.size());
  try {
    declare(name.text, {Symbol::Kind::kLabel, target, name.position});
  } catch (const Failure& failure) {
    return record(failure);  // here and not in body(): the next statement is whole
  }
  function_->labels.push_back({std::string(name.text), target});
}

/// name: .branchtargets A, B, C;
void Parser::branch_table(const Word& name) {
  tokens_.take();
  uint32_t index = static_cast<uint32_t>(function_->branch_tables.size());
  declare(name.text, {Symbol::Kind::kTable, index, name.position});
  function_->branch_tables.push_back({std::string(name.text), {}});
  do {
    Word target = tokens_.expect_name("a label");
    PendingLabel pending;
    pending.name = target.text;
    pending.position = target.position;
    pending.user = PendingLabel::User::kTableEntry;
    pending.index = index;
    pending.element = static_cast<uint32_t>(function_->branch_tables[index].targets.size());
    scopes_.back().pending.push_back(pending);
    function_->branch_tables[index].targets.push_back(0);
  } while (tokens_.accept(','));
  tokens_.expect(';', "a list of branch targets");
}

/// .reg .TYPE %r<8>, %x, ... ;
void Parser::registers() {
  tokens_.take();
  DeclaredType declared = declared_type("the type of a register");
  if (declared.vector != 1) {
    tokens_.fail(declared.position, "unsupported", "registers that are vectors");
  }
  do {
    Word name = tokens_.expect_name("the name of a register");
    if (!tokens_.accept('<')) {
      add_register(name.text, declared.type, name.position);
      continue;
    }
    uint64_t count = parse_count(tokens_, UINT32_MAX, "the number of registers");
    tokens_.expect('>', "the number of registers");
    if (count > kMaxRegistersPerFunction) {
      tokens_.fail(name.position, "resource limit",
                   fmt::format("a function has at most {} registers", kMaxRegistersPerFunction));
    }
    for (uint64_t i = 0; i < count; ++i) {
      add_register(keep(fmt::format("{}{}", name.text, i)), declared.type, name.position);
    }
  } while (tokens_.accept(','));
  tokens_.expect(';', "a declaration");
}

void Parser::add_register(std::string_view name, Type type, diagnostics::Position position) {
  uint32_t index = static_cast<uint32_t>(function_->registers.size());
  if (index >= kMaxRegistersPerFunction || register_count_ >= kMaxRegisters) {
    tokens_.fail(position, "resource limit",
                 fmt::format("a function has at most {} registers, a module {}",
                             kMaxRegistersPerFunction, kMaxRegisters));
  }
  declare(name, {Symbol::Kind::kRegister, index, position});
  ++register_count_;
  function_->registers.push_back({std::string(name), type, position});
}

/// .loc FILE LINE COLUMN [, function_name LABEL [+ N], inlined_at FILE LINE COLUMN]
void Parser::loc_directive() {
  tokens_.take();
  uint64_t file = parse_count(tokens_, UINT32_MAX, "the number of a file");
  uint64_t line = parse_count(tokens_, UINT32_MAX, "a line");
  uint64_t column = parse_count(tokens_, UINT32_MAX, "a column");
  auto [entry, is_new] = files_.emplace(file, static_cast<uint32_t>(module_.files.size()));
  if (is_new) module_.files.emplace_back();
  cuda_ = {entry->second, static_cast<uint32_t>(line), static_cast<uint32_t>(column)};
  while (tokens_.accept(',')) {
    Word word = tokens_.expect_name("function_name or inlined_at");
    if (word.text == "function_name") {
      tokens_.expect_name("a label");
      if (tokens_.accept('+')) parse_count(tokens_, UINT64_MAX, "an offset");
    } else if (word.text == "inlined_at") {
      for (int i = 0; i < 3; ++i) parse_count(tokens_, UINT32_MAX, "a place");
    } else {
      tokens_.fail(word.position, "syntax", "expected function_name or inlined_at");
    }
  }
}

}  // namespace warplock::ptx
