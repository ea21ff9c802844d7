#include <algorithm>

#include <fmt/format.h>

#include "ptx/parser.h"

/// Heads of .entry and .func: linkage, parameters, directives (PTX ISA 7.1, 11.2 to 11.4).
namespace warplock::ptx {
namespace {

bool same_shape(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Parameter& x, const Parameter& y) { return x.size == y.size; });
}

}  // namespace

/// [.visible] .entry name (params) directives { body }  or  .func (returns) name (params) ...
void Parser::function(const Linkage& linkage, bool is_entry) {
  Function header;
  header.is_entry = is_entry;
  header.is_visible = linkage.is_visible || linkage.is_weak;
  while (tokens_.accept_word("attribute")) {
    tokens_.expect('(', ".attribute");
    while (!tokens_.at_end() && !tokens_.peek().is(')')) tokens_.take();
    tokens_.expect(')', "an attribute");
  }
  if (!is_entry && tokens_.peek().is('(')) header.returns = parameter_list(false);
  Word name = tokens_.expect_name("the name of a function");
  header.name = name.text;
  header.declared = name.position;
  if (tokens_.peek().is('(')) header.parameters = parameter_list(is_entry);
  for (const Parameter& result : header.returns) {
    if (result.reg == kNoIndex && header.returns.size() > 1) {
      tokens_.fail(name.position, "type mismatch", "several results are registers only");
    }
  }
  for (const Parameter& parameter : header.parameters) {
    header.parameter_bytes = std::max(header.parameter_bytes, parameter.offset + parameter.size);
  }
  if (header.parameter_bytes > kMaxParameterBytes) {
    tokens_.fail(name.position, "resource limit",
                 fmt::format("the parameters have more than {} bytes", kMaxParameterBytes));
  }
  performance_directives(header);
  header.is_declaration = tokens_.accept(';');
  if (!header.is_declaration && !tokens_.peek().is('{')) {
    tokens_.fail_here("'{' or ';' after the head of a function");
  }
  if (linkage.is_extern && !header.is_declaration) {
    tokens_.fail(name.position, "syntax", "an .extern function has no body here");
  }
  bool is_declaration = header.is_declaration;
  uint32_t index = declare_function(std::move(header), name, linkage.is_extern);
  if (is_declaration) return;

  body_order_.push_back(index);
  Function current = std::move(module_.functions[index]);
  // Calls to this function find its head while the body is being read.
  module_.functions[index].name = current.name;
  module_.functions[index].is_entry = current.is_entry;
  module_.functions[index].returns = current.returns;
  module_.functions[index].parameters = current.parameters;
  function_ = &current;
  function_index_ = index;
  cuda_ = {};
  open_scope();
  declare_parameters(current);
  tokens_.expect('{', "the head of a function");
  body();
  close_scope();
  function_ = nullptr;
  function_index_ = kNoIndex;
  module_.functions[index] = std::move(current);
}

uint32_t Parser::declare_function(Function header, const Word& name, bool is_extern) {
  auto found = scopes_.front().names.find(name.text);
  if (found == scopes_.front().names.end()) {
    uint32_t index = static_cast<uint32_t>(module_.functions.size());
    declare(name.text, {Symbol::Kind::kFunction, index, name.position});
    module_.functions.push_back(std::move(header));
    if (is_extern) extern_functions_.insert(index);
    return index;
  }
  const Symbol symbol = found->second;
  bool repeats = symbol.kind == Symbol::Kind::kFunction &&
                 module_.functions[symbol.index].is_declaration &&
                 module_.functions[symbol.index].is_entry == header.is_entry &&
                 (module_.functions[symbol.index].is_visible || !header.is_visible) &&
                 (extern_functions_.count(symbol.index) != 0) == is_extern;
  if (!repeats) {
    tokens_.fail(
        name.position, "duplicate definition",
        fmt::format("'{}' is defined already, or declared with another linkage, at line {}",
                    name.text, symbol.declared.line));
  }
  Function& first = module_.functions[symbol.index];
  if (!same_shape(first.parameters, header.parameters) ||
      !same_shape(first.returns, header.returns)) {
    tokens_.fail(name.position, "type mismatch",
                 fmt::format("the parameters of '{}' differ from those at line {}", name.text,
                             symbol.declared.line));
  }
  header.is_visible = first.is_visible;
  if (!header.is_declaration) first = std::move(header);
  return symbol.index;
}

std::vector<Parameter> Parser::parameter_list(bool is_entry) {
  std::vector<Parameter> parameters;
  tokens_.expect('(', "a name");
  uint64_t offset = 0;
  constexpr size_t kMaxParameters = 8192;
  while (!tokens_.peek().is(')')) {
    if (!parameters.empty()) tokens_.expect(',', "a parameter");
    Parameter one = parameter(is_entry);
    offset = (offset + one.alignment - 1) / one.alignment * one.alignment;
    one.offset = static_cast<uint32_t>(offset);
    offset += one.size;
    parameters.push_back(std::move(one));
    if (parameters.size() > kMaxParameters || offset > UINT32_MAX / 2) {
      tokens_.fail(tokens_.end_of_previous(), "resource limit", "too many parameters");
    }
  }
  tokens_.take();
  return parameters;
}

