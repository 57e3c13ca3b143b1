#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../device/buffer.hpp"
#include "../device/graph.hpp"
#include "../device/kernel.hpp"
#include "../opened/opened_device.hpp"
#include "../timing/timing.hpp"
#include "engine/task.hpp"

namespace bb::cuda {

/// A task that queues its work on a stream. Timed by events and by the wall clock. A task whose queue() does not wait
/// for the device can be captured and replayed as a graph.
class CudaTask : public engine::Task {
 public:
  /// Opens the device and the kernels of kernels/<folder>/<folder>.cu.
  CudaTask(const engine::TaskProblem& problem, const std::string& folder);

  void enter() final { device()->make_current(); }
  /// Throws if the device's free memory is too small.
  void require_memory(double bytes) final;
  engine::TaskTime repeat(int repetitions, engine::TaskMode mode, const engine::AuditPlan& plan,
                          engine::TaskAudit& audit) final;
  void once() final;
  engine::TaskClock clock() const override { return engine::TaskClock::kDevice; }

 protected:
  /// Queues one repetition. Work on other streams must start after earlier work on `stream` and end before later work,
  /// by events.
  virtual void queue(Stream& stream) = 0;
  /// Queues the restoration of inputs that a repetition changes; for once(), never timed.
  virtual void restore(Stream&) {}
  /// Reason why a repetition cannot be captured, in one sentence; "" if it may be tried.
  virtual std::string no_graph() const { return ""; }

  const engine::TaskProblem& problem() const { return problem_; }
  const std::shared_ptr<Device>& device() const { return opened_.device; }
  Stream& stream() { return stream_; }
  Kernel kernel(const char* name) const { return Kernel(opened_.kernels->module, name); }
  const Module& module() const { return opened_.kernels->module; }

  template <typename T>
  DeviceBuffer<T> buffer(std::size_t count) const {
    return DeviceBuffer<T>(device(), count);
  }
  /// Makes a buffer that holds `values` and waits for the copy.
  template <typename T>
  DeviceBuffer<T> uploaded(std::span<const T> values) {
    DeviceBuffer<T> out(device(), values.size());
    out.upload(values, stream_);
    stream_.synchronize();
    return out;
  }

  template <typename T>
  static engine::TaskArray array_of(const DeviceBuffer<T>& buffer) {
    using Type = engine::TaskArray::Type;
    constexpr Type kType = std::is_same_v<T, float>           ? Type::kFloat
                           : std::is_same_v<T, double>        ? Type::kDouble
                           : std::is_same_v<T, std::uint16_t> ? Type::kBf16
                                                              : Type::kUnsigned;
    static_assert(std::is_arithmetic_v<T>);
    return {buffer.pointer(), buffer.size(), kType};
  }

 private:
  class SampleAudit;
  void capture();

  engine::TaskProblem problem_;
  OpenedDevice opened_;
  Stream stream_;
  DeviceTimer timer_;
  std::optional<L2Flush> flush_;
  std::optional<Graph> graph_;
};

/// Registers per thread, static and dynamic shared memory, and the share of an SM's threads that blocks of that size
/// can occupy.
std::vector<engine::Quantity> launch_quantities(const Kernel& kernel, const Device& device, unsigned threads,
                                                unsigned dynamic_shared_bytes = 0);

}  // namespace bb::cuda
