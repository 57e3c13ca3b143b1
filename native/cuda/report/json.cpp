#include "json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace bb::cuda {

namespace {

template <typename Values, typename Text>
std::string list_of(const Values& values, Text&& text) {
  std::string list;
  for (const auto& value : values) {
    if (!list.empty()) list += ',';
    list += text(value);
  }
  return "[" + list + "]";
}

}  // namespace

std::string json_list(const std::vector<JsonObject>& objects) {
  return list_of(objects, [](const JsonObject& object) { return object.text(); });
}

JsonObject& JsonObject::set(std::string_view key, const std::vector<std::string>& texts) {
  return raw(key, list_of(texts, quote));
}

JsonObject& JsonObject::set(std::string_view key, const std::vector<JsonObject>& objects) {
  return raw(key, json_list(objects));
}

JsonObject& JsonObject::set(std::string_view key, const std::vector<int>& values) {
  return raw(key, list_of(values, [](int value) { return std::to_string(value); }));
}

JsonObject& JsonObject::raw(std::string_view key, std::string_view value) {
  if (!fields_.empty()) fields_ += ',';
  fields_.append(quote(key)).append(":").append(value);
  return *this;
}

std::string JsonObject::quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string JsonObject::number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

}  // namespace bb::cuda
