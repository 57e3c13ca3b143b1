#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "device.hpp"

namespace bb::cuda {

class Module;

/// Source of a workload's kernels where they lie in several images that are built on demand.
class MoreImages {
 public:
  virtual ~MoreImages() = default;
  /// The image that defines the kernel, compiled and loaded by now; null if none does.
  virtual const Module* with_kernel(std::string_view kernel) = 0;
  /// An image that has the BB_TUNABLE constant; null if none does.
  virtual const Module* with_tunable(std::string_view name) = 0;
  /// Compiles on several threads what these kernels need. Names that no image has are passed over.
  virtual void prepare(std::span<const std::string> kernels) = 0;
};

/// A loaded image of device code (fatbin, cubin or PTX), or the kernels of several under one name.
class Module {
 public:
  /// `name` is used in messages. Throws "unsupported" if the driver takes no part of the image, with the
  /// JIT compiler's log where there is one.
  Module(std::shared_ptr<Device> device, std::span<const char> image, const std::string& name);
  Module(std::shared_ptr<Device> device, std::unique_ptr<MoreImages> images, const std::string& name)
      : device_(std::move(device)), name_(name), images_(std::move(images)) {}
  Module(Module&& other) noexcept
      : device_(std::move(other.device_)),
        handle_(std::exchange(other.handle_, nullptr)),
        name_(std::move(other.name_)),
        images_(std::move(other.images_)),
        preferred_(std::move(other.preferred_)) {}
  Module& operator=(Module&&) = delete;
  ~Module();

  const std::shared_ptr<Device>& device() const { return device_; }
  const std::string& name() const { return name_; }

  /// Looks for kernels and variables in `other` first from now on: a user kernel replaces its namesake here.
  void prefer(Module other) { preferred_ = std::make_unique<Module>(std::move(other)); }

  /// The kernel of that (extern "C") name. Throws "invalid" if there is none.
  api::Function function(const char* name) const;

  /// Announces kernels that will be requested, so that those that must be compiled are compiled concurrently.
  void prepare(std::span<const std::string> kernels) const;

  /// Address and size of the __device__ or __constant__ variable that `kernel` reads: each image has variables of its own.
  /// Throws "invalid" if there is none of that name.
  std::pair<api::DevicePointer, std::size_t> global(const char* variable, const char* kernel) const;

  /// Value of a BB_TUNABLE constant in the kernels of this module; `usual` if they do not define it.
  int tunable(const char* name, int usual) const;

 private:
  std::shared_ptr<Device> device_;
  api::Module handle_ = nullptr;
  std::string name_;
  std::unique_ptr<MoreImages> images_;
  std::unique_ptr<Module> preferred_;
};

}  // namespace bb::cuda
