// Row 13 of the table of performance claims: a Chebyshev sum whose loop over terms is unrolled 1, 2, 4 and 8 times, and
// left to the compiler.
#include <cmath>

#include "micro/row/row.hpp"

#if defined(__clang__)
#define BB_UNROLL(times) _Pragma(BB_UNROLL_TEXT(unroll times))
#elif defined(__GNUC__)
#define BB_UNROLL(times) _Pragma(BB_UNROLL_TEXT(GCC unroll times))
#else
#define BB_UNROLL(times)
#endif
#define BB_UNROLL_TEXT(x) #x

namespace bb::micro {
namespace unrolling_row {
namespace {

constexpr unsigned kThreads = 256;

/// Coefficients decrease, as those of a smooth function do.
struct Inputs {
  explicit Inputs(const TaskProblem& problem)
      : c(engine::uniform_values(problem.count("terms"), problem.seed)),
        x(engine::uniform_values(problem.count("n"), problem.seed + 1)) {
    for (std::size_t k = 0; k < c.size(); ++k) c[k] /= static_cast<float>(k + 1);
  }
  TaskWork work() const {
    const auto n = static_cast<double>(x.size());
    return {.bytes = 8.0 * n, .flops = 4.0 * n * static_cast<double>(c.size() - 1)};
  }
  std::vector<float> c, x;
};

/// Near |x| = 1, the FP32 recurrence for the term of degree k accumulates about k² rounding errors.
ExpectedResult answer(const TaskProblem& problem) {
  const Inputs in(problem);
  const Samples some(in.x.size());
  const auto terms = static_cast<double>(in.c.size());
  return {some.map([&](std::size_t i) {
            double sum = 0;
            const double angle = std::acos(static_cast<double>(in.x[i]));
            for (std::size_t k = 0; k < in.c.size(); ++k)
              sum += static_cast<double>(in.c[k]) * std::cos(static_cast<double>(k) * angle);
            return sum;
          }),
          8.0 * 0x1p-24 * terms, 8.0 * 0x1p-24 * terms * terms, some.text() + " with FP64"};
}

#define BB_CHEBYSHEV(name, times)                    \
  float name(float x, const std::vector<float>& c) { \
    float before = 1, u = x, y = c[0];               \
    const auto terms = static_cast<int>(c.size());   \
    const float* coefficient = c.data();             \
    BB_UNROLL(times)                                 \
    for (int k = 1; k < terms; ++k) {                \
      y += coefficient[k] * u;                       \
      const float next = 2 * x * u - before;         \
      before = u;                                    \
      u = next;                                      \
    }                                                \
    return y;                                        \
  }
BB_CHEBYSHEV(chebyshev_1, 1)
BB_CHEBYSHEV(chebyshev_2, 2)
BB_CHEBYSHEV(chebyshev_4, 4)
BB_CHEBYSHEV(chebyshev_8, 8)
#undef BB_CHEBYSHEV

template <float (*kSum)(float, const std::vector<float>&)>
CpuWork cpu_work(CpuBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(in->x.size());
  CpuWork work;
  work.run = [in, out, &pool = bench.pool()] {
    in_pieces(pool, in->x.size(), 1 << 12, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) (*out)[i] = kSum(in->x[i], in->c);
    });
  };
  work.result = sampled(out);
  work.work = in->work();
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto c = bench.upload(in->c), x = bench.upload(in->x);
  const auto out = bench.buffer<float>(in->x.size());
  auto kernel = bench.kernel(name);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(in->x.size(), kThreads)}, .block = {kThreads}},
                  static_cast<unsigned>(in->x.size()), static_cast<int>(in->c.size()), c->pointer(), x->pointer(),
                  out->pointer());
  };
  work.result = sampled(out);
  work.work = in->work();
  work.quantities = [kernel, device = bench.device()] { return cuda::launch_quantities(kernel, *device, kThreads); };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace unrolling_row

engine::TaskBench unrolling_bench() {
  using namespace unrolling_row;
  Row<answer> row({"unrolling", "Unrolling: a Chebyshev sum", "kernels/micro/arithmetic/unrolling.cpp",
                   "kernels/micro/arithmetic/unrolling.cu", bytes});
  row.cpu<cpu_work<chebyshev_1>>({"cpu-1", "Not unrolled", "one term per iteration"});
  row.cpu<cpu_work<chebyshev_2>>({"cpu-2", "Unrolled twice", "two terms per iteration", "cpu-1"});
  row.cpu<cpu_work<chebyshev_4>>({"cpu-4", "Unrolled 4 times", "four terms per iteration", "cpu-2"});
  row.cpu<cpu_work<chebyshev_8>>({"cpu-8", "Unrolled 8 times", "eight terms per iteration", "cpu-4"});
  row.cuda<with<gpu_work, Name("micro_unroll_compiled")>>(
      {"cuda-compiled", "As compiled", "the plain loop, without an unrolling directive"});
  row.cuda<with<gpu_work, Name("micro_unroll_1")>>({"cuda-1", "Not unrolled", "one term per iteration"});
  row.cuda<with<gpu_work, Name("micro_unroll_2")>>({"cuda-2", "Unrolled twice", "two terms per iteration", "cuda-1"});
  row.cuda<with<gpu_work, Name("micro_unroll_4")>>(
      {"cuda-4", "Unrolled 4 times", "four terms per iteration", "cuda-2"});
  row.cuda<with<gpu_work, Name("micro_unroll_8")>>(
      {"cuda-8", "Unrolled 8 times", "eight terms per iteration", "cuda-4"});
  row.small({{"n", 1003}, {"terms", 27}});
  row.small({{"n", 9}, {"terms", 1}});
  return row.bench();
}

}  // namespace bb::micro
