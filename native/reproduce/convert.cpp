#include "binding/convert.hpp"

#include <cmath>

namespace bb::binding {

using reproduce::Value;

void Fields::refuse(const char* key, const char* wanted) const {
  throw std::runtime_error(path_ + "." + key + ": expected " + wanted);
}

const Value& Fields::get(const char* key, Value::Kind wanted, const char* words) const {
  const Value* found = value_->find(key);
  if (found == nullptr || found->kind != wanted) refuse(key, words);
  return *found;
}

double Fields::number(const char* key) const { return get(key, Value::Kind::kNumber, "a number").number; }

int Fields::integer(const char* key) const {
  const double value = number(key);
  if (value != std::floor(value) || std::abs(value) > 2147483647.0) refuse(key, "an integer");
  return static_cast<int>(value);
}

std::string Fields::text(const char* key) const { return get(key, Value::Kind::kText, "a string").text; }

std::shared_ptr<const std::string> Fields::shared_text(const char* key, const std::string&) const {
  return std::make_shared<const std::string>(text(key));
}

bool Fields::flag(const char* key) const { return get(key, Value::Kind::kFlag, "true or false").number != 0.0; }

Fields Fields::child(const char* key) const { return {get(key, Value::Kind::kObject, "an object"), path_ + "." + key}; }

std::vector<Fields> Fields::list(const char* key) const {
  std::vector<Fields> out;
  // An empty list is parsed as a list of numbers.
  const Value* found = value_->find(key);
  if (found != nullptr && found->kind == Value::Kind::kNumbers && found->numbers.empty()) return out;
  for (const Value& item : get(key, Value::Kind::kList, "an array of objects").items) {
    if (item.kind != Value::Kind::kObject) refuse(key, "an array of objects");
    out.emplace_back(item, path_ + "." + key + "[" + std::to_string(out.size()) + "]");
  }
  return out;
}

std::vector<std::string> Fields::texts(const char* key) const {
  std::vector<std::string> out;
  for (const Value& item : get(key, Value::Kind::kList, "an array of texts").items) out.push_back(item.text);
  return out;
}

std::span<const double> Fields::view_of_doubles(const char* key) const {
  return get(key, Value::Kind::kNumbers, "numbers").numbers;
}

std::vector<double> Fields::doubles(const char* key) const {
  const std::span<const double> all = view_of_doubles(key);
  return {all.begin(), all.end()};
}

std::vector<std::uint8_t> Fields::bytes(const char* key) const {
  std::vector<std::uint8_t> out;
  for (const double value : view_of_doubles(key)) out.push_back(static_cast<std::uint8_t>(value));
  return out;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> out;
  for (const auto& [name, value] : value_->fields) out.push_back(name);
  return out;
}

}  // namespace bb::binding
