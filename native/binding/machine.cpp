#include <optional>
#include <string>
#include <vector>

#include "addon.hpp"
#include "build_config.hpp"
#include "convert.hpp"
#include "cpu/host.hpp"
#include "cuda/opened/opened_device.hpp"
#include "cuda/report/device_report.hpp"
#include "cuda/report/kernel_occupancy.hpp"
#include "job.hpp"

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
  out.Set("logicalCores", static_cast<double>(cpu::usable_cores()));
  out.Set("isa", cpu::instruction_set_name());
  out.Set("memoryBytes", cpu::memory_bytes());
  out.Set("lastLevelCacheBytes", static_cast<double>(cpu::last_level_bytes()));
  out.Set("os", cpu::operating_system());
  return out;
}

Napi::Value memory_read_rate(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), cpu::memory_read_rate());
}

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
  std::string why = "NVML is missing, or does not report this device";
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

namespace {

Napi::Array array_option(const Napi::CallbackInfo& info, const char* key) {
  const Napi::Value value = info[0].As<Napi::Object>().Get(key);
  if (!value.IsArray()) throw Napi::TypeError::New(info.Env(), std::string(key) + " is an array");
  return value.As<Napi::Array>();
}

}  // namespace

Napi::Value kernel_occupancy(const Napi::CallbackInfo& info) {
  if (info.Length() != 1 || !info[0].IsObject()) {
    throw Napi::TypeError::New(info.Env(), "kernelOccupancy: expected an object of options");
  }
  const Napi::Array names = array_option(info, "kernels"), sizes = array_option(info, "threads");
  std::vector<std::string> kernels;
  std::vector<unsigned> threads;
  for (std::uint32_t i = 0; i < names.Length(); ++i) kernels.push_back(names.Get(i).ToString());
  for (std::uint32_t i = 0; i < sizes.Length(); ++i) threads.push_back(sizes.Get(i).ToNumber().Uint32Value());
  const unsigned dynamic_bytes = info[0].As<Napi::Object>().Get("dynamic_bytes").ToNumber().Uint32Value();
  return promise_json(info.Env(), [selector = text_option(info, "device"), folders = folder_options(info),
                                   workload = text_option(info, "workload"), kernels, threads, dynamic_bytes] {
    const auto device = cuda::open_device(selector);
    std::vector<cuda::JsonObject> out;
    for (const auto& one : cuda::kernel_occupancy(device, folders, workload, kernels, threads, dynamic_bytes)) {
      out.push_back(cuda::to_json(one));
    }
    return cuda::json_list(out);
  });
}

}  // namespace bb::binding
