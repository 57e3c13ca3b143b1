// Row 21 of the table of performance claims: y = a x + y with one thread per element, and with grids of a given size
// that loop over the array.
#include "micro/row/elementwise.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace grid_stride_row {
namespace {

constexpr float kA = 1.0f / 1024.0f;
constexpr unsigned kThreads = 256;

ExpectedResult answer(const TaskProblem& problem) { return AxpyInputs(problem).after(1, kA); }

CudaWork gpu_work(CudaBench& bench, bool stride) {
  const auto in = std::make_shared<const AxpyInputs>(bench.problem());
  const auto x = bench.upload(in->x), y = bench.upload(in->y);
  const auto n = static_cast<unsigned>(in->n);
  auto kernel = bench.kernel(stride ? "micro_axpy_grid_stride" : "micro_axpy");
  const auto wanted = static_cast<unsigned>(bench.problem().count("blocks_per_sm")) *
                      static_cast<unsigned>(bench.device()->info().multiprocessors);
  const unsigned blocks = stride ? std::min(wanted, blocks_for(n, kThreads)) : blocks_for(n, kThreads);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks}, .block = {kThreads}}, n, kA, x->pointer(), y->pointer());
  };
  work.restore = [in, y](cuda::Stream& to) { y->upload(std::span<const float>(in->y), to); };
  work.result = sampled(y);
  work.work = {.bytes = 12.0 * n, .flops = 2.0 * n};
  work.quantities = [blocks, n] {
    return std::vector<Quantity>{
        {"grid", "Blocks of the grid", static_cast<double>(blocks), ""},
        {"per-thread", "Elements a thread", static_cast<double>(n) / (double{kThreads} * blocks), ""}};
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace grid_stride_row

engine::TaskBench grid_stride_bench() {
  using namespace grid_stride_row;
  Row<answer> row({"grid-stride", "Grid-stride loops", "kernels/micro/launch/grid_stride.cpp",
                   "kernels/micro/launch/grid_stride.cu", bytes});
  row.cuda<with<gpu_work, false>>({"cuda-one-each", "One thread per element", "as many blocks as the array needs"});
  row.cuda<with<gpu_work, true>>(
      {"cuda-grid-stride", "Grid-stride loop", "a fixed number of blocks per multiprocessor", "cuda-one-each"});
  row.small({{"n", 1000003}, {"blocks_per_sm", 1}});
  row.small({{"n", 7}, {"blocks_per_sm", 32}});
  return row.bench();
}

}  // namespace bb::micro
