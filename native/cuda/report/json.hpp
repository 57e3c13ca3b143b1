#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bb::cuda {

/// Writes one JSON object. Numbers have the fewest digits that restore the same value; non-finite numbers and empty
/// optionals become null.
class JsonObject {
 public:
  JsonObject& set(std::string_view key, std::string_view text) { return raw(key, quote(text)); }
  JsonObject& set(std::string_view key, const char* text) { return raw(key, quote(text)); }
  JsonObject& set(std::string_view key, const std::string& text) { return raw(key, quote(text)); }
  JsonObject& set(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  template <typename Number>
    requires((std::integral<Number> && !std::same_as<Number, bool>) || std::floating_point<Number>)
  JsonObject& set(std::string_view key, Number value) {
    if constexpr (std::integral<Number>) {
      return raw(key, std::to_string(value));
    } else {
      return raw(key, number(static_cast<double>(value)));
    }
  }
  template <typename T>
  JsonObject& set(std::string_view key, const std::optional<T>& value) {
    if (!value) return null(key);
    return set(key, *value);
  }
  JsonObject& set(std::string_view key, const JsonObject& object) { return raw(key, object.text()); }
  JsonObject& set(std::string_view key, const std::vector<std::string>& texts);
  JsonObject& set(std::string_view key, const std::vector<JsonObject>& objects);
  JsonObject& set(std::string_view key, const std::vector<int>& values);
  JsonObject& null(std::string_view key) { return raw(key, "null"); }

  std::string text() const { return "{" + fields_ + "}"; }

 private:
  JsonObject& raw(std::string_view key, std::string_view value);
  static std::string quote(std::string_view text);
  static std::string number(double value);

  std::string fields_;
};

/// Joins objects to a JSON array "[{…},{…}]".
std::string json_list(const std::vector<JsonObject>& objects);

}  // namespace bb::cuda
