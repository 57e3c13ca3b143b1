#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "module.hpp"
#include "stream.hpp"

namespace bb::cuda {

struct Span;

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

/// Launch configuration of a kernel.
struct LaunchShape {
  Extent3 grid{}, block{};
  unsigned dynamic_shared_bytes = 0;
  bool cooperative = false;       // all blocks resident at once, so that they may wait for each other
  Extent3 cluster{};              // blocks per cluster; 1,1,1 is none
  bool overlap_previous = false;  // programmatic dependent launch
};

/// Resources that the compiler assigned to a kernel on the device where it is loaded.
struct KernelResources {
  int registers = 0;
  int static_shared_bytes = 0;
  int local_bytes = 0;  // per thread: spills and arrays that registers could not hold
  int constant_bytes = 0;
  int max_threads_per_block = 0;
  int binary_version = 0;  // architecture of the machine code, such as 90
  int ptx_version = 0;     // of the PTX it came from
};

/// A __global__ function of a module. The module must outlive it.
class Kernel {
 public:
  /// Throws "invalid" if the module has no kernel of that (extern "C") name.
  Kernel(const Module& module, const char* name);

  const char* name() const { return name_; }
  api::Function handle() const { return function_; }
  KernelResources resources() const;

  /// Bytes of each parameter in order; nothing where the driver is too old to tell. For kernels that others
  /// wrote: it asks past the last parameter, which tools report as a failed call.
  std::optional<std::vector<std::size_t>> parameter_sizes() const;

  /// Allows dynamic shared memory beyond 48 KiB. Throws "unsupported" if the device has less.
  void allow_dynamic_shared(unsigned bytes);
  /// Share of the multiprocessor's L1 given to shared memory, percent; -1 leaves it to the driver.
  void prefer_shared_carveout(int percent);
  /// Blocks that one multiprocessor can hold at once.
  int resident_blocks(unsigned threads, unsigned dynamic_shared_bytes) const;

  /// Queues the kernel. The arguments' types must be the parameters' types exactly: their sizes are compared with the
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

  /// The same of arguments whose number is not known here: where each is, and its size.
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
