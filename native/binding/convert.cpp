#include "convert.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace bb::binding {

void Fields::refuse(const char* key, const char* wanted) const {
  throw Napi::TypeError::New(object_.Env(), path_ + "." + key + ": expected " + wanted);
}

Napi::Value Fields::get(const char* key) const { return object_.Get(key); }

double Fields::number(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsNumber()) refuse(key, "a number");
  const double value = v.As<Napi::Number>().DoubleValue();
  if (!std::isfinite(value)) refuse(key, "a finite number");
  return value;
}

int Fields::integer(const char* key) const {
  const double value = number(key);
  if (value != std::floor(value) || std::abs(value) > 2147483647.0) refuse(key, "an integer");
  return static_cast<int>(value);
}

std::string Fields::text(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsString()) refuse(key, "a string");
  return v.As<Napi::String>().Utf8Value();
}

namespace {

/// A JavaScript string and its C++ copy.
struct CopiedText {
  // Node itself deletes remaining references together with the environment, before the thread ends.
  ~CopiedText() { holder.SuppressDestruct(); }

  Napi::ObjectReference holder;  // has the text, because references to strings are not possible
  std::shared_ptr<const std::string> copy;
};

}  // namespace

std::shared_ptr<const std::string> Fields::shared_text(const char* key, const std::string& name) const {
  constexpr std::size_t kMaxTexts = 64;
  thread_local std::map<std::string, CopiedText> of_thread;  // by name
  const Napi::Value value = get(key);
  if (of_thread.size() >= kMaxTexts) of_thread.clear();
  CopiedText& known = of_thread[name];
  if (known.copy && known.holder.Get("text").StrictEquals(value)) return known.copy;
  known.copy = std::make_shared<const std::string>(text(key));
  Napi::Object holder = Napi::Object::New(value.Env());
  holder.Set("text", value);
  known.holder = Napi::Persistent(holder);
  return known.copy;
}

bool Fields::flag(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsBoolean()) refuse(key, "true or false");
  return v.As<Napi::Boolean>().Value();
}

std::vector<std::string> Fields::names() const {
  const Napi::Array all = object_.GetPropertyNames();
  std::vector<std::string> out;
  for (uint32_t i = 0; i < all.Length(); ++i) out.push_back(all.Get(i).ToString());
  return out;
}

Fields Fields::child(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsObject()) refuse(key, "an object");
  return {v.As<Napi::Object>(), path_ + "." + key};
}

std::vector<Fields> Fields::list(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsArray()) refuse(key, "an array");
  const Napi::Array array = v.As<Napi::Array>();
  std::vector<Fields> out;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value item = array.Get(i);
    if (!item.IsObject()) refuse(key, "an array of objects");
    out.emplace_back(item.As<Napi::Object>(), path_ + "." + key + "[" + std::to_string(i) + "]");
  }
  return out;
}

std::vector<std::string> Fields::texts(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsArray()) refuse(key, "an array");
  const Napi::Array array = v.As<Napi::Array>();
  std::vector<std::string> out;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value item = array.Get(i);
    if (!item.IsString()) refuse(key, "an array of texts");
    out.push_back(item.As<Napi::String>().Utf8Value());
  }
  return out;
}

std::span<const double> Fields::view_of_doubles(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsTypedArray() || v.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array)
    refuse(key, "a Float64Array");
  const Napi::Float64Array array = v.As<Napi::Float64Array>();
  return {array.Data(), array.ElementLength()};
}

std::vector<double> Fields::doubles(const char* key) const {
  const std::span<const double> all = view_of_doubles(key);
  return {all.begin(), all.end()};
}

std::vector<std::uint8_t> Fields::bytes(const char* key) const {
  const Napi::Value v = get(key);
  if (!v.IsTypedArray() || v.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) refuse(key, "a Uint8Array");
  const Napi::Uint8Array array = v.As<Napi::Uint8Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

Napi::Object object_argument(const Napi::CallbackInfo& info, const char* expected) {
  if (info.Length() < 1 || !info[0].IsObject()) throw Napi::TypeError::New(info.Env(), expected);
  return info[0].As<Napi::Object>();
}

Napi::Float64Array to_array(Napi::Env env, std::span<const double> values) {
  Napi::Float64Array out = Napi::Float64Array::New(env, values.size());
  if (!values.empty()) std::memcpy(out.Data(), values.data(), values.size_bytes());
  return out;
}

Napi::Float32Array to_array(Napi::Env env, std::span<const float> values) {
  Napi::Float32Array out = Napi::Float32Array::New(env, values.size());
  if (!values.empty()) std::memcpy(out.Data(), values.data(), values.size_bytes());
  return out;
}

Napi::Array text_array(Napi::Env env, std::span<const std::string> texts) {
  Napi::Array out = Napi::Array::New(env, texts.size());
  for (uint32_t i = 0; i < texts.size(); ++i) out.Set(i, texts[i]);
  return out;
}

Napi::Error coded_error(Napi::Env env, const std::string& code, const std::string& message) {
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", Napi::String::New(env, code));
  return error;
}

}  // namespace bb::binding