/// .param [.align N] .TYPE [.ptr [.SPACE] [.align N]] name[size]  or  .reg .TYPE name
Parameter Parser::parameter(bool is_entry) {
  Parameter result;
  bool is_register = !is_entry && tokens_.accept_word("reg");
  if (!is_register && !tokens_.accept_word("param")) tokens_.fail_here("a parameter");
  DeclaredType declared = declared_type("the type of a parameter");
  if (declared.type == Type::kPred && !is_register) {
    tokens_.fail(declared.position, "type mismatch", "a parameter in .param is not a predicate");
  }
  if (tokens_.accept_word("ptr")) {
    // What a pointer parameter points to is a promise to the optimiser.
    for (std::string_view space : {"global", "const", "local", "shared"}) {
      if (tokens_.accept_word(space)) break;
    }
    if (tokens_.accept_word("align")) parse_count(tokens_, 1u << 16, "an alignment");
  }
  if (declared.vector > 1) {
    tokens_.fail(declared.position, "type mismatch", "a parameter is no vector");
  }
  Word name = tokens_.expect_name("the name of a parameter");
  result.name = name.text;
  result.type = declared.type;
  bool open = false;
  uint64_t size = bytes(declared.type);
  for (uint64_t dimension : dimensions(open)) {
    size = dimension > UINT32_MAX ? UINT32_MAX : std::min<uint64_t>(size * dimension, UINT32_MAX);
  }
  if (open) tokens_.fail(name.position, "unsupported", "parameters without a size");
  if (is_register && size != bytes(declared.type)) {
    tokens_.fail(name.position, "type mismatch", "a register is no array");
  }
  result.alignment = declared.alignment != 0 ? declared.alignment : bytes(declared.type);
  result.size = static_cast<uint32_t>(size);
  if (size > kMaxParameterBytes) {
    tokens_.fail(name.position, "resource limit",
                 fmt::format("a parameter has at most {} bytes", kMaxParameterBytes));
  }
  // Marked here, numbered by declare_parameters.
  result.reg = is_register ? 0 : kNoIndex;
  return result;
}

/// .maxntid and what else may stand between the head and the body (PTX ISA 11.4).
void Parser::performance_directives(Function& function) {
  auto sizes = [&](std::array<uint32_t, 3>& out) {
    out = {1, 1, 1};
    size_t axis = 0;
    do {
      if (axis == 3) tokens_.fail_here("at most three sizes");
      diagnostics::Position position = tokens_.peek().position;
      out[axis] = static_cast<uint32_t>(parse_count(tokens_, UINT32_MAX, "a size"));
      if (out[axis++] == 0) tokens_.fail(position, "out of range", "a size is not 0");
    } while (tokens_.accept(','));
  };
  while (tokens_.peek().kind == Token::Kind::kDotWord) {
    Token word = tokens_.take();
    if (word.text == "maxntid") {
      sizes(function.max_ntid);
    } else if (word.text == "reqntid") {
      sizes(function.req_ntid);
    } else if (word.text == "minnctapersm" || word.text == "maxnctapersm" ||
               word.text == "maxnreg") {
      parse_count(tokens_, UINT32_MAX, "a limit");
    } else if (word.text == "pragma") {
      skip_statement();
    } else if (word.text != "noreturn" || function.is_entry) {
      constexpr std::string_view kClusters[] = {"explicitcluster", "reqnctapercluster",
                                                "maxclusterrank", "blocksareclusters"};
      bool known =
          std::find(std::begin(kClusters), std::end(kClusters), word.text) != std::end(kClusters);
      tokens_.fail(word.position, known ? "unsupported" : "syntax",
                   fmt::format("the directive .{} at a function", word.text));
    }
    if (function.max_ntid[0] != 0 && function.req_ntid[0] != 0) {
      tokens_.fail(word.position, "duplicate definition",
                   ".maxntid and .reqntid exclude each other");
    }
  }
}

void Parser::declare_parameters(Function& function) {
  for (std::vector<Parameter>* list : {&function.returns, &function.parameters}) {
    for (uint32_t i = 0; i < list->size(); ++i) {
      Parameter& parameter = (*list)[i];
      std::string_view name = keep(parameter.name);
      if (function.is_entry) {
        declare(name, {Symbol::Kind::kParameter, i, function.declared});
      } else if (parameter.reg != kNoIndex) {
        parameter.reg = static_cast<uint32_t>(function.registers.size());
        add_register(name, parameter.type, function.declared);
      } else {
        Variable variable;
        variable.name = parameter.name;
        variable.space = Space::kParam;
        variable.type = parameter.type;
        variable.alignment = parameter.alignment;
        variable.size = parameter.size;
        if (parameter.size != bytes(parameter.type)) {
          variable.dimensions.push_back(parameter.size / bytes(parameter.type));
        }
        variable.role =
            list == &function.returns ? Variable::Role::kResult : Variable::Role::kParameter;
        variable.function = function_index_;
        variable.declared = function.declared;
        parameter.variable = add_variable(std::move(variable), function.declared);
      }
    }
  }
}

}  // namespace warplock::ptx
