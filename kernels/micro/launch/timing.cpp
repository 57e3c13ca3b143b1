// Row 19 of the table of performance claims: different methods of timing (a + b) scale. Every repetition ends with an
// idle device. `reported` is the time by the variant's method, `true` the time by events around the same launch.
#include "cpu/stopwatch.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "cuda/device/stream.hpp"
#include "micro/row/elementwise.hpp"
#include "micro/row/fresh_memory.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace timing_row {
namespace {

using cpu::Clock, cpu::seconds_since;
using scaled_sum::answer, scaled_sum::Inputs, scaled_sum::kScale;

constexpr unsigned kThreads = 256;
constexpr int kFirstCalls = 10;  // typical notes time ten calls, the first of which is cold

/// Times summed over repetitions.
struct TimeSums {
  double reported_s = 0, true_s = 0;
  int times = 0;
  std::vector<Quantity> quantities() const {
    const double by = times > 0 ? 1e6 / times : 0.0;
    return {{"reported", "Time reported by this method", reported_s * by, "µs"},
            {"true", "True time", true_s * by, "µs"},
            {"ratio", "Reported divided by true time", true_s > 0 ? reported_s / true_s : 0.0, ""}};
  }
};

void fused(const Inputs& in, float* out) {
  for (std::size_t i = 0; i < in.n; ++i) out[i] = (in.a[i] + in.b[i]) * kScale;
}

/// With kFirstCall, reports the mean of ten calls, of which the first writes to untouched memory.
template <bool kFirstCall>
CpuWork cpu_work(CpuBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto out = std::make_shared<std::unique_ptr<float[]>>(std::make_unique<float[]>(in->n));
  const auto said = std::make_shared<TimeSums>();
  CpuWork work;
  work.run = [in, out, said] {
    if constexpr (kFirstCall) {
      *out = fresh_memory(in->n);
      const Clock::time_point first = Clock::now();
      for (int call = 0; call < kFirstCalls; ++call) fused(*in, out->get());
      said->reported_s += seconds_since(first) / kFirstCalls;
    }
    const Clock::time_point start = Clock::now();
    fused(*in, out->get());
    const double taken = seconds_since(start);
    said->true_s += taken;
    if constexpr (!kFirstCall) said->reported_s += taken;
    ++said->times;
  };
  work.result = [in, out] { return Samples(in->n).take<float>(std::span<const float>(out->get(), in->n)); };
  work.work = in->work();
  work.quantities = [said] { return said->quantities(); };
  return work;
}

enum class TimingMethod { kNoSync, kFirstCall, kSync, kEvents };

CudaWork gpu_work(CudaBench& bench, TimingMethod way) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto a = bench.upload(in->a), b = bench.upload(in->b);
  const auto out = bench.buffer<float>(in->n);
  const auto said = std::make_shared<TimeSums>();
  const auto start = std::make_shared<cuda::Event>(bench.device()),
             stop = std::make_shared<cuda::Event>(bench.device());
  const cuda::LaunchShape shape{.grid = {blocks_for(in->n, kThreads)}, .block = {kThreads}};
  const auto launch = [=](cuda::Kernel& kernel, cuda::Stream& to) {
    kernel.launch(to, shape, static_cast<unsigned>(in->n), kScale, a->pointer(), b->pointer(), out->pointer());
  };
  CudaWork work;
  work.queue = [=, device = bench.device(),
                kernel = bench.kernel("micro_elementwise_fused")](cuda::Stream& to) mutable {
    double reported = 0;
    to.synchronize();
    if (way == TimingMethod::kFirstCall) {
      const Clock::time_point first = Clock::now();
      // Imitates the first call of a kernel in a program: the driver loads its code on first use.
      const cuda::LoadedKernels again = cuda::load_kernels(device, "micro", cuda::kernel_folders());
      cuda::Kernel cold(again.module, "micro_elementwise_fused");
      for (int call = 0; call < kFirstCalls; ++call) launch(cold, to);
      to.synchronize();
      reported = seconds_since(first) / kFirstCalls;
    }
    const Clock::time_point wall = Clock::now();
    start->record(to);
    launch(kernel, to);
    const double queued = seconds_since(wall);
    stop->record(to);
    to.synchronize();
    const double waited = seconds_since(wall);
    const double by_events = stop->seconds_since(*start);
    if (way == TimingMethod::kNoSync) reported = queued;
    if (way == TimingMethod::kSync) reported = waited;
    if (way == TimingMethod::kEvents) reported = by_events;
    said->reported_s += reported;
    said->true_s += by_events;
    ++said->times;
  };
  work.result = sampled(out);
  work.work = in->work();
  work.clock = engine::TaskClock::kWall;
  work.no_graph = "it waits for the device in every repetition";
  work.quantities = [said] { return said->quantities(); };
  return work;
}

double bytes(const TaskProblem& problem) { return 12.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace timing_row

engine::TaskBench timing_bench() {
  using namespace timing_row;
  Row<answer> row({"timing", "Timing with and without synchronisation", "kernels/micro/launch/timing.cpp",
                   "kernels/micro/launch/timing.cpp", bytes});
  row.cpu<cpu_work<true>>(
      {"cpu-first-call", "First call included", "mean of ten calls, the first into untouched memory"});
  row.cpu<cpu_work<false>>({"cpu-warm", "Warm", "a call after earlier identical calls", "cpu-first-call"});
  row.cuda<with<gpu_work, TimingMethod::kFirstCall>>(
      {"cuda-first-call", "First call included", "mean of ten calls, the first of which loads the code"});
  row.cuda<with<gpu_work, TimingMethod::kNoSync>>({"cuda-no-sync", "Wall clock without waiting: wrong",
                                                   "stops the clock when the launch returns", "cuda-first-call"});
  row.cuda<with<gpu_work, TimingMethod::kSync>>(
      {"cuda-sync", "Wall clock with waiting", "stops the clock when the device is idle", "cuda-no-sync"});
  row.cuda<with<gpu_work, TimingMethod::kEvents>>(
      {"cuda-events", "Events", "device timestamps before and after", "cuda-sync"});
  row.small({{"n", 1003}});
  return row.bench();
}

}  // namespace bb::micro
