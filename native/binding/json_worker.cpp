#include "json_worker.hpp"

#include "cuda/device/error.hpp"

namespace bb::binding {
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
    } catch (const std::exception& error) {  // a kernel source that does not compile
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
  auto* worker = new JsonWorker(env, std::move(work));  // deletes itself when done, as AsyncWorker is made to
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace bb::binding
