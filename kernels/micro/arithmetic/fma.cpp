// Row 11 of the table of performance claims: Horner's rule with multiplication and addition rounded separately, and
// fused. A low degree is the control, because memory limits it.
#include <cmath>

#include "horner.hpp"
#include "horner_shape.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace fma_row {
namespace {

constexpr unsigned kThreads = 256;

std::size_t terms_of(const TaskProblem& problem) { return problem.count("degree") + 1; }

ExpectedResult answer(const TaskProblem& problem) {
  const HornerInputs in(problem, terms_of(problem));
  const Samples some(in.x.size());
  const auto terms = static_cast<double>(in.c.size());
  return {some.map([&](std::size_t i) { return in.at<double>(i); }), 8.0 * 0x1p-24 * std::sqrt(terms),
          8.0 * 0x1p-24 * terms, some.text() + " with FP64"};
}

TaskWork work_of(const HornerInputs& in) {
  const auto n = static_cast<double>(in.x.size());
  return {.bytes = 8.0 * n, .flops = 2.0 * n * static_cast<double>(in.c.size() - 1)};
}

template <bool kFused>
CpuWork cpu_work(CpuBench& bench) {
  const auto in = std::make_shared<const HornerInputs>(bench.problem(), terms_of(bench.problem()));
  const auto out = std::make_shared<std::vector<float>>(in->x.size());
  const auto function = kFused ? horner_functions().fused : horner_functions().separate;
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    in_pieces(pool, in->x.size(), 1 << 13,
              [&](std::size_t first, std::size_t last) { function(first, last, in->c, in->x.data(), out->data()); });
  };
  work.result = sampled(out);
  work.work = work_of(*in);
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const auto in = std::make_shared<const HornerInputs>(bench.problem(), terms_of(bench.problem()));
  const auto c = bench.upload(in->c), x = bench.upload(in->x);
  const auto out = bench.buffer<float>(in->x.size());
  auto kernel = bench.kernel(name);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(in->x.size(), kThreads * kHornerChains)}, .block = {kThreads}},
                  static_cast<unsigned>(in->x.size()), static_cast<int>(in->c.size()), c->pointer(), x->pointer(),
                  out->pointer());
  };
  work.result = sampled(out);
  work.work = work_of(*in);
  work.quantities = [kernel, device = bench.device()] { return cuda::launch_quantities(kernel, *device, kThreads); };
  return work;
}

/// Coefficients in groups of four, highest degree first. The first group is padded with leading zeros.
std::vector<float> quads_of(const std::vector<float>& c) {
  std::vector<float> quads((4 - c.size() % 4) % 4);
  quads.insert(quads.end(), c.rbegin(), c.rend());
  return quads;
}

CudaWork from_shared(CudaBench& bench, const char* name) {
  const HornerInputs in(bench.problem(), terms_of(bench.problem()));
  const std::vector<float> quads = quads_of(in.c);
  const auto c = bench.upload(quads), x = bench.upload(in.x);
  const auto out = bench.buffer<float>(in.x.size());
  const auto bytes = static_cast<unsigned>(quads.size() * sizeof(float));  // 16 kB at the highest degree
  auto kernel = bench.kernel(name);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to,
                  {.grid = {blocks_for(x->size(), kThreads * kHornerSharedChains)},
                   .block = {kThreads},
                   .dynamic_shared_bytes = bytes},
                  static_cast<unsigned>(x->size()), static_cast<int>(c->size() / 4), c->pointer(), x->pointer(),
                  out->pointer());
  };
  work.result = sampled(out);
  work.work = work_of(in);
  work.quantities = [kernel, bytes, device = bench.device()] {
    return cuda::launch_quantities(kernel, *device, kThreads, bytes);
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace fma_row

engine::TaskBench fma_bench() {
  using namespace fma_row;
  Row<answer> row({"fma", "Fused multiply-add: Horner's rule", "kernels/micro/arithmetic/horner.simd.cpp",
                   "kernels/micro/arithmetic/fma.cu", bytes});
  row.cpu<cpu_work<false>>({"cpu-separate", "Separate roundings", "a multiplication, then an addition"});
  row.cpu<cpu_work<true>>({"cpu-fused", "Fused", "one instruction with one rounding", "cpu-separate"});
  row.cuda<with<gpu_work, Name("micro_horner_separate")>>(
      {"cuda-separate", "Separate roundings", "a multiplication, then an addition (__fmul_rn, __fadd_rn)"});
  row.cuda<with<gpu_work, Name("micro_horner_compiled")>>(
      {"cuda-compiled", "As compiled", "y * x + c, which the compiler fuses by default (--fmad=true)",
       "cuda-separate"});
  row.cuda<with<gpu_work, Name("micro_horner_fused")>>({"cuda-fused", "Fused", "__fmaf_rn", "cuda-separate"});
  row.cuda<with<from_shared, Name("micro_horner_shared_separate")>>(
      {"cuda-shared-separate", "Separate roundings, coefficients in shared memory",
       "four coefficients per read and eight arguments per thread, so only arithmetic limits the speed",
       "cuda-separate"});
  row.cuda<with<from_shared, Name("micro_horner_shared_fused")>>(
      {"cuda-shared-fused", "Fused, coefficients in shared memory", "__fmaf_rn", "cuda-shared-separate"});
  row.small({{"n", 1003}, {"degree", 12}});
  row.small({{"n", 70}, {"degree", 1}});
  return row.bench();
}

}  // namespace bb::micro
