#include "occupancy.hpp"

#include <string>
#include <vector>

#include "cuda/opened/opened_device.hpp"
#include "cuda/report/kernel_occupancy.hpp"
#include "json_worker.hpp"

namespace bb::binding {
namespace {

Napi::Array array_option(const Napi::CallbackInfo& info, const char* key) {
  const Napi::Value value = info[0].As<Napi::Object>().Get(key);
  if (!value.IsArray()) throw Napi::TypeError::New(info.Env(), std::string(key) + " is an array");
  return value.As<Napi::Array>();
}

}  // namespace

Napi::Value kernel_occupancy(const Napi::CallbackInfo& info) {
  if (info.Length() != 1 || !info[0].IsObject()) {
    throw Napi::TypeError::New(info.Env(), "kernelOccupancy takes one object of options");
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
