#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "value.hpp"

// Reads problems from a file, with the interface of native/binding/convert.hpp.
namespace bb::binding {

class Fields {
 public:
  /// `value` must outlive this object.
  Fields(const reproduce::Value& value, std::string path) : value_(&value), path_(std::move(path)) {}

  double number(const char* key) const;
  int integer(const char* key) const;
  std::string text(const char* key) const;
  std::shared_ptr<const std::string> shared_text(const char* key, const std::string& name) const;
  bool flag(const char* key) const;
  Fields child(const char* key) const;
  std::vector<Fields> list(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<double> doubles(const char* key) const;
  std::span<const double> view_of_doubles(const char* key) const;
  std::vector<std::uint8_t> bytes(const char* key) const;
  std::vector<std::string> names() const;
  bool has(const char* key) const { return value_->find(key) != nullptr; }
  const std::string& path() const { return path_; }

 private:
  const reproduce::Value& get(const char* key, reproduce::Value::Kind wanted, const char* words) const;
  [[noreturn]] void refuse(const char* key, const char* wanted) const;

  const reproduce::Value* value_;
  std::string path_;
};

}  // namespace bb::binding
