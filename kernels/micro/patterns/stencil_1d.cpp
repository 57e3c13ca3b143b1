// Row 7 of the table of performance claims: a weighted sum over 2 radius + 1 neighbours along a line, zeros beyond its
// ends.
#include "stencil.hpp"

namespace bb::micro {
namespace stencil_1d_row {
namespace {

constexpr unsigned kThreads = 256, kWindow = 8;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : n(problem.count("n")),
        radius(static_cast<int>(problem.count("radius"))),
        in(engine::uniform_values(n, problem.seed)),
        taps(stencil_taps(2 * static_cast<std::size_t>(radius) + 1, problem.seed + 1)) {}

  template <typename T>
  T at(std::size_t i) const {
    T sum = 0;
    const auto here = static_cast<std::ptrdiff_t>(i), end = static_cast<std::ptrdiff_t>(n);
    for (std::ptrdiff_t k = -radius; k <= radius; ++k) {
      if (here + k < 0 || here + k >= end) continue;
      sum += static_cast<T>(taps[static_cast<std::size_t>(k + radius)]) *
             static_cast<T>(in[static_cast<std::size_t>(here + k)]);
    }
    return sum;
  }
  TaskWork work() const {
    return {.bytes = 8.0 * static_cast<double>(n),
            .flops = 2.0 * static_cast<double>(n) * static_cast<double>(taps.size())};
  }

  std::size_t n;
  int radius;
  std::vector<float> in, taps;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.n);
  const double roundings = 0x1p-24 * static_cast<double>(p.taps.size() + 1);
  return {some.map([&](std::size_t i) { return p.at<double>(i); }), roundings, roundings, some.text() + " with FP64"};
}

CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->n);
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    in_pieces(pool, p->n, 1 << 14, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) (*out)[i] = p->at<float>(i);
    });
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

/// Applies one tap at a time to a piece that stays in the cache. The loop has no conditions, so the compiler vectorises
/// it.
CpuWork cpu_taps_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->n);
  const auto wide = std::make_shared<std::vector<float>>(p->n + 2 * static_cast<std::size_t>(p->radius));
  std::copy(p->in.begin(), p->in.end(), wide->begin() + p->radius);
  CpuWork work;
  work.run = [p, out, wide, &pool = bench.pool()] {
    in_pieces(pool, p->n, 1 << 12, [&](std::size_t first, std::size_t last) {
      float* to = out->data();
      for (std::size_t i = first; i < last; ++i) to[i] = 0;
      for (std::size_t k = 0; k < p->taps.size(); ++k) {
        const float tap = p->taps[k];
        const float* from = wide->data() + k;
        for (std::size_t i = first; i < last; ++i) to[i] += tap * from[i];
      }
    });
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

enum class TapMemory { kGlobal, kConstant };
enum class Tiling { kNone, kBlock, kWindow };

CudaWork gpu_work(CudaBench& bench, const char* name, TapMemory taps_in, Tiling tile) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in), taps = bench.upload(p->taps);
  const auto out = bench.buffer<float>(p->n);
  auto kernel = bench.kernel(name);
  const auto n = static_cast<int>(p->n);
  const unsigned threads = bench.tuned("kStencilThreads", kThreads), window = bench.tuned("kWindow", kWindow);
  cuda::LaunchShape shape{.grid = {blocks_for(p->n, threads)}, .block = {threads}};
  const auto halo = 2 * static_cast<unsigned>(p->radius);
  if (tile == Tiling::kBlock) shape.dynamic_shared_bytes = 4 * (threads + halo);
  if (tile == Tiling::kWindow) {
    shape.grid = {blocks_for(p->n, threads * window)};
    const unsigned width = threads * window + halo;
    shape.dynamic_shared_bytes = 4 * (width + width / 32 + 1);
  }
  CudaWork work;
  if (taps_in == TapMemory::kGlobal) {
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, shape, n, p->radius, taps->pointer(), in->pointer(), out->pointer());
    };
  } else {
    work.restore = constant_taps(bench, p->taps, name);
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, shape, n, p->radius, in->pointer(), out->pointer());
    };
  }
  work.result = sampled(out);
  work.work = p->work();
  work.quantities = [kernel, device = bench.device(), threads, shared = shape.dynamic_shared_bytes] {
    return cuda::launch_quantities(kernel, *device, threads, shared);
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace stencil_1d_row

engine::TaskBench stencil_1d_bench() {
  using namespace stencil_1d_row;
  Row<answer> row({"stencil-1d", "Tiling: a one-dimensional stencil", "kernels/micro/patterns/stencil_1d.cpp",
                   "kernels/micro/patterns/stencil_1d.cu", bytes});
  row.cpu<cpu_work>({"cpu", "Point by point", "checks for every term whether it lies within the line"});
  row.cpu<cpu_taps_work>(
      {"cpu-by-taps", "Tap by tap", "applies one tap at a time to a piece that fits into the cache", "cpu"});
  row.cuda<with<gpu_work, Name("micro_stencil_naive"), TapMemory::kGlobal, Tiling::kNone>>(
      {"cuda-naive", "Through the caches", "reads neighbours and taps from global memory"});
  row.cuda<with<gpu_work, Name("micro_stencil_read_only"), TapMemory::kGlobal, Tiling::kNone>>(
      {"cuda-read-only", "Read-only loads", "marks the input as read-only for the compiler", "cuda-naive"});
  row.cuda<with<gpu_work, Name("micro_stencil_constant"), TapMemory::kConstant, Tiling::kNone>>(
      {"cuda-constant", "Taps in constant memory", "a tap is broadcast to the complete warp", "cuda-read-only"});
  row.cuda<with<gpu_work, Name("micro_stencil_shared"), TapMemory::kConstant, Tiling::kBlock>>(
      {"cuda-shared", "Shared tile with halo", "reads each value once per block, into shared memory", "cuda-constant"});
  row.cuda<with<gpu_work, Name("micro_stencil_async"), TapMemory::kConstant, Tiling::kBlock>>(
      {"cuda-async", "Tile by asynchronous copies", "copies the tile by cp.async, bypassing registers", "cuda-shared"});
  row.cuda<with<gpu_work, Name("micro_stencil_window"), TapMemory::kConstant, Tiling::kWindow>>(
      {"cuda-window", "Register window", "eight outputs per thread: each value read is used for eight sums",
       "cuda-shared"});
  row.small({{"n", 2503}, {"radius", 1}});
  row.small({{"n", 5003}, {"radius", 32}});
  row.small({{"n", 3}, {"radius", 5}});
  return row.bench();
}

}  // namespace bb::micro
