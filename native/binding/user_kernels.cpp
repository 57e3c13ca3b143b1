#include "addon.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "convert.hpp"
#include "cpu/memory.hpp"
#include "cpu/user_library.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "cuda/compile/runtime_compiler.hpp"
#include "cuda/device/error.hpp"
#include "cuda/loader/libraries.hpp"
#include "cuda/opened/opened_device.hpp"
#include "engine/problem_error.hpp"

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace bb::binding {
namespace {

Fields fields_of(const Napi::CallbackInfo& info, const char* name) {
  if (info.Length() < 1 || !info[0].IsObject()) {
    throw Napi::TypeError::New(info.Env(), std::string(name) + ": expected an object");
  }
  return {info[0].As<Napi::Object>(), name};
}

/// Architecture of the selected GPU. Without a GPU, only the compiler's messages are needed, and `otherwise` is
/// returned.
int architecture_of(const std::string& selector, int otherwise) {
  try {
    return cuda::chosen_device(selector).architecture();
  } catch (const cuda::Error&) {
    return otherwise;
  }
}

/// Makes orphaned processes of user code children of this process, so that the host can find and end them.
void adopt_orphans() {
#if defined(__linux__)
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

/// Prints the output of user code line by line, because its process may end abruptly.
void print_by_lines() { std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); }

}  // namespace

Napi::Value load_user_library(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsString()) throw Napi::TypeError::New(env, "loadUserLibrary: expected a path");
  print_by_lines();
  adopt_orphans();
  try {
    cpu::use_user_library(info[0].As<Napi::String>().Utf8Value());
  } catch (const ProblemError& error) {
    throw coded_error(env, error.code(), error.what());
  }
  return env.Undefined();
}

Napi::Value load_user_kernels(const Napi::CallbackInfo& info) {
  const Fields of = fields_of(info, "loadUserKernels");
  print_by_lines();
  adopt_orphans();
  const std::vector<std::uint8_t> image = of.bytes("image");
  cuda::use_user_kernels({of.text("workload"), of.text("name"), std::string(image.begin(), image.end())});
  return info.Env().Undefined();
}

Napi::Value compile_user_kernels(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Fields of = fields_of(info, "compileUserKernels");
  const cuda::LibraryState& nvrtc = cuda::nvrtc_library().state;
  if (!nvrtc.available) {
    throw coded_error(env, "unsupported", of.text("name") + " cannot be compiled on this machine: " + nvrtc.reason);
  }
  const cuda::Replacement replaced{of.text("replaced"), of.text("text"), of.text("name")};
  const std::string selector = of.has("device") ? of.text("device") : "";
  const std::vector<std::string> options = of.has("options") ? of.texts("options") : std::vector<std::string>();
  const std::string target = of.has("target") ? of.text("target") : "";
  const cuda::CompileRequest request{
      of.text("main"), of.text("root"), architecture_of(selector, of.integer("architecture")),
      options,         &replaced,       target};
  try {
    const cuda::CompiledImage compiled =
        cuda::compile_at_run_time(cuda::nvrtc_library().api, request, cuda::ImageCache(of.text("cache")));
    Napi::Object out = Napi::Object::New(env);
    out.Set("image", Napi::Buffer<char>::Copy(env, compiled.image.data(), compiled.image.size()));
    out.Set("log", compiled.log);
    out.Set("fromCache", compiled.from_cache);
    return out;
  } catch (const cuda::CompileError& error) {
    const Napi::Error thrown = coded_error(env, "invalid", error.what());
    thrown.Value().Set("log", error.log());
    throw thrown;
  } catch (const std::runtime_error& error) {
    throw coded_error(env, "unsupported", error.what());
  }
}

Napi::Value flush_output(const Napi::CallbackInfo& info) {
  std::fflush(nullptr);
  return info.Env().Undefined();
}

Napi::Value limit_memory(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsNumber())
    throw Napi::TypeError::New(env, "limitMemory: expected a number of bytes");
  return Napi::Boolean::New(env,
                            cpu::limit_memory(static_cast<std::uint64_t>(info[0].As<Napi::Number>().DoubleValue())));
}

}  // namespace bb::binding
