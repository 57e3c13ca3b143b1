#include "devices.hpp"

#include <optional>
#include <string>

#include "cuda/opened/opened_device.hpp"
#include "cuda/report/device_report.hpp"
#include "json_worker.hpp"

namespace bb::binding {
namespace {

cuda::Ceilings ceilings_of(const std::string& selector, const cuda::KernelFolders& folders, bool force) {
  const auto device = cuda::open_device(selector);
  const cuda::CeilingsCache cache(folders.cache);
  if (!force) {
    if (const auto kept = cache.find(device->info().uuid, cuda::driver_version())) return *kept;
  }
  const cuda::Ceilings measured = cuda::measure_ceilings(device, folders);
  cache.keep(device->info().uuid, measured);
  return measured;
}

}  // namespace

Napi::Value clock_state(const Napi::CallbackInfo& info) {
  const auto monitor = cuda::ClockMonitor::open(text_option(info, "device"));
  return monitor ? parse_json(info.Env(), cuda::to_json(monitor->read()).text()) : info.Env().Null();
}

Napi::Value lock_clocks(const Napi::CallbackInfo& info) {
  const Napi::Value mhz = info[0].As<Napi::Object>().Get("sm_MHz");
  const auto monitor = cuda::ClockMonitor::open(text_option(info, "device"));
  std::string why = "NVML is missing, or does not know the device";
  if (monitor) why = mhz.IsNumber() ? monitor->lock(mhz.As<Napi::Number>().Uint32Value()) : monitor->unlock();
  return why.empty() ? info.Env().Null() : Napi::Value(Napi::String::New(info.Env(), why));
}

Napi::Value devices(const Napi::CallbackInfo& info) {
  const cuda::CeilingsCache cache(path_option(info, "cache"));
  return parse_json(info.Env(), cuda::to_json(cuda::make_device_report(cache)).text());
}

Napi::Value driver_devices(const Napi::CallbackInfo& info) {
  return parse_json(info.Env(), cuda::cuda_json(cuda::make_driver_report()).text());
}

Napi::Value warm_kernels(const Napi::CallbackInfo& info) {
  return promise_json(info.Env(), [selector = text_option(info, "device"), workload = text_option(info, "workload")] {
    const auto counts = cuda::warm_kernels(selector, workload);
    if (!counts) return std::string("null");
    return cuda::JsonObject()
        .set("pieces", counts->pieces)
        .set("compiled", counts->compiled)
        .set("from_cache", counts->from_cache)
        .set("compile_s", counts->compile_s)
        .text();
  });
}

Napi::Value measure_ceilings(const Napi::CallbackInfo& info) {
  const bool force = info.Length() > 0 && info[0].IsObject() && info[0].As<Napi::Object>().Get("force").ToBoolean();
  return promise_json(info.Env(), [selector = text_option(info, "device"), folders = folder_options(info), force] {
    return cuda::to_json(ceilings_of(selector, folders, force)).text();
  });
}

}  // namespace bb::binding
