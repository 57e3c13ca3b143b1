#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "device.hpp"
#include "stream.hpp"

namespace bb::cuda {

class Module;

/// Source of kernels for a workload with several images that are built on demand.
class OnDemandImages {
 public:
  virtual ~OnDemandImages() = default;
  /// Returns the image that defines the kernel, after compiling and loading it; null if none does.
  virtual const Module* with_kernel(std::string_view kernel) = 0;
  /// Returns an image that has the BB_TUNABLE constant; null if none does.
  virtual const Module* with_tunable(std::string_view name) = 0;
  /// Compiles the images of these kernels on several threads. Ignores names that no image has.
  virtual void prepare(std::span<const std::string> kernels) = 0;
};

/// A loaded image of device code (fatbin, cubin or PTX), or several images that are used like one.
class Module {
 public:
  /// `name` is used in messages. Throws "unsupported" if the driver accepts no part of the image, with the JIT
  /// compiler's log if there is one.
  Module(std::shared_ptr<Device> device, std::span<const char> image, const std::string& name);
  Module(std::shared_ptr<Device> device, std::unique_ptr<OnDemandImages> images, const std::string& name)
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

  /// Makes later lookups of kernels and variables try `other` first, so that user kernels replace shipped ones of the
  /// same name.
  void prefer(Module other) { preferred_ = std::make_unique<Module>(std::move(other)); }

  /// Returns the kernel with that (extern "C") name. Throws "invalid" if there is none.
  api::Function function(const char* name) const;

  /// Announces kernels that will be requested, so that missing ones can be compiled in parallel.
  void prepare(std::span<const std::string> kernels) const;

  /// Address and size of the __device__ or __constant__ variable that `kernel` reads; each image has its own variables.
  /// Throws "invalid" if there is no variable of that name.
  std::pair<api::DevicePointer, std::size_t> global(const char* variable, const char* kernel) const;

  /// Value of a BB_TUNABLE constant in the kernels of this module; `usual` if they do not define it.
  int tunable(const char* name, int usual) const;

 private:
  std::shared_ptr<Device> device_;
  api::Module handle_ = nullptr;
  std::string name_;
  std::unique_ptr<OnDemandImages> images_;
  std::unique_ptr<Module> preferred_;
};

struct Span;

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

/// Launch configuration of a kernel.
struct LaunchShape {
  Extent3 grid{}, block{};
  unsigned dynamic_shared_bytes = 0;
  bool cooperative = false;       // all blocks are resident at once, so that they may wait for each other
  Extent3 cluster{};              // blocks per cluster; 1, 1, 1: no clusters
  bool overlap_previous = false;  // programmatic dependent launch
};

/// Resources that the compiler assigned to a kernel on the device where it is loaded.
struct KernelResources {
  int registers = 0;
  int static_shared_bytes = 0;
  int local_bytes = 0;  // per thread: spills and arrays that do not fit registers
  int constant_bytes = 0;
  int max_threads_per_block = 0;
  int binary_version = 0;  // architecture of the machine code, such as 90
  int ptx_version = 0;     // version of the PTX it was compiled from
};

/// A __global__ function of a module. The module must outlive it.
class Kernel {
 public:
  /// Throws "invalid" if the module has no kernel of that (extern "C") name.
  Kernel(const Module& module, const char* name);

  const char* name() const { return name_; }
  api::Function handle() const { return function_; }
  KernelResources resources() const;

  /// Bytes of each parameter in order; nothing if the driver is too old to report them. Used only for user kernels,
  /// because it queries one index past the last parameter, which tools report as a failed call.
  std::optional<std::vector<std::size_t>> parameter_sizes() const;

  /// Allows dynamic shared memory beyond 48 KiB. Throws "unsupported" if the device has less.
  void allow_dynamic_shared(unsigned bytes);
  /// Percentage of the SM's L1 for shared memory; -1 leaves the choice to the driver.
  void prefer_shared_carveout(int percent);
  /// Number of blocks that one SM can hold at once.
  int resident_blocks(unsigned threads, unsigned dynamic_shared_bytes) const;

  /// Queues the kernel. The arguments must have exactly the parameters' types: their sizes are compared with the
  /// kernel's if the driver reports them (CUDA 12.4), and a difference throws "invalid".
  template <typename... Arguments>
  void launch(Stream& stream, const LaunchShape& shape, const Arguments&... arguments) {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...), "kernel arguments are copied bytewise");
    std::array<void*, sizeof...(Arguments) + 1> pointers{const_cast<void*>(static_cast<const void*>(&arguments))...};
    if (!checked_) {
      constexpr std::array<std::size_t, sizeof...(Arguments)> sizes{sizeof(Arguments)...};
      check_arguments(sizes);
    }
    launch_packed(stream, shape, pointers.data());
  }

  /// Like `launch`, for arguments whose number is only known at run time, given by their addresses and sizes.
  void launch_with(Stream& stream, const LaunchShape& shape, std::span<void*> arguments,
                   std::span<const std::size_t> sizes) {
    if (!checked_) check_arguments(sizes);
    launch_packed(stream, shape, arguments.data());
  }

 private:
  Span span_of(const LaunchShape& shape) const;
  void check_arguments(std::span<const std::size_t> sizes);
  void launch_packed(Stream& stream, const LaunchShape& shape, void** arguments);

  std::shared_ptr<Device> device_;
  const char* name_;
  api::Function function_ = nullptr;
  bool checked_ = false;
};

}  // namespace bb::cuda
