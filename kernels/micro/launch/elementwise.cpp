// Row 17 of the table of performance claims: (a + b) scale.
#include "micro/row/elementwise.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace elementwise_row {
namespace {

constexpr unsigned kThreads = 256;

using scaled_sum::answer, scaled_sum::Inputs, scaled_sum::kScale;

enum class FormulaVersion { kUnfused, kDistributed, kFused };

template <FormulaVersion form>
CpuWork cpu_work(CpuBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(in->n);
  const auto t = std::make_shared<std::vector<float>>(form == FormulaVersion::kUnfused ? in->n : 0);
  const auto s = std::make_shared<std::vector<float>>(form == FormulaVersion::kUnfused ? in->n : 0);
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    const auto every = [&](auto&& one) {
      in_pieces(pool, in->n, 1 << 16, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) one(i);
      });
    };
    const float* a = in->a.data();
    const float* b = in->b.data();
    float* to = out->data();
    if constexpr (form == FormulaVersion::kFused) every([=](std::size_t i) { to[i] = (a[i] + b[i]) * kScale; });
    if constexpr (form == FormulaVersion::kDistributed)
      every([=](std::size_t i) { to[i] = a[i] * kScale + b[i] * kScale; });
    if constexpr (form == FormulaVersion::kUnfused) {
      float* sum = t->data();
      float* scaled = s->data();
      every([=](std::size_t i) { sum[i] = a[i] + b[i]; });
      every([=](std::size_t i) { scaled[i] = sum[i] * kScale; });
      every([=](std::size_t i) { to[i] = scaled[i]; });
    }
  };
  work.result = sampled(out);
  work.work = in->work();
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name, unsigned per_thread) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto a = bench.upload(in->a), b = bench.upload(in->b);
  const auto out = bench.buffer<float>(in->n);
  // The grid has at least one block, because the first threads also process the remaining n % 4 values.
  const cuda::LaunchShape shape{.grid = {blocks_for(std::max<std::size_t>(1, in->n / per_thread), kThreads)},
                                .block = {kThreads}};
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    kernel.launch(to, shape, static_cast<unsigned>(in->n), kScale, a->pointer(), b->pointer(), out->pointer());
  };
  work.result = sampled(out);
  work.work = in->work();
  return work;
}

CudaWork unfused(CudaBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto a = bench.upload(in->a), b = bench.upload(in->b);
  const auto out = bench.buffer<float>(in->n), t = bench.buffer<float>(in->n), s = bench.buffer<float>(in->n);
  CudaWork work;
  work.queue = [=, add = bench.kernel("micro_elementwise_add"), scale = bench.kernel("micro_elementwise_scale"),
                assign = bench.kernel("micro_elementwise_assign")](cuda::Stream& to) mutable {
    const cuda::LaunchShape shape{.grid = {blocks_for(in->n, kThreads)}, .block = {kThreads}};
    const auto n = static_cast<unsigned>(in->n);
    add.launch(to, shape, n, a->pointer(), b->pointer(), t->pointer());
    scale.launch(to, shape, n, kScale, t->pointer(), s->pointer());
    assign.launch(to, shape, n, s->pointer(), out->pointer());
  };
  work.result = sampled(out);
  work.work = in->work();
  return work;
}

double bytes(const TaskProblem& problem) { return 20.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace elementwise_row

engine::TaskBench elementwise_bench() {
  using namespace elementwise_row;
  Row<answer> row({"elementwise", "Elementwise: (a + b) scale", "kernels/micro/launch/elementwise.cpp",
                   "kernels/micro/launch/elementwise.cu", bytes});
  row.cpu<cpu_work<FormulaVersion::kUnfused>>(
      {"cpu-unfused", "Three passes", "separate passes for sum, product and assignment"});
  row.cpu<cpu_work<FormulaVersion::kDistributed>>({"cpu-distributed", "a scale + b scale", "one pass", "cpu-unfused"});
  row.cpu<cpu_work<FormulaVersion::kFused>>(
      {"cpu-fused", "(a + b) scale", "one pass with one operation fewer", "cpu-distributed"});
  row.cuda<unfused>({"cuda-unfused", "Three kernels", "separate kernels for sum, product and assignment"});
  row.cuda<with<gpu_work, Name("micro_elementwise_distributed"), 1>>(
      {"cuda-distributed", "a scale + b scale", "one kernel", "cuda-unfused"});
  row.cuda<with<gpu_work, Name("micro_elementwise_fused"), 1>>(
      {"cuda-fused", "(a + b) scale", "one kernel with one operation fewer", "cuda-distributed"});
  row.cuda<with<gpu_work, Name("micro_elementwise_16"), 4>>(
      {"cuda-16", "16-byte loads", "four values per thread", "cuda-fused"});
  row.small({{"n", 1003}});
  row.small({{"n", 2}});
  return row.bench();
}

}  // namespace bb::micro
