// Fuzzes the JSON documents of a reproducer (native/reproduce/value.cpp).
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "reproduce/value.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const bb::reproduce::Value value = bb::reproduce::parse(text);
    value.find("kind");
  } catch (const std::runtime_error&) {
  }
  return 0;
}
