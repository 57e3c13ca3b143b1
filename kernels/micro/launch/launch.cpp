#include <algorithm>

#include "cuda/device/graph.hpp"
#include "cuda/device/kernel.hpp"
#include "micro/row/elementwise.hpp"
#include "micro/row/row.hpp"
#include "micro/row/work.hpp"

namespace bb::micro {

/// Returns a launch shape whose blocks are all resident at once, with no more blocks than `n` elements need.
inline cuda::LaunchShape cooperative_shape(const cuda::Kernel& kernel, const cuda::Device& device, std::size_t n,
                                           unsigned threads) {
  return {.grid = {std::min(resident_blocks(kernel, device, threads), blocks_for(n, threads))},
          .block = {threads},
          .cooperative = true};
}

// Row 1 of the table of performance claims: `steps` dependent y += a x over `n` elements, as `steps` launches, or fused
// into one.

namespace launch_row {
namespace {

// Small factor, so that y stays in the normal range of FP32 over thousands of repetitions.
constexpr float kA = 1.0f / 1024.0f;
constexpr unsigned kThreads = 256;
constexpr std::size_t kPiece = 16384;  // elements of one CPU task: 64 KiB of each array

struct Problem : AxpyInputs {
  explicit Problem(const TaskProblem& problem) : AxpyInputs(problem), steps(static_cast<int>(problem.count("steps"))) {}

  /// Compulsory traffic: x is read once, y is read and written once. Further passes over memory are a cost of the
  /// variant.
  TaskWork work() const {
    const auto elements = static_cast<double>(n);
    return {.bytes = 12.0 * elements, .flops = 2.0 * elements * steps};
  }

  int steps;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  return p.after(p.steps, kA);
}

enum class CpuMethod { kPasses, kFused };

template <CpuMethod how>
CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto y = std::make_shared<std::vector<float>>(p->y);
  const auto pass = [p, y, &pool = bench.pool()](int steps) {
    in_pieces(pool, p->n, kPiece, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        float value = (*y)[i];
        for (int step = 0; step < steps; ++step) value += kA * p->x[i];
        (*y)[i] = value;
      }
    });
  };
  CpuWork out;
  if constexpr (how == CpuMethod::kPasses) {
    out.run = [p, pass] {
      for (int step = 0; step < p->steps; ++step) pass(1);
    };
  } else {
    out.run = [p, pass] { pass(p->steps); };
  }
  out.reset = [p, y] { *y = p->y; };
  out.result = [p, y] { return Samples(p->n).take<float>(*y); };
  out.work = p->work();
  return out;
}

enum class GpuMethod { kSynchronised, kLaunches, kGraph, kFused, kPersistent };

CudaWork gpu_work(CudaBench& bench, GpuMethod how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto x = bench.upload(p->x), y = bench.upload(p->y);
  const auto n = static_cast<unsigned>(p->n);
  CudaWork out;
  double launches = p->steps;
  if (how == GpuMethod::kFused) {
    launches = 1;
    out.queue = [=, kernel = bench.kernel("micro_axpy_fused"), steps = p->steps](cuda::Stream& to) mutable {
      kernel.launch(to, {.grid = {blocks_for(n, kThreads)}, .block = {kThreads}}, n, steps, kA, x->pointer(),
                    y->pointer());
    };
  } else if (how == GpuMethod::kPersistent) {
    launches = 1;
    const auto arrived = bench.buffer<unsigned>(1);
    auto kernel = bench.kernel("micro_axpy_persistent");
    const cuda::LaunchShape shape = cooperative_shape(kernel, *bench.device(), n, kThreads);
    out.queue = [=, steps = p->steps](cuda::Stream& to) mutable {
      arrived->fill_bytes(0, to);
      kernel.launch(to, shape, n, steps, kA, x->pointer(), y->pointer(), arrived->pointer());
    };
  } else {
    const auto all = [=, kernel = bench.kernel("micro_axpy"), steps = p->steps](cuda::Stream& to) mutable {
      for (int step = 0; step < steps; ++step) {
        kernel.launch(to, {.grid = {blocks_for(n, kThreads)}, .block = {kThreads}}, n, kA, x->pointer(), y->pointer());
        if (how == GpuMethod::kSynchronised) to.synchronize();
      }
    };
    if (how == GpuMethod::kGraph) {
      bench.stream().begin_capture();
      auto capture = all;
      capture(bench.stream());
      const auto graph = std::make_shared<cuda::Graph>(bench.stream().end_capture());
      graph->upload(bench.stream());
      bench.stream().synchronize();
      out.queue = [graph, x](cuda::Stream& to) { graph->launch(to); };  // captured: the graph reads x
      out.no_graph = "it is already a graph";
    } else {
      out.queue = all;
    }
    // This variant measures the wait between launches. The device clock would not include the host's part of it.
    if (how == GpuMethod::kSynchronised) {
      out.clock = engine::TaskClock::kWall;
      out.no_graph = "it waits for the device after every launch";
    }
  }
  out.restore = [p, y](cuda::Stream& to) { y->upload(std::span<const float>(p->y), to); };
  out.result = sampled(y);
  out.work = p->work();
  out.quantities = [launches, queue = out.queue, steps = p->steps, stream = &bench.stream()] {
    const double seconds = cuda::wall_seconds(*stream, nullptr, [&] { queue(*stream); });
    return std::vector<Quantity>{{"launches", "Launches per repetition", launches, ""},
                                 {"per-step", "Wall time per step", 1e6 * seconds / steps, "µs"}};
  };
  return out;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace launch_row

engine::TaskBench launch_bench() {
  using namespace launch_row;
  Row<answer> row({"launch", "Launches and fusion: dependent axpy", "kernels/micro/launch/launch.cpp",
                   "kernels/micro/launch/launch.cu", bytes});
  row.cpu<cpu_work<CpuMethod::kPasses>>({"cpu-passes", "One pass per step", "one pass over the arrays per step"});
  row.cpu<cpu_work<CpuMethod::kFused>>({"cpu-fused", "All steps in one pass",
                                        "applies all steps to an element while it is in a register", "cpu-passes"});
  row.cuda<with<gpu_work, GpuMethod::kSynchronised>>(
      {"cuda-synchronised", "Launch and wait per step", "waits for the device after every launch"});
  row.cuda<with<gpu_work, GpuMethod::kLaunches>>(
      {"cuda-launches", "One launch per step", "queues the launches back to back", "cuda-synchronised"});
  row.cuda<with<gpu_work, GpuMethod::kGraph>>(
      {"cuda-graph", "Launches in one graph", "replays the launches as one graph", "cuda-launches"});
  row.cuda<with<gpu_work, GpuMethod::kPersistent>>({"cuda-persistent", "One launch with a barrier per step",
                                                    "one kernel with a grid-wide barrier after every step",
                                                    "cuda-launches"});
  row.cuda<with<gpu_work, GpuMethod::kFused>>({"cuda-fused", "All steps in one launch",
                                               "applies all steps to an element while it is in a register",
                                               "cuda-launches"});
  row.small({{"n", 1003}, {"steps", 7}});
  row.small({{"n", 1}, {"steps", 1}});
  return row.bench();
}

}  // namespace bb::micro
