// Row 21: y = a x + y by one thread an element, and by grids of a given size that walk over the array.
#include "row.hpp"
#include "rows.hpp"

namespace bb::micro {
namespace {

constexpr float kA = 1.0f / 1024.0f;
constexpr unsigned kThreads = 256;

struct Inputs {
  explicit Inputs(const TaskProblem& problem)
      : x(engine::uniform_values(problem.count("n"), problem.seed)),
        y(engine::uniform_values(x.size(), problem.seed + 1)) {}
  TaskWork work() const {
    return {.bytes = 12.0 * static_cast<double>(x.size()), .flops = 2.0 * static_cast<double>(x.size())};
  }
  std::vector<float> x, y;
};

Answer answer(const TaskProblem& problem) {
  const Inputs in(problem);
  const Samples some(in.x.size());
  return {some.map([&](std::size_t i) {
            return static_cast<double>(in.y[i]) + static_cast<double>(kA) * static_cast<double>(in.x[i]);
          }),
          0x1p-23, 0x1p-23, some.text() + " with FP64"};
}

template <bool kStride>
CudaWork on_gpu(CudaBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto x = bench.upload(in->x), y = bench.upload(in->y);
  const auto n = static_cast<unsigned>(in->x.size());
  auto kernel = bench.kernel(kStride ? "micro_axpy_grid_stride" : "micro_axpy");
  const auto wanted = static_cast<unsigned>(bench.problem().count("blocks_per_sm")) *
                      static_cast<unsigned>(bench.device()->info().multiprocessors);
  const unsigned blocks = kStride ? std::min(wanted, blocks_for(n, kThreads)) : blocks_for(n, kThreads);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks}, .block = {kThreads}}, n, kA, x->pointer(), y->pointer());
  };
  work.restore = [in, y](cuda::Stream& to) { y->upload(std::span<const float>(in->y), to); };
  work.result = [y](cuda::Stream& from) { return Samples(y->size()).take<float>(y->read(from)); };
  work.work = in->work();
  work.quantities = [blocks, n] {
    return std::vector<Quantity>{
        {"grid", "Blocks of the grid", static_cast<double>(blocks), ""},
        {"per-thread", "Elements a thread", static_cast<double>(n) / (double{kThreads} * blocks), ""}};
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace

engine::TaskBench grid_stride_bench() {
  Row<answer> row(
      {"grid-stride", "Grid-stride loops", "kernels/micro/grid_stride.cpp", "kernels/micro/grid_stride.cu", bytes});
  row.cuda<on_gpu<false>>({"cuda-one-each", "One thread an element", "as many blocks as the array asks for"});
  row.cuda<on_gpu<true>>(
      {"cuda-grid-stride", "A grid that walks", "a given number of blocks a multiprocessor", "cuda-one-each"});
  return row.bench();
}

}  // namespace bb::micro
