#include <napi.h>

#include <string>
#include <string_view>

#include "build_config.hpp"

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

/// How this binary was made: version, compiler, build type, instruction sets compiled in.
Napi::Value build_info(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Object out = Napi::Object::New(env);
  out.Set("version", BB_VERSION);
  out.Set("compiler", BB_COMPILER);
  out.Set("build", BB_BUILD);
  out.Set("isas", split_names(env, BB_ISA_NAMES));
  return out;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("buildInfo", Napi::Function::New(env, build_info, "buildInfo"));
  return exports;
}

}  // namespace

NODE_API_MODULE(braggbench, init)
