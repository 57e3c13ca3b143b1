// Row 7 of the table of performance claims: a weighted sum over a square of (2 radius + 1)² neighbours, zeros beyond
// the edges.
#include "stencil.hpp"

namespace bb::micro {
namespace stencil_2d_row {
namespace {

constexpr unsigned kTileX = 32, kTileY = 8, kColumn = 4;  // defaults of the kernels' constants

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : nx(problem.count("nx")),
        ny(problem.count("ny")),
        radius(static_cast<int>(problem.count("radius"))),
        side(2 * static_cast<std::size_t>(radius) + 1),
        in(engine::uniform_values(nx * ny, problem.seed)),
        taps(stencil_taps(side * side, problem.seed + 1)) {}

  template <typename T>
  T at(std::size_t i) const {
    T sum = 0;
    const auto x = static_cast<int>(i % nx), y = static_cast<int>(i / nx);
    for (int dy = -radius; dy <= radius; ++dy) {
      if (y + dy < 0 || y + dy >= static_cast<int>(ny)) continue;
      const float* row = in.data() + static_cast<std::size_t>(y + dy) * nx;
      const float* tap = taps.data() + static_cast<std::size_t>(dy + radius) * side;
      const int first = std::max(-radius, -x), last = std::min(radius, static_cast<int>(nx) - 1 - x);
      for (int dx = first; dx <= last; ++dx) sum += static_cast<T>(tap[dx + radius]) * static_cast<T>(row[x + dx]);
    }
    return sum;
  }
  TaskWork work() const {
    const auto n = static_cast<double>(in.size());
    return {.bytes = 8.0 * n, .flops = 2.0 * n * static_cast<double>(taps.size())};
  }

  std::size_t nx, ny;
  int radius;
  std::size_t side;
  std::vector<float> in, taps;
};

/// The reference costs (2 radius + 1)² operations per result, so large radii are checked on fewer samples.
Samples samples_of(const Problem& p) { return Samples(p.in.size(), Samples::kMax / (1 + p.taps.size() / 64)); }

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some = samples_of(p);
  const double roundings = 0x1p-24 * static_cast<double>(p.taps.size() + 1);
  return {some.map([&](std::size_t i) { return p.at<double>(i); }), roundings, roundings, some.text() + " with FP64"};
}

CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->in.size());
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    in_pieces(pool, p->in.size(), 1 << 12, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) (*out)[i] = p->at<float>(i);
    });
  };
  work.result = [p, out] { return samples_of(*p).take<float>(*out); };
  work.work = p->work();
  return work;
}

/// Applies one tap at a time to a row, which is read from a copy with a margin of zeros.
CpuWork cpu_taps_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->in.size());
  const std::size_t margin = p->side - 1, width = p->nx + margin;
  const auto wide = std::make_shared<std::vector<float>>(width * (p->ny + margin));
  for (std::size_t y = 0; y < p->ny; ++y) {
    std::copy_n(p->in.data() + y * p->nx, p->nx, wide->data() + (y + margin / 2) * width + margin / 2);
  }
  CpuWork work;
  work.run = [p, out, wide, width, &pool = bench.pool()] {
    in_pieces(pool, p->ny, 8, [&](std::size_t first, std::size_t last) {
      for (std::size_t y = first; y < last; ++y) {
        float* to = out->data() + y * p->nx;
        for (std::size_t x = 0; x < p->nx; ++x) to[x] = 0;
        for (std::size_t k = 0; k < p->taps.size(); ++k) {
          const float tap = p->taps[k];
          const float* from = wide->data() + (y + k / p->side) * width + k % p->side;
          for (std::size_t x = 0; x < p->nx; ++x) to[x] += tap * from[x];
        }
      }
    });
  };
  work.result = [p, out] { return samples_of(*p).take<float>(*out); };
  work.work = p->work();
  return work;
}

enum class TapMemory { kGlobal, kConstant };
enum class OutputsPerThread { kOne, kColumn };  // outputs per thread

