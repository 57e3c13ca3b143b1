// Row 22 of the table of performance claims: three kernels with 32 … 1024 threads per block.
#include <cmath>

#include "micro/row/row.hpp"

namespace bb::micro {
namespace block_size_row {
namespace {

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : kernel(problem.word("kernel")),
        side(static_cast<unsigned>(std::sqrt(static_cast<double>(problem.count("n"))))),
        n(kernel == "gemm" ? std::size_t{side} * side : problem.count("n")),
        x(engine::uniform_values(n, problem.seed)),
        y(engine::uniform_values(n, problem.seed + 1)) {}

  double at(std::size_t i) const {
    const auto value = [](float v) { return static_cast<double>(v); };
    if (kernel == "axpy") return value(y[i]) + 0.5 * value(x[i]);
    double sum = 0;
    if (kernel == "gemm") {
      for (std::size_t d = 0; d < side; ++d) sum += value(x[i / side * side + d]) * value(y[d * side + i % side]);
      return sum;
    }
    for (std::size_t k = i < 3 ? 0 : i - 3; k <= i + 3 && k < n; ++k) sum += 0.125 * value(x[k]);
    return sum + value(y[i]);
  }
  double terms() const { return kernel == "gemm" ? side : kernel == "stencil" ? 7 : 1; }
  TaskWork work() const {
    return {.bytes = 12.0 * static_cast<double>(n), .flops = 2.0 * terms() * static_cast<double>(n)};
  }

  std::string kernel;
  unsigned side;
  std::size_t n;
  std::vector<float> x, y;
};

Samples samples_of(const Problem& p) {
  return Samples(p.n, Samples::kMax / (1 + static_cast<std::size_t>(p.terms()) / 64));
}

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some = samples_of(p);
  const double limit = 0x1p-23 * (1.0 + p.terms());
  return {some.map([&](std::size_t i) { return p.at(i); }), limit, limit, some.text() + " with FP64"};
}

CudaWork gpu_work(CudaBench& bench, unsigned threads) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto x = bench.upload(p->x), y = bench.upload(p->y);
  const auto out = bench.buffer<float>(p->n);
  auto kernel = bench.kernel(("micro_block_" + p->kernel).c_str());
  const unsigned size = p->kernel == "gemm" ? p->side : static_cast<unsigned>(p->n);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(p->n, threads)}, .block = {threads}}, size, x->pointer(), y->pointer(),
                  out->pointer());
  };
  work.result = [p, out](cuda::Stream& from) { return samples_of(*p).take<float>(out->read(from)); };
  work.work = p->work();
  work.quantities = [kernel, threads, device = bench.device()] {
    return cuda::launch_quantities(kernel, *device, threads);
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 12.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace block_size_row

engine::TaskBench block_size_bench() {
  using namespace block_size_row;
  Row<answer> row({"block-size", "Block size and occupancy", "kernels/micro/launch/block_size.cpp",
                   "kernels/micro/launch/block_size.cu", bytes});
  row.cuda<with<gpu_work, 32>>({"cuda-32", "32 threads", "one warp per block"});
  row.cuda<with<gpu_work, 64>>({"cuda-64", "64 threads", "two warps per block", "cuda-32"});
  row.cuda<with<gpu_work, 128>>({"cuda-128", "128 threads", "four warps per block", "cuda-64"});
  row.cuda<with<gpu_work, 256>>({"cuda-256", "256 threads", "eight warps per block", "cuda-128"});
  row.cuda<with<gpu_work, 512>>({"cuda-512", "512 threads", "16 warps per block", "cuda-256"});
  row.cuda<with<gpu_work, 1024>>({"cuda-1024", "1024 threads", "32 warps per block", "cuda-512"});
  row.small({{"n", 1003}}, {{"kernel", "axpy"}});
  row.small({{"n", 1003}}, {{"kernel", "stencil"}});
  row.small({{"n", 1003}}, {{"kernel", "gemm"}});
  return row.bench();
}

}  // namespace bb::micro
