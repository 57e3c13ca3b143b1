#pragma once

#include <napi.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

// Conversions between JavaScript and C++. All data are copied, because Electron's V8 memory cage rejects ArrayBuffers
// over native memory.
namespace bb::binding {

/// An object whose required fields are read by name; a missing or mistyped one throws a TypeError
/// that names its path.
class Fields {
 public:
  Fields(Napi::Object object, std::string path) : object_(object), path_(std::move(path)) {}

  double number(const char* key) const;
  int integer(const char* key) const;
  std::string text(const char* key) const;
  /// Copy of a long text, shared by all callers that read the same string under this name. Identical string objects are
  /// recognized at once. Converting some hundred kilobytes would take as long as a beam by moments.
  std::shared_ptr<const std::string> shared_text(const char* key, const std::string& name) const;
  bool flag(const char* key) const;
  Fields child(const char* key) const;
  std::vector<Fields> list(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<double> doubles(const char* key) const;  // Float64Array
  /// Like `doubles`, but without a copy; valid only during the call.
  std::span<const double> view_of_doubles(const char* key) const;
  std::vector<std::uint8_t> bytes(const char* key) const;  // Uint8Array
  /// Names of all fields.
  std::vector<std::string> names() const;
  bool has(const char* key) const { return object_.Has(key) && !object_.Get(key).IsUndefined(); }
  const std::string& path() const { return path_; }

 private:
  Napi::Value get(const char* key) const;
  [[noreturn]] void refuse(const char* key, const char* wanted) const;

  Napi::Object object_;
  std::string path_;
};

/// Returns the first argument of a call; throws a TypeError with the message `expected` if it is not an object.
Napi::Object object_argument(const Napi::CallbackInfo& info, const char* expected);

Napi::Float64Array to_array(Napi::Env env, std::span<const double> values);
Napi::Float32Array to_array(Napi::Env env, std::span<const float> values);

Napi::Array text_array(Napi::Env env, std::span<const std::string> texts);

/// A JavaScript Error with a `code` property.
Napi::Error coded_error(Napi::Env env, const std::string& code, const std::string& message);

}  // namespace bb::binding
