#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bb::reproduce {

/// A JSON value. A list of numbers is stored as a numeric array, because maps and tables have many numbers.
struct Value {
  enum class Kind { kNull, kFlag, kNumber, kText, kNumbers, kList, kObject };

  Kind kind = Kind::kNull;
  double number = 0;
  std::string text{};
  std::vector<double> numbers{};
  std::vector<Value> items{};
  std::vector<std::pair<std::string, Value>> fields{};

  /// Returns null if there is no such field.
  const Value* find(std::string_view name) const;
};

/// Parses JSON as this program writes it. Throws std::runtime_error that names the byte.
Value parse(std::string_view text);

}  // namespace bb::reproduce
