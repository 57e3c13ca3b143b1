#include "launch.hpp"

#include <algorithm>
#include <optional>

#include "cuda/task/cuda_task.hpp"
#include "engine/cpu_task.hpp"
#include "rows.hpp"

namespace bb::micro {
namespace {

using engine::TaskProblem;

constexpr const char* kSource = "kernels/micro/launch.cpp";
constexpr const char* kKernels = "kernels/micro/launch.cu";
constexpr unsigned kThreads = 256;
constexpr std::size_t kBlockElements = 16384;  // of one CPU task: 64 KiB of each array

enum class Cpu { kPasses, kFused };

template <Cpu how>
class CpuLaunch final : public engine::CpuTask {
 public:
  explicit CpuLaunch(const TaskProblem& problem) : CpuTask(problem), at_(problem) {}

  void prepare() override {
    part("allocate", [&] { y_ = at_.y; });
  }
  engine::CheckReport verify() override { return at_.compare(y_); }
  std::uint64_t hash() override { return engine::hash_values<float>(y_); }
  engine::TaskWork work() const override { return at_.work(); }

 protected:
  void run() override {
    if constexpr (how == Cpu::kPasses) {
      for (std::uint32_t step = 0; step < at_.steps; ++step) pass(1);
    } else {
      pass(at_.steps);
    }
  }
  void reset() override { y_ = at_.y; }

 private:
  void pass(std::uint32_t steps) {
    const auto blocks = static_cast<int>((at_.n + kBlockElements - 1) / kBlockElements);
    pool().run(blocks, [&](int block, int) {
      const std::size_t first = static_cast<std::size_t>(block) * kBlockElements;
      const std::size_t last = std::min(at_.n, first + kBlockElements);
      for (std::size_t i = first; i < last; ++i) {
        float value = y_[i];
        for (std::uint32_t step = 0; step < steps; ++step) value += LaunchProblem::kA * at_.x[i];
        y_[i] = value;
      }
    });
  }

  LaunchProblem at_;
  std::vector<float> y_;
};

enum class Gpu { kLaunches, kSynchronised, kGraph, kFused };

template <Gpu how>
class CudaLaunch final : public cuda::CudaTask {
 public:
  explicit CudaLaunch(const TaskProblem& problem)
      : CudaTask(problem, "micro"),
        at_(problem),
        kernel_(kernel(how == Gpu::kFused ? "micro_launch_fused" : "micro_launch_axpy")) {}

  void prepare() override {
    part("upload", [&] {
      x_ = uploaded<float>(at_.x);
      y_ = uploaded<float>(at_.y);
    });
    if constexpr (how == Gpu::kGraph) {
      part("capture", [&] {
        stream().begin_capture();
        launch_all(stream());
        graph_.emplace(stream().end_capture());
        graph_->upload(stream());
        stream().synchronize();
      });
    }
  }
  engine::CheckReport verify() override { return at_.compare(y_.read(stream())); }
  std::uint64_t hash() override { return engine::hash_values<float>(y_.read(stream())); }
  engine::TaskWork work() const override { return at_.work(); }
  // Waiting between launches is what this one is about; the device's clock would not see the host's part.
  engine::TaskClock clock() const override {
    return how == Gpu::kSynchronised ? engine::TaskClock::kWall : engine::TaskClock::kDevice;
  }
  std::vector<engine::Quantity> quantities() override {
    auto out = cuda::launch_quantities(kernel_, *device(), kThreads);
    out.push_back({"launches", "Launches per repetition", how == Gpu::kFused ? 1.0 : at_.steps, ""});
    return out;
  }

 protected:
  void queue(cuda::Stream& to) override {
    if constexpr (how == Gpu::kGraph) {
      graph_->launch(to);
    } else {
      launch_all(to);
    }
  }
  void restore(cuda::Stream& to) override { y_.upload(at_.y, to); }
  std::string no_graph() const override {
    if constexpr (how == Gpu::kSynchronised) return "it waits for the device after every launch";
    if constexpr (how == Gpu::kGraph) return "it is a graph already";
    return "";
  }

 private:
  void launch_all(cuda::Stream& to) {
    const auto n = static_cast<unsigned>(at_.n);
    const cuda::LaunchShape shape{.grid = {(n + kThreads - 1) / kThreads}, .block = {kThreads}};
    const float* x = x_.pointer();
    float* y = y_.pointer();
    if constexpr (how == Gpu::kFused) {
      kernel_.launch(to, shape, LaunchProblem::kA, x, y, n, at_.steps);
    } else {
      for (std::uint32_t step = 0; step < at_.steps; ++step) {
        kernel_.launch(to, shape, LaunchProblem::kA, x, y, n);
        if constexpr (how == Gpu::kSynchronised) to.synchronize();
      }
    }
  }

  LaunchProblem at_;
  cuda::Kernel kernel_;
  cuda::DeviceBuffer<float> x_, y_;
  std::optional<cuda::Graph> graph_;
};

double estimate(const TaskProblem& problem) { return 4.0 * 4.0 * static_cast<double>(problem.count("n")); }

template <typename T>
std::unique_ptr<engine::Task> make(const TaskProblem& problem) {
  return std::make_unique<T>(problem);
}

std::string no_device() { return cuda::unavailable("micro"); }

}  // namespace

engine::TaskBench launch_bench() {
  return {
      .workload = "micro",
      .id = "launch",
      .title = "Launches and fusion: dependent axpy",
      .variants =
          {
              {.id = "cpu-passes",
               .title = "A pass per step",
               .changes = "one pass over the arrays per step",
               .builds_on = "",
               .device = "cpu",
               .precision = "fp32",
               .source = kSource,
               .estimate_bytes = estimate,
               .make = make<CpuLaunch<Cpu::kPasses>>},
              {.id = "cpu-fused",
               .title = "All steps in one pass",
               .changes = "takes every step of an element while it is in a register",
               .builds_on = "cpu-passes",
               .device = "cpu",
               .precision = "fp32",
               .source = kSource,
               .estimate_bytes = estimate,
               .make = make<CpuLaunch<Cpu::kFused>>},
              {.id = "cuda-synchronised",
               .title = "A launch and a wait per step",
               .changes = "waits for the device after every launch",
               .builds_on = "",
               .device = "cuda",
               .precision = "fp32",
               .source = kKernels,
               .estimate_bytes = estimate,
               .make = make<CudaLaunch<Gpu::kSynchronised>>,
               .unavailable = no_device},
              {.id = "cuda-launches",
               .title = "A launch per step",
               .changes = "queues the launches back to back",
               .builds_on = "cuda-synchronised",
               .device = "cuda",
               .precision = "fp32",
               .source = kKernels,
               .estimate_bytes = estimate,
               .make = make<CudaLaunch<Gpu::kLaunches>>,
               .unavailable = no_device},
              {.id = "cuda-graph",
               .title = "The launches as one graph",
               .changes = "replays the launches as one graph",
               .builds_on = "cuda-launches",
               .device = "cuda",
               .precision = "fp32",
               .source = kKernels,
               .estimate_bytes = estimate,
               .make = make<CudaLaunch<Gpu::kGraph>>,
               .unavailable = no_device},
              {.id = "cuda-fused",
               .title = "All steps in one launch",
               .changes = "takes every step of an element while it is in a register",
               .builds_on = "cuda-launches",
               .device = "cuda",
               .precision = "fp32",
               .source = kKernels,
               .estimate_bytes = estimate,
               .make = make<CudaLaunch<Gpu::kFused>>,
               .unavailable = no_device},
          },
  };
}

}  // namespace bb::micro
