// Row 24 of the table of performance claims: Horner's rule in FP32, in FP64, and in numbers made of two floats.
#include <cmath>

#include "horner.hpp"
#include "horner_shape.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace fp64_row {
namespace {

constexpr unsigned kThreads = 256;

std::size_t terms_of(const TaskProblem& problem) { return problem.count("degree") + 1; }

/// Tolerances for a format whose unit roundoff is 2^-bits.
template <int kBits>
ExpectedResult answer(const TaskProblem& problem) {
  const HornerInputs in(problem, terms_of(problem));
  const Samples some(in.x.size());
  const auto terms = static_cast<double>(in.c.size());
  const double unit = std::ldexp(8.0, -kBits);
  // Reference in long double, which on some CPUs is wider than FP64, because FP64 is itself under test.
  return {some.map([&](std::size_t i) { return in.at<long double>(i); }), unit * std::sqrt(terms), unit * terms,
          some.text() + " with the widest format of the CPU"};
}
constexpr int kFp32 = 24, kFp64 = 52, kDoubleFloat = 44;

TaskWork work_of(const HornerInputs& in, double bytes_of_value) {
  const auto n = static_cast<double>(in.x.size());
  return {.bytes = 2.0 * bytes_of_value * n, .flops = 2.0 * n * static_cast<double>(in.c.size() - 1)};
}

template <typename T>
std::vector<T> as(const std::vector<float>& values) {
  if constexpr (std::is_same_v<T, DoubleFloat>) {
    std::vector<DoubleFloat> out;
    for (const float v : values) out.push_back({v, 0.0f});
    return out;
  } else {
    return {values.begin(), values.end()};
  }
}

/// `C` is the type of the coefficients, `T` that of arguments and results.
template <typename C, typename T>
CpuWork cpu_work(CpuBench& bench) {
  const HornerInputs in(bench.problem(), terms_of(bench.problem()));
  const auto c = std::make_shared<const std::vector<C>>(as<C>(in.c));
  const auto x = std::make_shared<const std::vector<T>>(as<T>(in.x));
  const auto out = std::make_shared<std::vector<T>>(x->size());
  const auto function = [] {
    if constexpr (std::is_same_v<C, float>)
      return horner_functions().fused;
    else if constexpr (std::is_same_v<C, double>)
      return horner_functions().fp64;
    else
      return horner_functions().double_float;
  }();
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    in_pieces(pool, x->size(), 1 << 13,
              [&](std::size_t first, std::size_t last) { function(first, last, *c, x->data(), out->data()); });
  };
  work.result = [out] { return Samples(out->size()).template take<T>(*out); };
  work.work = work_of(in, sizeof(T));
  return work;
}

template <typename C, typename T, Name kKernel>
CudaWork gpu_work(CudaBench& bench) {
  const HornerInputs in(bench.problem(), terms_of(bench.problem()));
  const auto c = bench.upload(as<C>(in.c));
  const auto x = bench.upload(as<T>(in.x));
  const auto out = bench.buffer<T>(x->size());
  auto kernel = bench.kernel(kKernel.text);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(x->size(), kThreads * kHornerChains)}, .block = {kThreads}},
                  static_cast<unsigned>(x->size()), static_cast<int>(c->size()), c->pointer(), x->pointer(),
                  out->pointer());
  };
  work.result = [out](cuda::Stream& from) { return Samples(out->size()).template take<T>(out->read(from)); };
  work.work = work_of(in, sizeof(T));
  work.quantities = [kernel, device = bench.device()] { return cuda::launch_quantities(kernel, *device, kThreads); };
  return work;
}

double bytes(const TaskProblem& problem) { return 16.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace fp64_row

engine::TaskBench fp64_bench() {
  using namespace fp64_row;
  Row<answer<kFp32>> row({"fp64", "FP64 compared with FP32 and double-float",
                          "kernels/micro/arithmetic/horner.simd.cpp", "kernels/micro/arithmetic/fp64.cu", bytes});
  row.cpu<cpu_work<DoubleFloat, double>, answer<kDoubleFloat>>(
      {"cpu-double-float", "Double-float", "each number is the sum of two floats", "", "double-float"});
  row.cpu<cpu_work<double, double>, answer<kFp64>>({"cpu-fp64", "FP64", "double precision", "", "fp64"});
  row.cpu<cpu_work<float, float>>({"cpu-fp32", "FP32", "single precision", "cpu-fp64"});
  row.cuda<gpu_work<DoubleFloat, double, "micro_horner_double_float">, answer<kDoubleFloat>>(
      {"cuda-double-float", "Double-float", "each number is the sum of two floats", "", "double-float"});
  row.cuda<gpu_work<double, double, "micro_horner_fp64">, answer<kFp64>>(
      {"cuda-fp64", "FP64", "double precision", "", "fp64"});
  row.cuda<gpu_work<float, float, "micro_horner_fused">>({"cuda-fp32", "FP32", "single precision", "cuda-fp64"});
  row.small({{"n", 1003}, {"degree", 12}});
  return row.bench();
}

}  // namespace bb::micro
