#include "job.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include "cpu/host.hpp"
#include "cuda/device/error.hpp"
#include "cuda/opened/opened_device.hpp"

namespace bb::binding {

Job::Failure Job::attempt(const std::function<void()>& work, const char* no_memory) {
  try {
    cuda::on_device(work);
    return {};
  } catch (const ProblemError& error) {
    return {error.code(), error.what()};
  } catch (const std::invalid_argument& error) {
    return {"invalid", error.what()};
  } catch (const std::bad_alloc&) {
    return {"memory", no_memory};
  } catch (const std::exception& error) {
    return {"internal", error.what()};
  }
}

Napi::Promise Job::start(Napi::Env env, const Napi::Value& on_progress, const char* no_memory,
                         std::function<void(const ReportProgress&)> work,
                         std::function<Napi::Value(Napi::Env)> answer) {
  struct PendingJob {
    Napi::Promise::Deferred deferred;
    Job* job;
    std::function<Napi::Value(Napi::Env)> answer;
    Failure failure;
  };
  running_ = true;
  succeeded_ = false;
  auto* under = new PendingJob{Napi::Promise::Deferred::New(env), this, std::move(answer), {}};
  const Napi::Promise promise = under->deferred.Promise();
  const Napi::Function callback = on_progress.IsFunction() ? on_progress.As<Napi::Function>()
                                                           : Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
  Napi::ThreadSafeFunction to_script = Napi::ThreadSafeFunction::New(
      env, callback, "braggbench job", 0, 1, under, [](Napi::Env finish_env, PendingJob* u) {
        // Released at the end of the scope, because `answer` may own the last reference to the job.
        const std::unique_ptr<PendingJob> own(u);
        if (own->job->thread_.joinable()) own->job->thread_.join();
        own->job->running_ = false;
        own->job->succeeded_ = own->failure.code.empty();
        if (!own->failure.code.empty()) {
          own->deferred.Reject(coded_error(finish_env, own->failure.code, own->failure.message).Value());
          return;
        }
        // No exception may pass through Node's C code, not even one for lack of memory.
        try {
          own->deferred.Resolve(own->answer(finish_env));
        } catch (const Napi::Error& error) {
          own->deferred.Reject(error.Value());
        } catch (const std::exception& error) {
          own->deferred.Reject(coded_error(finish_env, "internal", error.what()).Value());
        }
      });
  auto run = [under, no_memory, to_script, work = std::move(work)]() mutable {
    cpu::lower_thread_priority();
    const ReportProgress tell = [&to_script](ProgressReport telling) {
      to_script.NonBlockingCall(
          [telling = std::move(telling)](Napi::Env call_env, Napi::Function to) { to.Call({telling(call_env)}); });
    };
    under->failure = attempt([&] { work(tell); }, no_memory);
    to_script.Release();
  };
  try {
    thread_ = std::thread(std::move(run));
  } catch (const std::system_error& error) {
    under->failure = {"memory", std::string("the operating system cannot start another thread: ") + error.what()};
    to_script.Release();
  }
  return promise;
}

Napi::Array setup_parts_array(Napi::Env env, const std::vector<engine::SetupPart>& parts) {
  Napi::Array out = Napi::Array::New(env, parts.size());
  for (uint32_t i = 0; i < parts.size(); ++i) {
    Napi::Object part = Napi::Object::New(env);
    part.Set("name", parts[i].name);
    part.Set("seconds", parts[i].seconds);
    out.Set(i, part);
  }
  return out;
}

namespace {

class JsonWorker : public Napi::AsyncWorker {
 public:
  JsonWorker(Napi::Env env, std::function<std::string()> work)
      : AsyncWorker(env), deferred_(Napi::Promise::Deferred::New(env)), work_(std::move(work)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override {
    try {
      json_ = work_();
    } catch (const cuda::Error& error) {
      code_ = error.code();
      SetError(error.what());
    } catch (const std::exception& error) {  // for example, a kernel source that does not compile
      code_ = "unsupported";
      SetError(error.what());
    }
  }

  void OnOK() override { deferred_.Resolve(parse_json(Env(), json_)); }

  void OnError(const Napi::Error& error) override {
    error.Value().Set("code", code_);
    deferred_.Reject(error.Value());
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::function<std::string()> work_;
  std::string json_, code_;
};

}  // namespace

std::string text_option(const Napi::CallbackInfo& info, const char* key) {
  if (info.Length() == 0 || !info[0].IsObject()) return "";
  const Napi::Value value = info[0].As<Napi::Object>().Get(key);
  if (value.IsUndefined() || value.IsNull()) return "";
  if (!value.IsString()) throw Napi::TypeError::New(info.Env(), std::string(key) + " is a string");
  return value.As<Napi::String>();
}

std::filesystem::path path_option(const Napi::CallbackInfo& info, const char* key) {
  const std::string text = text_option(info, key);
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

cuda::KernelFolders folder_options(const Napi::CallbackInfo& info) {
  return {path_option(info, "images"), path_option(info, "sources"), path_option(info, "cache")};
}

Napi::Value parse_json(Napi::Env env, const std::string& text) {
  const Napi::Object json = env.Global().Get("JSON").As<Napi::Object>();
  return json.Get("parse").As<Napi::Function>().Call(json, {Napi::String::New(env, text)});
}

Napi::Promise promise_json(Napi::Env env, std::function<std::string()> work) {
  auto* worker = new JsonWorker(env, std::move(work));  // deletes itself when finished, as AsyncWorker does
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace bb::binding
