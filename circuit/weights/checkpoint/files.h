#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "circuit/isa.h"
#include "circuit/weights/checkpoint/tensor_list.h"
#include "circuit/weights/token.h"
#include "diagnostics/diagnostic.h"

/// The files of a checkpoint's folder, as texts.
namespace warplock::weights {

constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kManifestFile = "warplock.json";
constexpr const char* kConfigFile = "config.json";

/// What is wrong with a file of a checkpoint; class "checkpoint".
diagnostics::InputError checkpoint_error(const std::string& file, const std::string& message);

/// config.json: what stock Transformers' Qwen3_5ForCausalLM reads.
std::string config_text(const ModelShape& shape, uint32_t end_id);
/// The shape that a config.json describes, if it is one of a machine. `file` is for messages.
ModelShape read_config(const std::string& file, const std::string& text);

/// tokenizer.json: every token's text is one word.
std::string tokenizer_text(const Vocabulary& vocabulary);
std::string tokenizer_config_text();
std::string generation_config_text(uint32_t end_id);

/// safetensors' header: 8 bytes of length, then JSON, padded so that the data begins on a page.
std::string safetensors_header(const std::vector<TensorEntry>& entries);

}  // namespace warplock::weights
