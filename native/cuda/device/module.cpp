#include "module.hpp"

#include <array>

namespace bb::cuda {

Module::Module(std::shared_ptr<Device> device, std::span<const char> image, const std::string& name)
    : device_(std::move(device)), name_(name) {
  device_->make_current();
  std::array<char, 8192> log{};
  std::array<api::JitOption, 2> options{api::JitOption::kErrorLogBuffer, api::JitOption::kErrorLogBufferSize_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const api::Status status =
      driver().ModuleLoadDataEx(&handle_, image.data(), options.size(), options.data(), values.data());
  switch (status) {
    case api::status::kSuccess:
      return;
    case api::status::kInvalidImage:
    case api::status::kNoBinaryForGpu:
    case api::status::kInvalidPtx:
    case api::status::kUnsupportedPtxVersion:
      throw Error("unsupported", "The kernels of " + name_ + " do not load on " + device_->info().label() + ": " +
                                     status_name(status) + ", " + status_text(status) +
                                     (log[0] ? "; " + std::string(log.data()) : std::string()) + ".");
    default:
      device_->check(status, "cuModuleLoadDataEx");
  }
}

Module::~Module() {
  if (!handle_) return;
  driver().CtxSetCurrent(device_->context());
  driver().ModuleUnload(handle_);
}

api::Function Module::function(const char* name) const {
  api::Function found = nullptr;
  if (preferred_ && driver().ModuleGetFunction(&found, preferred_->handle_, name) == api::status::kSuccess) {
    return found;
  }
  const api::Status status = driver().ModuleGetFunction(&found, handle_, name);
  if (status == api::status::kNotFound)
    throw Error("invalid", "The kernels of " + name_ + " hold no kernel " + name + ".");
  device_->check(status, "cuModuleGetFunction", name);
  return found;
}

std::pair<api::DevicePointer, std::size_t> Module::global(const char* variable) const {
  api::DevicePointer pointer = 0;
  std::size_t bytes = 0;
  if (preferred_ &&
      driver().ModuleGetGlobal(&pointer, &bytes, preferred_->handle_, variable) == api::status::kSuccess) {
    return {pointer, bytes};
  }
  const api::Status status = driver().ModuleGetGlobal(&pointer, &bytes, handle_, variable);
  if (status == api::status::kNotFound)
    throw Error("invalid", "The kernels of " + name_ + " hold no variable " + variable + ".");
  device_->check(status, "cuModuleGetGlobal_v2");
  return {pointer, bytes};
}

int Module::tunable(const char* name, int usual) const {
  const std::string variable = std::string("bb_tunable_") + name;
  api::DevicePointer pointer = 0;
  std::size_t bytes = 0;
  for (const api::Module handle : {preferred_ ? preferred_->handle_ : nullptr, handle_}) {
    if (!handle) continue;
    if (driver().ModuleGetGlobal(&pointer, &bytes, handle, variable.c_str()) == api::status::kSuccess) {
      return static_cast<int>(bytes);
    }
  }
  return usual;
}

}  // namespace bb::cuda
