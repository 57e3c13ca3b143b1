// Row 8 of the table of performance claims: out[x][y] = in[y][x].
#include "micro/row/row.hpp"

namespace bb::micro {
namespace transpose_row {
namespace {

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : rows(problem.count("rows")),
        columns(problem.count("columns")),
        in(engine::uniform_values(rows * columns, problem.seed)) {}
  TaskWork work() const { return {.bytes = 8.0 * static_cast<double>(in.size())}; }
  std::size_t rows, columns;
  std::vector<float> in;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.in.size());
  return {some.map([&](std::size_t i) { return p.in[i % p.rows * p.columns + i / p.rows]; }), 0, 0,
          some.text() + ", which must be equal"};
}

CpuWork cpu_work(CpuBench& bench, std::size_t tile) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->in.size());
  CpuWork work;
  work.run = [p, out, tile, &pool = bench.pool()] {
    in_pieces(pool, p->rows, std::max<std::size_t>(tile, 32), [&](std::size_t first, std::size_t last) {
      for (std::size_t x0 = 0; x0 < p->columns; x0 += tile) {
        const std::size_t x1 = std::min(p->columns, x0 + tile);
        for (std::size_t y = first; y < last; ++y) {
          for (std::size_t x = x0; x < x1; ++x) (*out)[x * p->rows + y] = p->in[y * p->columns + x];
        }
      }
    });
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}
CpuWork rows_work(CpuBench& bench) { return cpu_work(bench, SIZE_MAX / 2); }
CpuWork tiles_work(CpuBench& bench) { return cpu_work(bench, 32); }

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in);
  const auto out = bench.buffer<float>(p->in.size());
  CudaWork work;
  const cuda::LaunchShape shape{.grid = {blocks_for(p->columns, 32), blocks_for(p->rows, 32)},
                                .block = {32, bench.tuned("kTransposeRows", 8)}};
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    kernel.launch(to, shape, static_cast<int>(p->columns), static_cast<int>(p->rows), in->pointer(), out->pointer());
  };
  work.result = sampled(out);
  work.work = p->work();
  return work;
}

double bytes(const TaskProblem& problem) {
  return 8.0 * static_cast<double>(problem.count("rows")) * static_cast<double>(problem.count("columns"));
}

}  // namespace
}  // namespace transpose_row

engine::TaskBench transpose_bench() {
  using namespace transpose_row;
  Row<answer> row({"transpose", "Transpose: strides and bank conflicts", "kernels/micro/memory/transpose.cpp",
                   "kernels/micro/memory/transpose.cu", bytes});
  row.cpu<rows_work>({"cpu-rows", "Row by row", "reads rows, writes columns"});
  row.cpu<tiles_work>({"cpu-tiles", "Tiled", "tiles of 32 x 32 that fit into the cache", "cpu-rows"});
  row.cuda<with<gpu_work, Name("micro_transpose_strided_writes")>>(
      {"cuda-strided-writes", "Strided writes", "reads rows; a warp writes to 32 rows at once"});
  row.cuda<with<gpu_work, Name("micro_transpose_strided_reads")>>(
      {"cuda-strided-reads", "Strided reads", "writes rows; a warp reads from 32 rows at once", "cuda-strided-writes"});
  row.cuda<with<gpu_work, Name("micro_transpose_shared")>>({"cuda-shared", "Shared tile",
                                                            "coalesced reads and writes, but 32 lanes access one bank",
                                                            "cuda-strided-writes"});
  row.cuda<with<gpu_work, Name("micro_transpose_padded")>>(
      {"cuda-padded", "Padded tile", "one word of padding per row avoids bank conflicts", "cuda-shared"});
  row.cuda<with<gpu_work, Name("micro_transpose_swizzled")>>(
      {"cuda-swizzled", "Swizzled tile", "permuted rows avoid bank conflicts without padding", "cuda-shared"});
  row.small({{"rows", 67}, {"columns", 131}});
  row.small({{"rows", 1}, {"columns", 33}});
  return row.bench();
}

}  // namespace bb::micro
