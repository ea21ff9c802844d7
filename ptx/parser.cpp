#include "ptx/parser.h"

#include <algorithm>

#include <fmt/format.h>

namespace warplock::ptx {
namespace {

constexpr size_t kMaxErrors = 20;
constexpr uint64_t kMaxFiles = 100'000;

}  // namespace

std::shared_ptr<const Module> parse(std::shared_ptr<const diagnostics::SourceText> source) {
  return Parser(std::move(source)).run();
}

Parser::Parser(std::shared_ptr<const diagnostics::SourceText> source)
    : source_(std::move(source)), tokens_(*source_), scopes_(1) {
  module_.source = source_;
}

std::shared_ptr<const Module> Parser::run() {
  try {
    header();
    while (!tokens_.at_end()) module_item();
    check_declarations();
  } catch (const Failure& failure) {
    // Outside a function body there is no safe place to go on from.
    errors_.push_back(failure.diagnostic);
  } catch (const diagnostics::InputError& lexical) {
    errors_.insert(errors_.end(), lexical.diagnostics().begin(), lexical.diagnostics().end());
  }
  if (!errors_.empty()) refuse();
  finish();
  return std::make_shared<const Module>(std::move(module_));
}

void Parser::record(const Failure& failure) {
  errors_.push_back(failure.diagnostic);
  if (errors_.size() >= kMaxErrors) refuse();
}

/// Labels that are missing are noticed at the end of their scope, hence the sorting.
void Parser::refuse() {
  std::sort(errors_.begin(), errors_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.position.line, a.position.column) <
           std::pair(b.position.line, b.position.column);
  });
  throw diagnostics::InputError(std::move(errors_));
}

const Symbol* Parser::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto found = scope->names.find(name);
    if (found != scope->names.end()) return &found->second;
  }
  return nullptr;
}

void Parser::declare(std::string_view name, Symbol symbol) {
  auto [entry, is_new] = scopes_.back().names.emplace(name, symbol);
  if (is_new) return;
  diagnostics::Position first = entry->second.declared;
  tokens_.fail(symbol.declared, "duplicate definition",
               fmt::format("'{}' is defined already, at line {}", name, first.line));
}

std::string_view Parser::keep(std::string name) {
  kept_names_.push_back(std::move(name));
  return kept_names_.back();
}

/// .version, .target and .address_size, in this order (PTX ISA 11.1).
void Parser::header() {
  if (!tokens_.accept_word("version")) {
    bool other = tokens_.peek().kind == Token::Kind::kDotWord;
    tokens_.fail(tokens_.peek().position,
                 tokens_.at_end() || other ? "missing directive" : "syntax",
                 "a module begins with .version");
  }
  Token version = tokens_.take();
  size_t dot = version.text.find('.');
  bool well_formed = version.kind == Token::Kind::kFloat64 && dot != std::string_view::npos &&
                     dot == 1 && version.text.size() == 3 && version.text[2] != 'e';
  if (!well_formed) tokens_.fail(version.position, "syntax", "expected a version like 8.0");
  module_.version_major = static_cast<uint32_t>(version.text[0] - '0');
  module_.version_minor = static_cast<uint32_t>(version.text[2] - '0');
  if (module_.version_major < 6) {
    tokens_.fail(version.position, "unsupported",
                 fmt::format("PTX {} is older than 6.0", version.text));
  }
  if (!tokens_.accept_word("target")) {
    tokens_.fail(tokens_.peek().position, "missing directive", "expected .target after .version");
  }
  module_.target = tokens_.expect_name("a target like sm_70").text;
  if (module_.target.substr(0, 3) != "sm_" || module_.target.size() > 16) {
    tokens_.fail(tokens_.end_of_previous(), "syntax", "expected a target like sm_70");
  }
  while (tokens_.accept(',')) {
    Word option = tokens_.expect_name("an option of .target");
    if (option.text != "debug" && option.text.substr(0, 7) != "texmode") {
      tokens_.fail(option.position, "unsupported",
                   fmt::format("the target option {}", option.text));
    }
  }
  if (tokens_.accept_word("address_size")) {
    diagnostics::Position position = tokens_.peek().position;
    module_.address_size = static_cast<uint32_t>(parse_count(tokens_, 64, "an address size"));
    if (module_.address_size != 64) {
      tokens_.fail(position, "unsupported", "addresses of other than 64 bits");
    }
  }
}

