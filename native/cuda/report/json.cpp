#include "json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace bb::cuda {

JsonObject& JsonObject::set(std::string_view key, const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + quote(text);
  return raw(key, "[" + list + "]");
}

JsonObject& JsonObject::set(std::string_view key, const std::vector<JsonObject>& objects) {
  std::string list;
  for (const JsonObject& object : objects) list += (list.empty() ? "" : ",") + object.text();
  return raw(key, "[" + list + "]");
}

JsonObject& JsonObject::set(std::string_view key, const std::vector<int>& values) {
  std::string list;
  for (const int value : values) list += (list.empty() ? "" : ",") + std::to_string(value);
  return raw(key, "[" + list + "]");
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
