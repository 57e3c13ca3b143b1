#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "device.hpp"

namespace bb::cuda {

/// A loaded image of device code (fatbin, cubin or PTX).
class Module {
 public:
  /// `name` is used in messages. Throws "unsupported" if the driver takes no part of the image, with the
  /// JIT compiler's log where there is one.
  Module(std::shared_ptr<Device> device, std::span<const char> image, const std::string& name);
  Module(Module&& other) noexcept
      : device_(std::move(other.device_)),
        handle_(std::exchange(other.handle_, nullptr)),
        name_(std::move(other.name_)),
        preferred_(std::move(other.preferred_)) {}
  Module& operator=(Module&&) = delete;
  ~Module();

  const std::shared_ptr<Device>& device() const { return device_; }
  const std::string& name() const { return name_; }

  /// From now on kernels and variables are looked for in `other` first: one of a user's stands in for its namesake here.
  void prefer(Module other) { preferred_ = std::make_unique<Module>(std::move(other)); }

  /// The kernel of that (extern "C") name. Throws "invalid" if there is none.
  api::Function function(const char* name) const;

  /// Address and size of a __device__ or __constant__ variable. Throws "invalid" if there is none of that name.
  std::pair<api::DevicePointer, std::size_t> global(const char* variable) const;

  /// What a BB_TUNABLE constant is in the kernels of this module; `usual` where they do not say.
  int tunable(const char* name, int usual) const;

 private:
  std::shared_ptr<Device> device_;
  api::Module handle_ = nullptr;
  std::string name_;
  std::unique_ptr<Module> preferred_;
};

}  // namespace bb::cuda
