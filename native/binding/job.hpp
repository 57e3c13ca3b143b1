#pragma once

#include <napi.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "convert.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "engine/measuring.hpp"
#include "engine/problem_error.hpp"

// Native work on separate threads, and helpers shared by the bindings of all workloads.
namespace bb::binding {

/// Makes a JavaScript object from a progress report; called on the JavaScript thread.
using ProgressReport = std::function<Napi::Object(Napi::Env)>;

/// Work on a separate thread, and the promise that it settles. The owner must keep the job alive until the promise is
/// settled; the destructor waits for the thread.
class Job {
 public:
  /// Passes a progress report to JavaScript without waiting; called on the thread of the work.
  using ReportProgress = std::function<void(ProgressReport)>;

  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    if (thread_.joinable()) thread_.join();
  }

  /// Runs `work`; its exceptions reject the promise, with the message `no_memory` for std::bad_alloc. Afterwards
  /// `answer` makes the value of the promise on the JavaScript thread. Both functions and their captures live until
  /// then.
  Napi::Promise start(Napi::Env env, const Napi::Value& on_progress, const char* no_memory,
                      std::function<void(const ReportProgress&)> work, std::function<Napi::Value(Napi::Env)> answer);
  /// True from start() until the promise is settled; start() must not be called again before.
  bool running() const { return running_; }
  /// True once the work has finished without an error.
  bool succeeded() const { return succeeded_; }

 private:
  struct Failure {
    std::string code, message;  // empty if there was no failure
  };
  static Failure attempt(const std::function<void()>& work, const char* no_memory);

  std::thread thread_;
  bool running_ = false, succeeded_ = false;
};

/// Runs `work` synchronously; errors become JavaScript errors with a code.
template <typename F>
auto with_coded_errors(Napi::Env env, const char* no_memory, F&& work) {
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

/// Array of {name, seconds}.
Napi::Array setup_parts_array(Napi::Env env, const std::vector<engine::SetupPart>& parts);

/// Fields of variants of every workload: {id, workload, title, changes, buildsOn, device, source, available, reason}.
/// The fields `available` and `reason` query the driver only when they are read, so that listing variants opens no
/// device.
template <typename Variant>
Napi::Object variant_object(Napi::Env env, const char* workload, const Variant& v) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("id", v.id);
  out.Set("workload", workload);
  out.Set("bench", "");  // set by the caller for workloads with several benches
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

/// Returns the string at `key` of the first argument, an options object; "" if it is missing. Throws a TypeError for
/// another type.
std::string text_option(const Napi::CallbackInfo& info, const char* key);

/// Like text_option, but returns a path. node-addon-api's strings are UTF-8, while Windows would read a narrow string
/// in its code page.
std::filesystem::path path_option(const Napi::CallbackInfo& info, const char* key);

/// Reads the options `images`, `sources` and `cache`.
cuda::KernelFolders folder_options(const Napi::CallbackInfo& info);

/// Parses JSON text to a JavaScript value.
Napi::Value parse_json(Napi::Env env, const std::string& text);

/// A promise of the value of the JSON text that `work` returns. `work` runs on a libuv thread and may throw. The
/// promise then rejects with an Error whose `code` is that of a cuda::Error, or 'unsupported' for other exceptions.
Napi::Promise promise_json(Napi::Env env, std::function<std::string()> work);

}  // namespace bb::binding
