#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "convert.hpp"
#include "engine/problem_error.hpp"
#include "engine/setup_part.hpp"

// Native work on threads of its own, and what the workloads' bindings say alike.
namespace bb::binding {

/// Makes a JavaScript object of a progress; called on JavaScript's thread.
using Telling = std::function<Napi::Object(Napi::Env)>;

/// One piece of work on a thread of its own, and the promise that it settles. Whoever makes it keeps it alive
/// until `settle` was called; its destructor waits for the thread.
class Job {
 public:
  /// Called in the work's thread: passes a progress on to JavaScript, without waiting.
  using Tell = std::function<void(Telling)>;

  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    if (thread_.joinable()) thread_.join();
  }

  /// Runs `work`, whose exceptions become the rejection; `no_memory` is said of std::bad_alloc. Then, on JavaScript's
  /// thread, `answer` makes what the promise is resolved with. Both keep alive what they hold until then.
  Napi::Promise start(Napi::Env env, const Napi::Value& on_progress, const char* no_memory,
                      std::function<void(const Tell&)> work, std::function<Napi::Value(Napi::Env)> answer);
  /// From start() until the promise is settled; another start() has to wait for that.
  bool running() const { return running_; }
  /// Whether the work is over and did not fail.
  bool succeeded() const { return succeeded_; }

 private:
  struct Failure {
    std::string code, message;  // no code: none
  };
  static Failure attempt(const std::function<void()>& work, const char* no_memory);

  std::thread thread_;
  bool running_ = false, succeeded_ = false;
};

/// Does `work` now; what it refuses leaves as a JavaScript error with a code.
template <typename F>
auto refusing(Napi::Env env, const char* no_memory, F&& work) {
  try {
    return work();
  } catch (const ProblemError& error) {
    throw coded_error(env, error.code(), error.what());
  } catch (const std::invalid_argument& error) {
    throw coded_error(env, "invalid", error.what());
  } catch (const std::bad_alloc&) {
    throw coded_error(env, "memory", no_memory);
  }
}

/// [{name, seconds}]
Napi::Array setup_parts_array(Napi::Env env, const std::vector<engine::SetupPart>& parts);

/// Fields that variants of every workload have: {id, workload, title, changes, buildsOn, device, source, available,
/// reason}. The last two query the driver and its libraries only when they are read, so that listing variants opens no
/// device.
template <typename Variant>
Napi::Object variant_object(Napi::Env env, const char* workload, const Variant& v) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("id", v.id);
  out.Set("workload", workload);
  out.Set("bench", "");  // of a workload that has several the caller says it
  out.Set("title", v.title);
  out.Set("changes", v.changes);
  out.Set("buildsOn", *v.builds_on != '\0' ? Napi::Value(Napi::String::New(env, v.builds_on)) : env.Null());
  out.Set("device", v.device);
  out.Set("source", v.source);
  const auto why_not = v.unavailable;
  const auto available = [why_not](const Napi::CallbackInfo& call) {
    return Napi::Boolean::New(call.Env(), why_not().empty());
  };
  const auto reason = [why_not](const Napi::CallbackInfo& call) -> Napi::Value {
    const std::string text = why_not();
    return text.empty() ? call.Env().Null() : Napi::Value(Napi::String::New(call.Env(), text));
  };
  out.DefineProperties({Napi::PropertyDescriptor::Accessor(env, out, "available", available, napi_enumerable),
                        Napi::PropertyDescriptor::Accessor(env, out, "reason", reason, napi_enumerable)});
  return out;
}

}  // namespace bb::binding
