#pragma once

#include <string>

namespace bb::physics {

/// An element by its symbol, with the standard atomic weight (IUPAC 2021, rounded).
struct Element {
  const char* symbol;
  int z;
  double weight;  // g/mol
};

/// Throws std::invalid_argument for a symbol that is none of the first 92 elements.
const Element& element(const std::string& symbol);

}  // namespace bb::physics
