#include "machine.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::binding {
namespace {

/// "a,b" → ["a", "b"]
Napi::Array split_names(Napi::Env env, std::string_view names) {
  Napi::Array out = Napi::Array::New(env);
  uint32_t n = 0;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    out.Set(n++, Napi::String::New(env, std::string(names.substr(0, comma))));
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
  }
  return out;
}

}  // namespace

Napi::Value build_info(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Object out = Napi::Object::New(env);
  out.Set("version", BB_VERSION);
  out.Set("compiler", BB_COMPILER);
  out.Set("build", BB_BUILD);
  out.Set("isas", split_names(env, BB_ISA_NAMES));
  return out;
}

Napi::Value machine(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Object out = Napi::Object::New(env);
  out.Set("cpu", cpu::processor_name());
  out.Set("logicalCores", static_cast<double>(std::thread::hardware_concurrency()));
  out.Set("isa", cpu::instruction_set_name());
  out.Set("memoryBytes", cpu::memory_bytes());
  out.Set("os", cpu::operating_system());
  return out;
}

}  // namespace bb::binding
