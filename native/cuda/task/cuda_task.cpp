#include "cuda_task.hpp"

#include "cpu/stopwatch.hpp"

namespace bb::cuda {

using engine::TaskMode;
using engine::TaskTime;

CudaTask::CudaTask(const engine::TaskProblem& problem, const std::string& folder)
    : problem_(problem),
      opened_(OpenedDevice::open(problem.device, folder)),
      stream_(opened_.device),
      timer_(opened_.device) {
  add_parts(opened_.parts);
}

void CudaTask::require_memory(double bytes) {
  cuda::require_memory(*device(), static_cast<std::uint64_t>(bytes), "solver.variant = " + problem_.variant);
}

void CudaTask::capture() {
  if (graph_) return;
  if (const std::string reason = no_graph(); !reason.empty()) throw ProblemError("unsupported", reason);
  part("capture", [&] {
    stream_.begin_capture();
    try {
      queue(stream_);
    } catch (const Error& error) {
      stream_.abandon_capture();
      throw ProblemError("unsupported", std::string("its launches cannot be captured as a graph: ") + error.what());
    } catch (...) {
      stream_.abandon_capture();
      throw;
    }
    graph_.emplace(stream_.end_capture());
    graph_->upload(stream_);
    stream_.synchronize();
  });
}

TaskTime CudaTask::repeat(int repetitions, TaskMode mode) {
  if (mode == TaskMode::kGraph) capture();
  const auto body = [&] {
    if (mode == TaskMode::kGraph) {
      graph_->launch(stream_);
    } else {
      queue(stream_);
    }
  };
  TaskTime out{.device_s = 0.0, .wall_s = 0.0};
  if (mode == TaskMode::kCold) {
    if (!flush_) flush_.emplace(device());
    const bool by_device = clock() == engine::TaskClock::kDevice;
    for (int i = 0; i < repetitions; ++i) {
      stop_if_cancelled();
      // One repetition tells both times only where the host does not wait for the flush first.
      if (by_device) {
        out.device_s += timer_.seconds(stream_, &*flush_, body);
      } else {
        out.wall_s += wall_seconds(stream_, &*flush_, body);
      }
    }
    if (by_device) {
      out.wall_s = engine::kAbsent;
    } else {
      out.device_s = engine::kAbsent;
    }
    return out;
  }
  stop_if_cancelled();
  stream_.synchronize();
  const cpu::Clock::time_point start = cpu::Clock::now();
  out.device_s = timer_.seconds(stream_, nullptr, [&] {
    for (int i = 0; i < repetitions; ++i) repetition("queue", body);
  });
  out.wall_s = cpu::seconds_since(start);
  return out;
}

void CudaTask::once() {
  restore(stream_);
  queue(stream_);
  stream_.synchronize();
}

std::vector<engine::Quantity> launch_quantities(const Kernel& kernel, const Device& device, unsigned threads,
                                                unsigned dynamic_shared_bytes) {
  const KernelResources used = kernel.resources();
  const int blocks = kernel.resident_blocks(threads, dynamic_shared_bytes);
  return {
      {"registers", "Registers per thread", static_cast<double>(used.registers), ""},
      {"shared", "Shared memory per block",
       static_cast<double>(used.static_shared_bytes) + static_cast<double>(dynamic_shared_bytes), "bytes"},
      {"spills", "Local memory per thread", static_cast<double>(used.local_bytes), "bytes"},
      {"blocks", "Resident blocks per SM", static_cast<double>(blocks), ""},
      {"occupancy", "Theoretical occupancy",
       100.0 * blocks * static_cast<double>(threads) / device.info().threads_per_multiprocessor, "%"},
  };
}

}  // namespace bb::cuda
