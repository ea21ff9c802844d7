#include "circuit/isa_json.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "circuit/rules.h"
#include "executor/located_json.h"

namespace warplock::circuit {

namespace {

using executor::JsonDocument;
using executor::JsonValue;
using nlohmann::ordered_json;

struct SpecField {
  const char* name;
  uint32_t MachineSpec::*field;
};
constexpr SpecField kSpecFields[] = {
    {"lanes", &MachineSpec::lanes},           {"warps", &MachineSpec::warps},
    {"registers", &MachineSpec::registers},   {"blocks", &MachineSpec::blocks},
    {"slots", &MachineSpec::slots},           {"memory_rows", &MachineSpec::memory_rows},
    {"max_ctas_x", &MachineSpec::max_ctas_x}, {"max_ctas_y", &MachineSpec::max_ctas_y},
};

MachineSpec read_spec(const JsonValue& root) {
  MachineSpec spec;
  const auto members = root.members("a machine", {"lanes", "warps", "registers", "blocks", "slots",
                                                  "memory_rows", "max_ctas_x", "max_ctas_y"});
  for (const auto& member : members) {
    const std::string key = member.first.string("a key");
    for (const SpecField& field : kSpecFields) {
      if (key != field.name) continue;
      spec.*field.field =
          static_cast<uint32_t>(member.second.integer(0, 0xffffffff, fmt::format("\"{}\"", key)));
      try {
        validate(spec);
      } catch (const std::invalid_argument& wrong) {
        throw member.second.error(wrong.what());
      }
    }
  }
  return spec;
}

ordered_json spec_json(const MachineSpec& spec) {
  ordered_json json;
  for (const SpecField& field : kSpecFields) json[field.name] = spec.*field.field;
  return json;
}

// ---- operands: "r3", "slot 1", "thread", or a number
// ---------------------------------------------

ordered_json operand_json(const MachineOperand& operand) {
  switch (operand.kind) {
    case MachineOperand::Kind::kRegister:
      return fmt::format("r{}", operand.value);
    case MachineOperand::Kind::kForward:
      return fmt::format("slot {}", operand.value);
    case MachineOperand::Kind::kImmediate:
      return operand.value;
    case MachineOperand::Kind::kThread:
      return "thread";
  }
  return nullptr;
}

std::optional<uint32_t> number_after(const std::string& text, const std::string& prefix) {
  if (text.size() <= prefix.size() || text.compare(0, prefix.size(), prefix) != 0) return {};
  uint32_t value = 0;
  for (size_t i = prefix.size(); i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9' || i > prefix.size() + 2) return {};
    value = 10 * value + static_cast<uint32_t>(text[i] - '0');
  }
  return value;
}

MachineOperand read_operand(const JsonValue& json) {
  if (!json.is_string()) {
    return {MachineOperand::Kind::kImmediate,
            static_cast<uint32_t>(json.integer(INT32_MIN, 0xffffffff, "an operand"))};
  }
  const std::string text = json.string("an operand");
  if (text == "thread") return {MachineOperand::Kind::kThread, 0};
  if (auto reg = number_after(text, "r")) return {MachineOperand::Kind::kRegister, *reg};
  if (auto slot = number_after(text, "slot ")) return {MachineOperand::Kind::kForward, *slot};
  throw json.error(
      fmt::format("an operand is \"r3\", \"slot 1\", \"thread\" or a number, not \"{}\"", text));
}

// ---- instructions
// --------------------------------------------------------------------------------

ordered_json instruction_json(const MachineInstruction& i) {
  ordered_json json{{"op", spelling(i.op)},
                    {"a", operand_json(i.a)},
                    {"b", operand_json(i.b)},
                    {"c", operand_json(i.c)}};
  if (i.predicate_slot) json["predicate"] = *i.predicate_slot;
  if (i.predicate_from_c) json["predicate"] = "c";
  if (i.guarded) json["guard"] = i.guard_negated ? "unless" : "if";
  if (i.destination) json["to"] = *i.destination;
  if (i.ptx != 0xffffffff) json["ptx"] = i.ptx;
  const std::vector<Rule>& rules = all_rules();
  if (i.rule < rules.size()) json["rule"] = rules[i.rule].name;
  return json;
}

MachineOp read_op(const JsonValue& json) {
  const std::string name = json.string("\"op\"");
  for (uint32_t op = 0; op < kMachineOps; ++op) {
    if (spelling(static_cast<MachineOp>(op)) == name) return static_cast<MachineOp>(op);
  }
  throw json.error(fmt::format("the machine has no operation \"{}\"", name));
}

MachineInstruction read_instruction(const JsonValue& json) {
  MachineInstruction i;
  i.rule = 0xffff;
  bool has_op = false;
  for (const auto& [key_value, value] : json.members(
           "an instruction", {"op", "a", "b", "c", "predicate", "guard", "to", "ptx", "rule"})) {
    const std::string key = key_value.string("a key");
    if (key == "op") {
      i.op = read_op(value);
      has_op = true;
    } else if (key == "a") {
      i.a = read_operand(value);
    } else if (key == "b") {
      i.b = read_operand(value);
    } else if (key == "c") {
      i.c = read_operand(value);
    } else if (key == "predicate") {
      if (value.is_string()) {
        if (value.string("\"predicate\"") != "c")
          throw value.error("\"predicate\" is a slot or \"c\"");
        i.predicate_from_c = true;
      } else {
        i.predicate_slot = static_cast<uint8_t>(value.integer(0, 3, "\"predicate\""));
      }
    } else if (key == "guard") {
      const std::string guard = value.string("\"guard\"");
      if (guard != "if" && guard != "unless")
        throw value.error("\"guard\" is \"if\" or \"unless\"");
      i.guarded = true;
      i.guard_negated = guard == "unless";
    } else if (key == "to") {
      i.destination = static_cast<uint8_t>(value.integer(1, 15, "\"to\""));
    } else if (key == "ptx") {
      i.ptx = static_cast<uint32_t>(value.integer(0, 0xfffffffe, "\"ptx\""));
    } else {
      const std::string name = value.string("\"rule\"");
      for (uint32_t rule = 0; rule < all_rules().size(); ++rule) {
        if (all_rules()[rule].name == name) i.rule = rule;
      }
    }
  }
  if (!has_op) throw json.error("an instruction has an \"op\"");
  return i;
}

// ---- blocks
// --------------------------------------------------------------------------------------

ordered_json target_json(uint32_t target) {
  return target == kExit ? ordered_json("exit") : ordered_json(target);
}

uint32_t read_target(const JsonValue& json) {
  if (!json.is_string()) return static_cast<uint32_t>(json.integer(0, 31, "a block"));
  if (json.string("a block") != "exit") throw json.error("a block is a number or \"exit\"");
  return kExit;
}

ordered_json block_json(const MachineBlock& block) {
  ordered_json json;
  json["slots"] = ordered_json::array();
  for (const auto& slot : block.slots) {
    json["slots"].push_back(slot ? instruction_json(*slot) : ordered_json::object());
  }
  json["next"] = target_json(block.taken);
  if (block.branch_slot) {
    json["else"] = target_json(block.not_taken);
    json["branch"] = *block.branch_slot;
    if (block.branch_negated) json["negated"] = true;
  }
  if (block.barrier) json["barrier"] = true;
  if (block.serial) json["serial"] = true;
  return json;
}

bool read_flag(const JsonValue& json, const std::string& key) {
  return json.boolean(fmt::format("\"{}\"", key));
}

MachineBlock read_block(const JsonValue& json, const MachineSpec& spec) {
  MachineBlock block;
  std::optional<uint32_t> otherwise;
  for (const auto& [key_value, value] : json.members(
           "a block", {"slots", "next", "else", "branch", "negated", "barrier", "serial"})) {
    const std::string key = key_value.string("a key");
    if (key == "slots") {
      for (const JsonValue& slot : value.elements("\"slots\"")) {
        const bool empty = slot.members("an instruction").empty();
        block.slots.push_back(empty ? std::nullopt : std::optional(read_instruction(slot)));
      }
    } else if (key == "next") {
      block.taken = read_target(value);
    } else if (key == "else") {
      otherwise = read_target(value);
    } else if (key == "branch") {
      block.branch_slot = static_cast<uint8_t>(value.integer(0, 3, "\"branch\""));
    } else if (key == "negated") {
      block.branch_negated = read_flag(value, key);
    } else if (key == "barrier") {
      block.barrier = read_flag(value, key);
    } else {
      block.serial = read_flag(value, key);
    }
  }
  if (block.slots.size() > spec.slots) {
    throw json.error(
        fmt::format("a block has {} slots, the machine has {}", block.slots.size(), spec.slots));
  }
  block.slots.resize(spec.slots);
  block.not_taken = otherwise.value_or(block.taken);
  return block;
}

}  // namespace

MachineSpec parse_spec(std::shared_ptr<const diagnostics::SourceText> source) {
  return read_spec(JsonDocument(std::move(source), "machine").root());
}

std::string to_json(const MachineSpec& spec) {
  return spec_json(spec).dump(2) + "\n";
}

std::string to_json(const MachineProgram& program) {
  ordered_json json;
  json["schema"] = 1;
  json["machine"] = spec_json(program.spec);
  json["ctas"] = {program.ctas_x, program.ctas_y};
  json["warp_lanes"] = program.warp_lanes;
  json["memory"] = program.memory;
  json["blocks"] = ordered_json::array();
  for (const MachineBlock& block : program.blocks) json["blocks"].push_back(block_json(block));
  return json.dump(1) + "\n";
}

MachineProgram parse_program(std::shared_ptr<const diagnostics::SourceText> source) {
  const JsonDocument document(std::move(source), "machine program");
  const JsonValue root = document.root();
  MachineProgram program;
  const auto members = root.members(
      "a machine program", {"schema", "machine", "ctas", "warp_lanes", "memory", "blocks"});
  // The machine decides how the rest is read.
  for (const auto& [key, value] : members) {
    if (key.string("a key") == "machine") program.spec = read_spec(value);
  }
  for (const auto& [key_value, value] : members) {
    const std::string key = key_value.string("a key");
    if (key == "schema") {
      value.integer(1, 1, "\"schema\"");
    } else if (key == "ctas") {
      const auto numbers = value.elements("\"ctas\"");
      if (numbers.size() != 2) throw value.error("\"ctas\" has two numbers");
      program.ctas_x = static_cast<uint32_t>(numbers[0].integer(1, 256, "a number of CTAs"));
      program.ctas_y = static_cast<uint32_t>(numbers[1].integer(1, 256, "a number of CTAs"));
    } else if (key == "warp_lanes") {
      for (const JsonValue& lanes : value.elements("\"warp_lanes\"")) {
        program.warp_lanes.push_back(static_cast<uint8_t>(lanes.integer(0, 15, "a lane mask")));
      }
    } else if (key == "memory") {
      program.memory = value.words(program.spec.words(), "\"memory\"");
    } else if (key == "blocks") {
      for (const JsonValue& block : value.elements("\"blocks\"")) {
        program.blocks.push_back(read_block(block, program.spec));
      }
    }
  }
  try {
    validate(program);
  } catch (const std::invalid_argument& wrong) {
    throw root.error(wrong.what());
  }
  return program;
}

}  // namespace warplock::circuit
