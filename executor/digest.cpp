#include "executor/digest.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace warplock::executor {

struct Digest::State {
  State() : context(EVP_MD_CTX_new()) {
    if (!context || EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1) {
      throw std::runtime_error("libcrypto has no SHA-256");
    }
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void update(const void* data, size_t size) {
    if (EVP_DigestUpdate(context, data, size) != 1) throw std::runtime_error("SHA-256 failed");
  }
  /// Little-endian on every machine.
  template <typename T>
  void update_number(T number) {
    std::array<unsigned char, sizeof(T)> bytes{};
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(number >> (8 * i));
    }
    update(bytes.data(), bytes.size());
  }

  EVP_MD_CTX* context;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;

void Digest::add(std::string_view text) {
  state_->update_number(uint64_t{text.size()});
  state_->update(text.data(), text.size());
}

void Digest::add(uint64_t number) {
  state_->update_number(number);
}

void Digest::add(const std::vector<uint32_t>& words) {
  state_->update_number(uint64_t{words.size()});
  for (uint32_t word : words) state_->update_number(word);
}

std::string Digest::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context, bytes.data(), &size) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string digest_of(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", out[i]);
  return text;
}

}  // namespace warplock::executor