CudaWork gpu_work(CudaBench& bench, const char* name, TapMemory taps_in, OutputsPerThread rows, bool tiled) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in), taps = bench.upload(p->taps);
  const auto out = bench.buffer<float>(p->in.size());
  auto kernel = bench.kernel(name);
  const auto nx = static_cast<int>(p->nx), ny = static_cast<int>(p->ny);
  const unsigned tile_x = bench.tuned("kTileX", kTileX), tile_y = bench.tuned("kTileY", kTileY);
  const unsigned tile_rows = rows == OutputsPerThread::kColumn ? tile_y * bench.tuned("kColumn", kColumn) : tile_y;
  cuda::LaunchShape shape{.grid = {blocks_for(p->nx, tile_x), blocks_for(p->ny, tile_rows)}, .block = {tile_x, tile_y}};
  if (tiled) {
    const auto halo = 2 * static_cast<unsigned>(p->radius);
    shape.dynamic_shared_bytes = 4 * (tile_x + halo) * (tile_rows + halo);
    kernel.allow_dynamic_shared(shape.dynamic_shared_bytes);
  }
  CudaWork work;
  if (taps_in == TapMemory::kGlobal) {
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, shape, nx, ny, p->radius, taps->pointer(), in->pointer(), out->pointer());
    };
  } else {
    work.restore = constant_taps(bench, p->taps, name);
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, shape, nx, ny, p->radius, in->pointer(), out->pointer());
    };
  }
  work.result = [p, out](cuda::Stream& from) { return samples_of(*p).take<float>(out->read(from)); };
  work.work = p->work();
  work.quantities = [kernel, device = bench.device(), threads = tile_x * tile_y, shared = shape.dynamic_shared_bytes] {
    return cuda::launch_quantities(kernel, *device, threads, shared);
  };
  return work;
}

double bytes(const TaskProblem& problem) {
  return 8.0 * static_cast<double>(problem.count("nx")) * static_cast<double>(problem.count("ny"));
}

}  // namespace
}  // namespace stencil_2d_row

engine::TaskBench stencil_2d_bench() {
  using namespace stencil_2d_row;
  Row<answer> row({"stencil-2d", "Tiling: a two-dimensional stencil", "kernels/micro/patterns/stencil_2d.cpp",
                   "kernels/micro/patterns/stencil_2d.cu", bytes});
  row.cpu<cpu_work>({"cpu", "Point by point", "sums the neighbours of each point"});
  row.cpu<cpu_taps_work>(
      {"cpu-by-taps", "Tap by tap", "applies one tap at a time to a row that fits into the cache", "cpu"});
  row.cuda<with<gpu_work, Name("micro_stencil2_naive"), TapMemory::kGlobal, OutputsPerThread::kOne, false>>(
      {"cuda-naive", "Through the caches", "reads neighbours and taps from global memory"});
  row.cuda<with<gpu_work, Name("micro_stencil2_constant"), TapMemory::kConstant, OutputsPerThread::kOne, false>>(
      {"cuda-constant", "Taps in constant memory", "a tap is broadcast to the complete warp", "cuda-naive"});
  row.cuda<with<gpu_work, Name("micro_stencil2_shared"), TapMemory::kConstant, OutputsPerThread::kOne, true>>(
      {"cuda-shared", "Shared tile with halo", "reads each value once per block, into shared memory", "cuda-constant"});
  row.cuda<with<gpu_work, Name("micro_stencil2_window"), TapMemory::kConstant, OutputsPerThread::kColumn, true>>(
      {"cuda-window", "Register window", "four outputs per thread: each value read is used for four sums",
       "cuda-shared"});
  row.small({{"nx", 61}, {"ny", 43}, {"radius", 2}});
  row.small({{"nx", 37}, {"ny", 71}, {"radius", 9}});
  row.small({{"nx", 3}, {"ny", 5}, {"radius", 4}});
  return row.bench();
}

}  // namespace bb::micro
