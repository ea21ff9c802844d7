#include "circuit/weights/checkpoint/files.h"

#include <cstring>

#include <fmt/format.h>

namespace warplock::weights {

using nlohmann::json;
using nlohmann::ordered_json;

diagnostics::InputError checkpoint_error(const std::string& file, const std::string& message) {
  diagnostics::Diagnostic diagnostic;
  diagnostic.klass = "checkpoint";
  diagnostic.message = message;
  diagnostic.file = file;
  return diagnostics::InputError(diagnostic);
}

namespace {

constexpr const char* kModelType = "qwen3_5_text";

/// A member that must be exactly this, as the layers' equations depend on it.
template <typename T>
void require(const std::string& file, const json& config, const char* key, const T& wanted) {
  auto found = config.find(key);
  if (found == config.end() || *found != json(wanted)) {
    throw checkpoint_error(
        file, fmt::format("\"{}\" is {}, must be {}", key,
                          found == config.end() ? "missing" : found->dump(), json(wanted).dump()));
  }
}

uint32_t number(const std::string& file, const json& object, const char* key, uint32_t low,
                uint32_t high) {
  auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || *found < low || *found > high) {
    throw checkpoint_error(
        file, fmt::format("\"{}\" is {}, must be a number from {} to {}", key,
                          found == object.end() ? "missing" : found->dump(), low, high));
  }
  return found->get<uint32_t>();
}

}  // namespace

std::string config_text(const ModelShape& shape, uint32_t end_id) {
  ordered_json config;
  config["architectures"] = {"Qwen3_5ForCausalLM"};
  config["model_type"] = kModelType;
  config["dtype"] = "bfloat16";
  config["vocab_size"] = shape.vocabulary;
  config["hidden_size"] = shape.hidden_size;
  config["intermediate_size"] = shape.intermediate_size;
  config["num_hidden_layers"] = shape.layers;
  config["layer_types"] = std::vector<std::string>(shape.layers, "linear_attention");
  config["hidden_act"] = "silu";
  config["rms_norm_eps"] = shape.rms_norm_eps;
  config["tie_word_embeddings"] = true;
  config["linear_num_key_heads"] = shape.heads;
  config["linear_num_value_heads"] = shape.heads;
  config["linear_key_head_dim"] = shape.head_dim;
  config["linear_value_head_dim"] = shape.head_dim;
  config["linear_conv_kernel_dim"] = shape.conv_kernel;
  // No layer of full attention: these only have to be there.
  config["num_attention_heads"] = 8;
  config["num_key_value_heads"] = 2;
  config["head_dim"] = 256;
  config["attention_bias"] = false;
  config["attention_dropout"] = 0.0;
  config["max_position_embeddings"] = 262144;
  config["rope_parameters"] = {{"rope_type", "default"},
                               {"rope_theta", 10000000},
                               {"partial_rotary_factor", 0.25},
                               {"mrope_section", {11, 11, 10}},
                               {"mrope_interleaved", true}};
  config["bos_token_id"] = nullptr;
  config["eos_token_id"] = end_id;
  config["use_cache"] = true;
  return config.dump(2) + "\n";
}

ModelShape read_config(const std::string& file, const std::string& text) {
  json config = json::parse(text, nullptr, false);
  if (!config.is_object()) throw checkpoint_error(file, "is not a JSON object");
  require(file, config, "model_type", kModelType);
  require(file, config, "tie_word_embeddings", true);
  require(file, config, "hidden_act", "silu");
  ModelShape shape;
  shape.vocabulary = number(file, config, "vocab_size", 1, 1u << 20);
  shape.hidden_size = number(file, config, "hidden_size", 1, 1u << 16);
  shape.intermediate_size = number(file, config, "intermediate_size", 1, 1u << 18);
  shape.layers = number(file, config, "num_hidden_layers", 1, 1024);
  shape.heads = number(file, config, "linear_num_value_heads", 1, 256);
  require(file, config, "linear_num_key_heads", shape.heads);
  shape.head_dim = number(file, config, "linear_value_head_dim", 1, 1024);
  require(file, config, "linear_key_head_dim", shape.head_dim);
  shape.conv_kernel = number(file, config, "linear_conv_kernel_dim", 1, 16);
  require(file, config, "layer_types", std::vector<std::string>(shape.layers, "linear_attention"));
  auto epsilon = config.find("rms_norm_eps");
  if (epsilon == config.end() || !epsilon->is_number() || *epsilon <= 0.0 || *epsilon > 1.0) {
    throw checkpoint_error(file, "\"rms_norm_eps\" must be a number between 0 and 1");
  }
  shape.rms_norm_eps = epsilon->get<double>();
  return shape;
}

std::string tokenizer_text(const Vocabulary& vocabulary) {
  ordered_json words = ordered_json::object();
  for (uint32_t i = 0; i < vocabulary.size(); ++i) {
    words[vocabulary.text(vocabulary.first_id() + i)] = vocabulary.first_id() + i;
  }
  ordered_json tokenizer;
  tokenizer["version"] = "1.0";
  tokenizer["truncation"] = nullptr;
  tokenizer["padding"] = nullptr;
  tokenizer["added_tokens"] = ordered_json::array();
  tokenizer["normalizer"] = nullptr;
  tokenizer["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  tokenizer["post_processor"] = nullptr;
  tokenizer["decoder"] = nullptr;
  tokenizer["model"] = {{"type", "WordLevel"}, {"vocab", words}, {"unk_token", "<|reset|>"}};
  return tokenizer.dump() + "\n";
}

std::string tokenizer_config_text() {
  ordered_json config;
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  config["clean_up_tokenization_spaces"] = false;
  config["eos_token"] = "<|halt|>";
  return config.dump(2) + "\n";
}

std::string generation_config_text(uint32_t end_id) {
  ordered_json config;
  config["do_sample"] = false;
  config["eos_token_id"] = end_id;
  return config.dump(2) + "\n";
}

std::string safetensors_header(const std::vector<TensorEntry>& entries) {
  constexpr size_t kPage = 4096;
  ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  uint64_t offset = 0;
  for (const TensorEntry& entry : entries) {
    header[entry.name] = {{"dtype", name_of(entry.type)},
                          {"shape", entry.shape},
                          {"data_offsets", {offset, offset + entry.bytes()}}};
    offset += entry.bytes();
  }
  std::string text = header.dump();
  text.resize((text.size() + 8 + kPage - 1) / kPage * kPage - 8, ' ');
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(uint64_t{text.size()} >> (8 * i));
  return length + text;
}

}  // namespace warplock::weights
