// Row 18 of the table of performance claims: 2 v + 1 for a non-contiguous view v: a transposed array, or every other
// column of an array.
#include "micro/row/row.hpp"

namespace bb::micro {
namespace views_row {
namespace {

constexpr unsigned kThreads = 256, kMaxGridY = 65535;

/// Same layout as `View` in the kernels: strides in elements.
struct View {
  unsigned rows, columns;
  long long row_stride, column_stride;
};

struct Problem {
  explicit Problem(const TaskProblem& problem) : rows(problem.count("rows")), columns(problem.count("columns")) {
    const bool transposed = problem.word("view") == "transposed";
    view = {static_cast<unsigned>(rows), static_cast<unsigned>(columns),
            transposed ? 1 : 2 * static_cast<long long>(columns), transposed ? static_cast<long long>(rows) : 2};
    base = engine::uniform_values(transposed ? rows * columns : 2 * rows * columns, problem.seed);
  }
  std::size_t place(std::size_t i) const {
    return i / columns * static_cast<std::size_t>(view.row_stride) +
           i % columns * static_cast<std::size_t>(view.column_stride);
  }
  std::size_t n() const { return rows * columns; }
  TaskWork work() const { return {.bytes = 8.0 * static_cast<double>(n()), .flops = 2.0 * static_cast<double>(n())}; }
  std::size_t rows, columns;
  View view{};
  std::vector<float> base;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.n());
  return {some.map([&](std::size_t i) { return 2.0 * static_cast<double>(p.base[p.place(i)]) + 1.0; }), 0x1p-23,
          0x1p-23, some.text() + " with FP64"};
}

enum class StrideHandling { kIgnored, kStrided, kPacked };

template <StrideHandling how>
CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->n());
  const auto packed = std::make_shared<std::vector<float>>(how == StrideHandling::kPacked ? p->n() : 0);
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    if constexpr (how == StrideHandling::kPacked) {
      constexpr std::size_t kTile = 32;
      in_pieces(pool, p->rows, kTile, [&](std::size_t first, std::size_t last) {
        for (std::size_t c0 = 0; c0 < p->columns; c0 += kTile) {
          for (std::size_t r = first; r < last; ++r) {
            for (std::size_t c = c0; c < std::min(p->columns, c0 + kTile); ++c) {
              (*packed)[r * p->columns + c] = p->base[p->place(r * p->columns + c)];
            }
          }
        }
      });
    }
    in_pieces(pool, p->rows, 16, [&](std::size_t first, std::size_t last) {
      const float* from = how == StrideHandling::kPacked ? packed->data() : p->base.data();
      for (std::size_t r = first; r < last; ++r) {
        for (std::size_t c = 0; c < p->columns; ++c) {
          const std::size_t i = r * p->columns + c;
          (*out)[i] = 2 * from[how == StrideHandling::kStrided ? p->place(i) : i] + 1;
        }
      }
    });
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

CudaWork gpu_work(CudaBench& bench, StrideHandling how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->base);
  const auto out = bench.buffer<float>(p->n());
  const auto n = static_cast<unsigned>(p->n());
  const cuda::LaunchShape flat{.grid = {blocks_for(n, kThreads)}, .block = {kThreads}};
  CudaWork work;
  if (how == StrideHandling::kIgnored) {
    work.queue = [=, kernel = bench.kernel("micro_view_ignored")](cuda::Stream& to) mutable {
      kernel.launch(to, flat, n, in->pointer(), out->pointer());
    };
  } else if (how == StrideHandling::kStrided) {
    const cuda::LaunchShape shape{.grid = {blocks_for(p->columns, kThreads), std::min(p->view.rows, kMaxGridY)},
                                  .block = {kThreads}};
    work.queue = [=, kernel = bench.kernel("micro_view_strided")](cuda::Stream& to) mutable {
      kernel.launch(to, shape, p->view, in->pointer(), out->pointer());
    };
  } else {
    const auto packed = bench.buffer<float>(p->n());
    const cuda::LaunchShape tiles{.grid = {blocks_for(p->columns, 32), std::min(blocks_for(p->rows, 32), kMaxGridY)},
                                  .block = {kThreads}};
    work.queue = [=, pack = bench.kernel("micro_view_pack"),
                  kernel = bench.kernel("micro_view_ignored")](cuda::Stream& to) mutable {
      pack.launch(to, tiles, p->view, in->pointer(), packed->pointer());
      kernel.launch(to, flat, n, packed->pointer(), out->pointer());
    };
  }
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

double bytes(const TaskProblem& problem) {
  return 16.0 * static_cast<double>(problem.count("rows")) * static_cast<double>(problem.count("columns"));
}

}  // namespace
}  // namespace views_row

engine::TaskBench views_bench() {
  using namespace views_row;
  Row<answer> row({"views", "Strided views: raw pointers ignore strides", "kernels/micro/memory/views.cpp",
                   "kernels/micro/memory/views.cu", bytes});
  row.cpu<cpu_work<StrideHandling::kIgnored>>(
      {"cpu-ignored", "Strides ignored: wrong", "treats the pointer of the view as a contiguous array"});
  row.cpu<cpu_work<StrideHandling::kStrided>>(
      {"cpu-strided", "With strides", "uses the strides for every element", "cpu-ignored"});
  row.cpu<cpu_work<StrideHandling::kPacked>>(
      {"cpu-packed", "Packed first", "copies the view tile by tile before use", "cpu-strided"});
  row.cuda<with<gpu_work, StrideHandling::kIgnored>>(
      {"cuda-ignored", "Strides ignored: wrong", "treats the pointer of the view as a contiguous array"});
  row.cuda<with<gpu_work, StrideHandling::kStrided>>(
      {"cuda-strided", "With strides", "uses the strides for every element", "cuda-ignored"});
  row.cuda<with<gpu_work, StrideHandling::kPacked>>(
      {"cuda-packed", "Packed first", "copies the view tile by tile before use", "cuda-strided"});
  row.small({{"rows", 67}, {"columns", 131}}, {{"view", "transposed"}});
  row.small({{"rows", 67}, {"columns", 131}}, {{"view", "every-other"}});
  return row.bench();
}

}  // namespace bb::micro
