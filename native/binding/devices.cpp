#include "devices.hpp"

#include <optional>
#include <string>

#include "../cuda/compile/runtime_compiler.hpp"
#include "../cuda/report/device_report.hpp"

namespace bb::binding {
namespace {

Napi::Value parse_json(Napi::Env env, const std::string& text) {
  const Napi::Object json = env.Global().Get("JSON").As<Napi::Object>();
  return json.Get("parse").As<Napi::Function>().Call(json, {Napi::String::New(env, text)});
}

/// The string at `key` of an options object; "" if it is not given. Throws a TypeError for another type.
std::string text_option(const Napi::CallbackInfo& info, const char* key) {
  if (info.Length() == 0 || !info[0].IsObject()) return "";
  const Napi::Value value = info[0].As<Napi::Object>().Get(key);
  if (value.IsUndefined() || value.IsNull()) return "";
  if (!value.IsString()) throw Napi::TypeError::New(info.Env(), std::string(key) + " is a string");
  return value.As<Napi::String>();
}

/// node-addon-api's paths are UTF-8; Windows would read a narrow string in its code page.
std::filesystem::path path_option(const Napi::CallbackInfo& info, const char* key) {
  const std::string text = text_option(info, key);
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

class CeilingsWorker : public Napi::AsyncWorker {
 public:
  CeilingsWorker(const Napi::CallbackInfo& info)
      : AsyncWorker(info.Env()),
        deferred_(Napi::Promise::Deferred::New(info.Env())),
        selector_(text_option(info, "device")),
        folders_{path_option(info, "images"), path_option(info, "sources"), path_option(info, "cache")},
        force_(info.Length() > 0 && info[0].IsObject() && info[0].As<Napi::Object>().Get("force").ToBoolean()) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override {
    try {
      const auto device = cuda::Device::open(cuda::select_device(cuda::list_devices(), selector_));
      const cuda::CeilingsCache cache(folders_.cache);
      std::optional<cuda::Ceilings> ceilings;
      if (!force_) ceilings = cache.find(device->info().uuid, cuda::driver_version());
      if (!ceilings) {
        ceilings = cuda::measure_ceilings(device, folders_);
        cache.keep(device->info().uuid, *ceilings);
      }
      json_ = cuda::to_json(*ceilings).text();
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
  std::string selector_;
  cuda::KernelFolders folders_;
  bool force_;
  std::string json_, code_;
};

}  // namespace

Napi::Value devices(const Napi::CallbackInfo& info) {
  const cuda::CeilingsCache cache(path_option(info, "cache"));
  return parse_json(info.Env(), cuda::to_json(cuda::make_device_report(cache)).text());
}

Napi::Value measure_ceilings(const Napi::CallbackInfo& info) {
  auto* worker = new CeilingsWorker(info);  // deletes itself when done, as AsyncWorker is made to
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace bb::binding
