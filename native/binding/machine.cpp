#include "machine.hpp"

#include <thread>

#include "build_config.hpp"
#include "convert.hpp"
#include "cpu/caches.hpp"
#include "cpu/host.hpp"

namespace bb::binding {
Napi::Value build_info(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Object out = Napi::Object::New(env);
  out.Set("version", BB_VERSION);
  out.Set("compiler", BB_COMPILER);
  out.Set("build", BB_BUILD);
  out.Set("isas", text_array(env, cpu::compiled_instruction_sets()));
  return out;
}

Napi::Value machine(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Object out = Napi::Object::New(env);
  out.Set("cpu", cpu::processor_name());
  out.Set("logicalCores", static_cast<double>(std::thread::hardware_concurrency()));
  out.Set("isa", cpu::instruction_set_name());
  out.Set("memoryBytes", cpu::memory_bytes());
  out.Set("lastLevelCacheBytes", static_cast<double>(cpu::last_level_bytes()));
  out.Set("os", cpu::operating_system());
  return out;
}

Napi::Value memory_read_rate(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), cpu::memory_read_rate());
}

}  // namespace bb::binding
