#include "circuit/layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "circuit/emitter.h"

namespace warplock::circuit {

namespace {

void note_variable(const ptx::Operand& operand, std::vector<bool>& used) {
  if (operand.kind == ptx::Operand::Kind::kVariable ||
      (operand.kind == ptx::Operand::Kind::kAddress &&
       operand.base == ptx::Operand::Base::kVariable)) {
    used[operand.index] = true;
  }
  for (const ptx::Operand& element : operand.elements) note_variable(element, used);
}

void note_function(const ptx::Module& module, uint32_t number, std::vector<bool>& functions,
                   std::vector<bool>& used) {
  if (functions[number]) return;
  functions[number] = true;
  for (const ptx::Instruction& instruction : module.functions[number].body) {
    for (const ptx::Operand& operand : instruction.destinations) note_variable(operand, used);
    for (const ptx::Operand& operand : instruction.sources) {
      note_variable(operand, used);
      if (operand.kind == ptx::Operand::Kind::kFunction) {
        note_function(module, operand.index, functions, used);
      }
    }
  }
}

/// What variables in use point to is in use too.
void note_relocations(const ptx::Module& module, std::vector<bool>& used) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t v = 0; v < used.size(); ++v) {
      if (!used[v]) continue;
      for (const ptx::Relocation& relocation : module.variables[v].relocations) {
        if (used[relocation.variable]) continue;
        used[relocation.variable] = true;
        changed = true;
      }
    }
  }
}

trace::Space space_of(ptx::Space space) {
  return space == ptx::Space::kShared ? trace::Space::kShared : trace::Space::kGlobal;
}

void initialize(Layout& layout, const ptx::Module& module, uint32_t number) {
  const ptx::Variable& variable = module.variables[number];
  const Layout::Object& object = *layout.of_variable(number);
  std::vector<uint8_t> bytes = variable.initializer;
  for (const ptx::Relocation& relocation : variable.relocations) {
    const Layout::Object* target = layout.of_variable(relocation.variable);
    if (target == nullptr) throw Unfit("an initialiser that points to memory of each thread");
    bytes.resize(std::max<size_t>(bytes.size(), relocation.offset + relocation.bytes));
    const uint64_t address = target->base + static_cast<uint64_t>(relocation.addend);
    for (uint32_t i = 0; i < relocation.bytes; ++i) {
      bytes[relocation.offset + i] = static_cast<uint8_t>(i < 4 ? address >> (8 * i) : 0);
    }
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    layout.memory[object.base / 4 + i / 4] |= uint32_t{bytes[i]} << (8 * (i % 4));
  }
}

}  // namespace

const Layout::Object* Layout::of_variable(uint32_t variable) const {
  for (const Object& object : objects) {
    if (object.variable == variable) return &object;
  }
  return nullptr;
}

const Layout::Object* Layout::of_argument(uint32_t argument) const {
  for (const Object& object : objects) {
    if (object.argument == argument) return &object;
  }
  return nullptr;
}

const Layout::Object* Layout::at(uint32_t address) const {
  for (const Object& object : objects) {
    if (address - object.base < object.size) return &object;
  }
  return nullptr;
}

uint32_t Layout::take(uint32_t bytes) {
  const uint32_t base = 4 * words;
  words += (bytes + 3) / 4;
  return base;
}

Layout make_layout(const ptx::Module& module, const ptx::Function& entry,
                   const executor::Launch& launch, bool scalars_in_memory) {
  std::vector<bool> used(module.variables.size()), functions(module.functions.size());
  note_function(module, static_cast<uint32_t>(&entry - module.functions.data()), functions, used);
  note_relocations(module, used);

  uint64_t bytes = launch.shared_bytes;
  for (const executor::Argument& argument : launch.arguments) bytes += 4 * argument.words.size();
  for (size_t v = 0; v < used.size(); ++v) {
    if (used[v]) bytes += module.variables[v].size;
  }
  // Every address below is 32 bits wide; the machine has far less, which the caller checks.
  if (bytes > uint64_t{1} << 30) throw Unfit(fmt::format("needs {} bytes of memory", bytes));

  Layout layout;
  layout.local_offset.assign(module.variables.size(), ptx::kNoIndex);
  const auto add = [&](Layout::Object object) {
    object.base = layout.take(object.size);
    layout.objects.push_back(std::move(object));
  };
  for (uint32_t i = 0; i < launch.arguments.size(); ++i) {
    const executor::Argument& argument = launch.arguments[i];
    if (!argument.is_buffer) continue;
    Layout::Object object{argument.name, trace::Space::kGlobal};
    object.size = static_cast<uint32_t>(4 * argument.words.size());
    object.argument = i;
    add(object);
  }
  std::vector<uint32_t> order;
  for (uint32_t v = 0; v < used.size(); ++v) {
    if (used[v]) order.push_back(v);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return module.variables[a].name < module.variables[b].name;
  });
  for (ptx::Space space : {ptx::Space::kGlobal, ptx::Space::kConst, ptx::Space::kShared}) {
    for (uint32_t v : order) {
      const ptx::Variable& variable = module.variables[v];
      if (variable.space != space || (variable.is_extern && space == ptx::Space::kShared)) continue;
      Layout::Object object{variable.name, space_of(space)};
      object.size = static_cast<uint32_t>(variable.size);
      object.variable = v;
      add(object);
    }
  }
  // Every .extern .shared array is the dynamic shared memory.
  const uint32_t dynamic = layout.take(launch.shared_bytes);
  for (uint32_t v : order) {
    const ptx::Variable& variable = module.variables[v];
    if (variable.space == ptx::Space::kShared && variable.is_extern) {
      layout.objects.push_back({"dynamic shared", trace::Space::kShared, dynamic,
                                launch.shared_bytes, v, ptx::kNoIndex});
    } else if (variable.space == ptx::Space::kLocal) {
      layout.local_offset[v] = layout.local_bytes;
      layout.local_bytes += static_cast<uint32_t>((variable.size + 3) / 4 * 4);
    }
  }
  if (scalars_in_memory) {
    layout.scalar_address.assign(launch.arguments.size(), ptx::kNoIndex);
    for (uint32_t i = 0; i < launch.arguments.size(); ++i) {
      if (!launch.arguments[i].is_buffer) layout.scalar_address[i] = layout.take(8);
    }
  }
  layout.local_base = layout.take(layout.local_bytes * launch.threads_per_cta());
  layout.memory.resize(layout.words);
  for (uint32_t i = 0; i < layout.scalar_address.size(); ++i) {
    if (layout.scalar_address[i] == ptx::kNoIndex) continue;
    layout.memory[layout.scalar_address[i] / 4] = static_cast<uint32_t>(launch.arguments[i].scalar);
    layout.memory[layout.scalar_address[i] / 4 + 1] =
        static_cast<uint32_t>(launch.arguments[i].scalar >> 32);
  }
  for (const Layout::Object& object : layout.objects) {
    if (object.argument != ptx::kNoIndex) {
      const std::vector<uint32_t>& words = launch.arguments[object.argument].words;
      std::copy(words.begin(), words.end(), layout.memory.begin() + object.base / 4);
    } else if (module.variables[object.variable].space != ptx::Space::kShared) {
      initialize(layout, module, object.variable);
    }
  }
  return layout;
}

}  // namespace warplock::circuit
