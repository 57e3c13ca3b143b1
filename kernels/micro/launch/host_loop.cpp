// Row 3 of the table of performance claims: every row of an array is convolved with the same taps, zeros beyond its
// ends: one launch per row compared with one launch in total.
#include "micro/row/row.hpp"

namespace bb::micro {
namespace host_loop_row {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMaxGridY = 65535;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : rows(problem.count("rows")),
        length(problem.count("length")),
        radius(static_cast<int>(problem.count("radius"))),
        values(engine::uniform_values(rows * length, problem.seed)),
        taps(engine::uniform_values(2 * static_cast<std::size_t>(radius) + 1, problem.seed + 1)) {}

  template <typename T>
  T at(std::size_t row, std::size_t i) const {
    T sum = 0;
    const float* from = values.data() + row * length;
    const auto here = static_cast<std::ptrdiff_t>(i), end = static_cast<std::ptrdiff_t>(length);
    for (std::ptrdiff_t k = -radius; k <= radius; ++k) {
      if (here + k < 0 || here + k >= end) continue;
      sum += static_cast<T>(taps[static_cast<std::size_t>(k + radius)]) * static_cast<T>(from[here + k]);
    }
    return sum;
  }
  TaskWork work() const {
    const auto n = static_cast<double>(values.size());
    return {.bytes = 8.0 * n, .flops = 2.0 * n * static_cast<double>(taps.size())};
  }

  std::size_t rows, length;
  int radius;
  std::vector<float> values, taps;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.values.size());
  const double roundings = 0x1p-24 * static_cast<double>(p.taps.size() + 1);
  return {some.map([&](std::size_t i) { return p.at<double>(i / p.length, i % p.length); }), roundings, roundings,
          some.text() + " with FP64"};
}

CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->values.size());
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    in_pieces(pool, p->rows, 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        for (std::size_t i = 0; i < p->length; ++i) (*out)[row * p->length + i] = p->at<float>(row, i);
      }
    });
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

/// Computes the inner part of a row without bounds checks in every term.
CpuWork cpu_split_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->values.size());
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    const auto radius = static_cast<std::size_t>(p->radius);
    in_pieces(pool, p->rows, 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        const float* from = p->values.data() + row * p->length;
        float* to = out->data() + row * p->length;
        const std::size_t inner_end = p->length > 2 * radius ? p->length - radius : 0;
        const std::size_t inner = inner_end > 0 ? radius : p->length;
        for (std::size_t i = 0; i < inner; ++i) to[i] = p->at<float>(row, i);
        for (std::size_t i = inner; i < inner_end; ++i) to[i] = 0;
        for (std::size_t k = 0; k < p->taps.size() && inner_end > 0; ++k) {
          const float tap = p->taps[k];
          for (std::size_t i = inner; i < inner_end; ++i) to[i] += tap * from[i + k - radius];
        }
        for (std::size_t i = std::max(inner, inner_end); i < p->length; ++i) to[i] = p->at<float>(row, i);
      }
    });
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

enum class GpuMethod { kCopies, kRows, kBatched };

CudaWork gpu_work(CudaBench& bench, GpuMethod how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->values), taps = bench.upload(p->taps);
  const auto out = bench.buffer<float>(p->values.size());
  const auto length = static_cast<int>(p->length), rows = static_cast<int>(p->rows);
  const unsigned blocks = blocks_for(p->length, kThreads);
  CudaWork work;
  if (how == GpuMethod::kBatched) {
    work.queue = [=, kernel = bench.kernel("micro_convolve_rows")](cuda::Stream& to) mutable {
      const auto grid_rows = static_cast<unsigned>(std::min(p->rows, kMaxGridY));
      kernel.launch(to, {.grid = {blocks, grid_rows}, .block = {kThreads}}, in->pointer(), out->pointer(), rows, length,
                    taps->pointer(), p->radius);
    };
  } else {
    const auto back = std::make_shared<std::vector<float>>(how == GpuMethod::kCopies ? p->length : 0);
    work.queue = [=, kernel = bench.kernel("micro_convolve_row")](cuda::Stream& to) mutable {
      for (std::size_t row = 0; row < p->rows; ++row) {
        const std::size_t first = row * p->length;
        if (how == GpuMethod::kCopies) {
          in->upload(std::span<const float>(p->values).subspan(first, p->length), to, first);
        }
        kernel.launch(to, {.grid = {blocks}, .block = {kThreads}}, in->pointer() + first, out->pointer() + first,
                      length, taps->pointer(), p->radius);
        if (how == GpuMethod::kCopies) {
          out->download(std::span<float>(*back), to, first);
          to.synchronize();
        }
      }
    };
    if (how == GpuMethod::kCopies) {
      work.clock = engine::TaskClock::kWall;
      work.no_graph = "it waits for the device after every row";
    }
  }
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

double bytes(const TaskProblem& problem) {
  return 8.0 * static_cast<double>(problem.count("rows")) * static_cast<double>(problem.count("length"));
}

}  // namespace
}  // namespace host_loop_row

engine::TaskBench host_loop_bench() {
  using namespace host_loop_row;
  Row<answer> row({"host-loop", "Loop on the host: batched 1-D convolution", "kernels/micro/launch/host_loop.cpp",
                   "kernels/micro/launch/host_loop.cu", bytes});
  row.cpu<cpu_work>({"cpu-rows", "Bounds check per term", "checks for every term whether it lies within the row"});
  row.cpu<cpu_split_work>(
      {"cpu-split", "Edges separate", "computes the interior of a row tap by tap without bounds checks", "cpu-rows"});
  row.cuda<with<gpu_work, GpuMethod::kCopies>>({"cuda-row-copies", "Copies, launch and wait per row",
                                                "copies each row to the device and back, and waits for it"});
  row.cuda<with<gpu_work, GpuMethod::kRows>>(
      {"cuda-row-launches", "One launch per row", "keeps the rows on the device", "cuda-row-copies"});
  row.cuda<with<gpu_work, GpuMethod::kBatched>>(
      {"cuda-batched", "One launch", "all rows in one launch", "cuda-row-launches"});
  row.small({{"rows", 17}, {"length", 301}, {"radius", 5}});
  row.small({{"rows", 3}, {"length", 7}, {"radius", 16}});
  return row.bench();
}

}  // namespace bb::micro