void Parser::module_item() {
  const Token& token = tokens_.peek();
  if (token.kind != Token::Kind::kDotWord) tokens_.fail_here("a directive");
  if (token.text == "file") return file_directive();
  if (token.text == "section") return skip_section();
  if (token.text == "pragma") return skip_statement();
  Linkage linkage;
  for (;; tokens_.take()) {
    std::string_view word = tokens_.peek().text;
    if (tokens_.peek().kind != Token::Kind::kDotWord) break;
    bool* which = word == "extern"    ? &linkage.is_extern
                  : word == "visible" ? &linkage.is_visible
                  : word == "weak"    ? &linkage.is_weak
                  : word == "common"  ? &linkage.is_common
                                      : nullptr;
    if (which == nullptr) break;
    if (linkage.any()) tokens_.fail_here("one linkage directive only");
    *which = true;
  }
  if (tokens_.accept_word("entry")) return function(linkage, true);
  if (tokens_.accept_word("func")) return function(linkage, false);
  if (at_space()) return variables(linkage);
  const Token& word = tokens_.peek();
  if (word.kind == Token::Kind::kDotWord && word.text == "alias") {
    tokens_.fail(word.position, "unsupported", "another name for a function (.alias)");
  }
  tokens_.fail_here("a function or a variable");
}

/// .file N "name" [, timestamp, size]
void Parser::file_directive() {
  tokens_.take();
  diagnostics::Position position = tokens_.peek().position;
  uint64_t number = parse_count(tokens_, UINT32_MAX, "the number of a file");
  if (!named_files_.insert(number).second) {
    tokens_.fail(position, "duplicate definition", fmt::format("file {} has a name", number));
  }
  if (tokens_.peek().kind != Token::Kind::kString) tokens_.fail_here("the name of a file");
  std::string name(tokens_.take().text);
  while (tokens_.accept(',')) parse_count(tokens_, UINT64_MAX, "a property of a file");
  // .loc may name a file before its .file (clang writes them last); the number is then known.
  auto [entry, is_new] = files_.emplace(number, static_cast<uint32_t>(module_.files.size()));
  if (is_new) module_.files.emplace_back();
  if (module_.files.size() > kMaxFiles) {
    tokens_.fail(tokens_.end_of_previous(), "resource limit", "too many files");
  }
  module_.files[entry->second] = std::move(name);
}

/// .section NAME { debug data }: skipped, braces in it never nest.
void Parser::skip_section() {
  tokens_.take();
  while (!tokens_.at_end() && !tokens_.peek().is('{')) tokens_.take();
  while (!tokens_.at_end() && !tokens_.peek().is('}')) tokens_.take();
  tokens_.expect('}', "a section");
}

void Parser::skip_statement() {
  while (!tokens_.at_end() && !tokens_.peek().is(';')) tokens_.take();
  tokens_.expect(';', "a directive");
}

void Parser::check_declarations() {
  for (uint32_t i = 0; i < module_.functions.size(); ++i) {
    const Function& function = module_.functions[i];
    if (!function.is_declaration || extern_functions_.count(i) != 0) continue;
    record(tokens_.failure(
        function.declared, "undefined symbol",
        fmt::format("'{}' is declared here, defined nowhere and not .extern", function.name)));
  }
}

void Parser::finish() {
  put_in_order(module_, body_order_);
  make_names_unique(module_);
  uint32_t id = 0;
  for (Function& function : module_.functions) {
    for (Instruction& instruction : function.body) instruction.id = id++;
  }
  module_.instruction_count = id;
}

const Function* Module::find_entry(std::string_view name) const {
  for (const Function& function : functions) {
    if (function.is_entry && !function.is_declaration && function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace warplock::ptx
