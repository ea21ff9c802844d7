#include "ptx/names.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace warplock::ptx {
namespace {

struct Names {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, uint32_t> next_suffix;
};

/// Takes `name`, or the next free "name$N", into `own`; `also` must not have it either.
void claim(std::string& name, Names& own, const Names& also) {
  auto taken = [&](const std::string& candidate) {
    return own.taken.count(candidate) != 0 || also.taken.count(candidate) != 0;
  };
  if (taken(name)) {
    uint32_t& suffix = own.next_suffix.emplace(name, 2).first->second;
    std::string candidate;
    do candidate = fmt::format("{}${}", name, suffix++);
    while (taken(candidate));
    name = std::move(candidate);
  }
  own.taken.insert(name);
}

void renumber(Operand& operand, const std::vector<uint32_t>& variables,
              const std::vector<uint32_t>& functions) {
  bool is_variable =
      operand.kind == Operand::Kind::kVariable ||
      (operand.kind == Operand::Kind::kAddress && operand.base == Operand::Base::kVariable);
  if (is_variable) operand.index = variables[operand.index];
  if (operand.kind == Operand::Kind::kFunction) operand.index = functions[operand.index];
  for (Operand& element : operand.elements) renumber(element, variables, functions);
}

/// Moves `items` so that item i comes to place order[i].
template <typename T>
void permute(std::vector<T>& items, const std::vector<uint32_t>& order) {
  std::vector<T> moved(items.size());
  for (size_t i = 0; i < items.size(); ++i) moved[order[i]] = std::move(items[i]);
  items = std::move(moved);
}

}  // namespace

bool find_special_register(std::string_view name, std::string_view component,
                           SpecialRegister& found) {
  static const auto table = [] {
    std::unordered_map<std::string_view, SpecialRegister> by_name;
    for (int i = 0; i <= static_cast<int>(SpecialRegister::kDynamicSmemSize); ++i) {
      SpecialRegister reg = static_cast<SpecialRegister>(i);
      by_name[spelling(reg)] = reg;
    }
    return by_name;
  }();
  std::string full(name);
  if (!component.empty()) full += fmt::format(".{}", component);
  auto entry = table.find(full);
  if (entry == table.end()) return false;
  found = entry->second;
  return true;
}

bool is_unsupported_special(std::string_view name, std::string_view component) {
  // The fourth component is always 0 and for compatibility only.
  SpecialRegister found;
  if (component == "w" && find_special_register(name, "x", found)) return true;
  constexpr std::string_view kPrefixes[] = {"%envreg",
                                            "%pm",
                                            "%cluster",
                                            "%ncluster",
                                            "%is_explicit_cluster",
                                            "%reserved_smem",
                                            "%current_graph_exec"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  });
}

void make_names_unique(Module& module) {
  Names global;
  for (const Variable& variable : module.variables) {
    if (variable.function == kNoIndex) global.taken.insert(variable.name);
  }
  for (const Function& function : module.functions) global.taken.insert(function.name);
  for (Variable& variable : module.variables) {
    if (variable.function != kNoIndex) claim(variable.name, global, {});
  }
  for (Function& function : module.functions) {
    Names own;
    if (!function.is_declaration) {
      for (std::vector<Parameter>* list : {&function.returns, &function.parameters}) {
        for (Parameter& parameter : *list) {
          if (parameter.reg == kNoIndex && parameter.variable == kNoIndex) {
            claim(parameter.name, own, global);
          }
        }
      }
    }
    for (Register& reg : function.registers) claim(reg.name, own, global);
    for (Label& label : function.labels) claim(label.name, own, global);
    for (BranchTable& table : function.branch_tables) claim(table.name, own, global);
    for (std::vector<Parameter>* list : {&function.returns, &function.parameters}) {
      for (Parameter& parameter : *list) {
        if (parameter.reg != kNoIndex) parameter.name = function.registers[parameter.reg].name;
        if (parameter.variable != kNoIndex) {
          parameter.name = module.variables[parameter.variable].name;
        }
      }
    }
  }
}

void put_in_order(Module& module, const std::vector<uint32_t>& body_order) {
  std::vector<uint32_t> functions(module.functions.size(), kNoIndex);
  uint32_t next = 0;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].is_declaration) functions[i] = next++;
  }
  for (uint32_t index : body_order) functions[index] = next++;

  std::vector<uint32_t> variables(module.variables.size());
  std::vector<uint32_t> by_place(module.variables.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  auto place = [&](uint32_t index) {
    uint32_t function = module.variables[index].function;
    return function == kNoIndex ? 0 : functions[function] + 1;
  };
  // Not stable_sort: libstdc++'s draws a warning from clang.
  std::sort(by_place.begin(), by_place.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(place(a), a) < std::pair(place(b), b);
  });
  for (uint32_t i = 0; i < by_place.size(); ++i) variables[by_place[i]] = i;

  for (Variable& variable : module.variables) {
    if (variable.function != kNoIndex) variable.function = functions[variable.function];
    for (Relocation& relocation : variable.relocations) {
      relocation.variable = variables[relocation.variable];
    }
  }
  for (Function& function : module.functions) {
    for (std::vector<Parameter>* list : {&function.returns, &function.parameters}) {
      for (Parameter& parameter : *list) {
        if (parameter.variable != kNoIndex) parameter.variable = variables[parameter.variable];
      }
    }
    for (Instruction& instruction : function.body) {
      for (Operand& operand : instruction.destinations) renumber(operand, variables, functions);
      for (Operand& operand : instruction.sources) renumber(operand, variables, functions);
    }
  }
  permute(module.variables, variables);
  permute(module.functions, functions);
}

}  // namespace warplock::ptx
