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
  if (images_) {
    if (const Module* const image = images_->with_kernel(name)) return image->function(name);
    throw Error("invalid", "The kernels of " + name_ + " hold no kernel " + name + ".");
  }
  const api::Status status = driver().ModuleGetFunction(&found, handle_, name);
  if (status == api::status::kNotFound)
    throw Error("invalid", "The kernels of " + name_ + " hold no kernel " + name + ".");
  device_->check(status, "cuModuleGetFunction", name);
  return found;
}

void Module::prepare(std::span<const std::string> kernels) const {
  if (images_) images_->prepare(kernels);
}

std::pair<api::DevicePointer, std::size_t> Module::global(const char* variable, const char* kernel) const {
  api::Function found = nullptr;
  if (preferred_ && driver().ModuleGetFunction(&found, preferred_->handle_, kernel) == api::status::kSuccess) {
    return preferred_->global(variable, kernel);
  }
  if (images_) {
    if (const Module* const image = images_->with_kernel(kernel)) return image->global(variable, kernel);
    throw Error("invalid", "The kernels of " + name_ + " hold no kernel " + kernel + ".");
  }
  api::DevicePointer pointer = 0;
  std::size_t bytes = 0;
  const api::Status status = driver().ModuleGetGlobal(&pointer, &bytes, handle_, variable);
  if (status == api::status::kNotFound)
    throw Error("invalid", "The kernels of " + name_ + " hold no variable " + variable + ".");
  device_->check(status, "cuModuleGetGlobal_v2");
  return {pointer, bytes};
}

int Module::tunable(const char* name, int usual) const {
  const std::string variable = std::string("bb_tunable_") + name;
  const Module* const image = images_ ? images_->with_tunable(name) : nullptr;
  for (const api::Module handle : {preferred_ ? preferred_->handle_ : nullptr, image ? image->handle_ : handle_}) {
    if (!handle) continue;
    api::DevicePointer pointer = 0;
    std::size_t bytes = 0;
    if (driver().ModuleGetGlobal(&pointer, &bytes, handle, variable.c_str()) == api::status::kSuccess) {
      return static_cast<int>(bytes);
    }
  }
  return usual;
}

}  // namespace bb::cuda
