#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What names a program or a launch in traces, reports and recordings: SHA-256, in hexadecimal.
namespace warplock::executor {

/// The digest of a text, as `Program::digest` holds it: 64 lower-case hexadecimal digits.
std::string digest_of(std::string_view bytes);

/// A digest over several fields. Every field is hashed with its length, so that no two different
/// sequences of fields hash the same bytes.
class Digest {
 public:
  Digest();
  ~Digest();
  void add(std::string_view text);
  void add(uint64_t number);
  void add(const std::vector<uint32_t>& words);
  /// Ends the digest; nothing can be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warplock::executor
