// Row 6 of the table of performance claims: the STREAM triad a = b + s c, `passes` times over arrays of a given size.
#include "cuda/timing/timing.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace bandwidth_row {
namespace {

constexpr float kS = 0.5f;

struct Inputs {
  explicit Inputs(const TaskProblem& problem)
      : n(problem.count("n")),
        passes(static_cast<int>(problem.count("passes"))),
        b(engine::uniform_values(n, problem.seed)),
        c(engine::uniform_values(n, problem.seed + 1)) {}
  TaskWork work() const {
    const double elements = static_cast<double>(n) * passes;
    return {.bytes = 12.0 * elements, .flops = 2.0 * elements};
  }
  std::size_t n;
  int passes;
  std::vector<float> b, c;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Inputs in(problem);
  const Samples some(in.n);
  const double s = static_cast<double>(kS) + in.passes - 1;  // value of the last pass
  return {some.map([&](std::size_t i) { return static_cast<double>(in.b[i]) + s * static_cast<double>(in.c[i]); }),
          0x1p-23, 0x1p-23, some.text() + " of the last pass with FP64"};
}

CpuWork cpu_work(CpuBench& bench, bool all_threads) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto a = std::make_shared<std::vector<float>>(in->n);
  const auto triad = [in, a](std::size_t first, std::size_t last, float s) {
    const float* b = in->b.data();
    const float* c = in->c.data();
    float* to = a->data();
    for (std::size_t i = first; i < last; ++i) to[i] = b[i] + s * c[i];
  };
  CpuWork work;
  work.run = [in, triad, all_threads, &pool = bench.pool()] {
    // A piece is one thread's share, so that data written in one pass are still in that thread's caches in the next.
    const auto lanes = static_cast<std::size_t>(all_threads ? pool.lanes() : 1);
    const std::size_t piece = std::max<std::size_t>(1, (in->n + lanes - 1) / lanes);
    const auto share = [&](std::size_t first, std::size_t last) {
      for (int p = 0; p < in->passes; ++p) triad(first, last, kS + static_cast<float>(p));
    };
    if (all_threads) {
      in_pieces(pool, in->n, piece, share);
    } else {
      share(0, in->n);
    }
  };
  work.result = [in, a] { return Samples(in->n).take<float>(*a); };
  work.work = in->work();
  return work;
}
CpuWork one_core_work(CpuBench& bench) { return cpu_work(bench, false); }
CpuWork all_cores_work(CpuBench& bench) { return cpu_work(bench, true); }

/// Bandwidth of a repetition, timed by events.
std::function<std::vector<Quantity>()> rate(CudaBench& bench, const CudaWork& work) {
  return [queue = work.queue, bytes = work.work.bytes, stream = &bench.stream()] {
    cuda::DeviceTimer timer(stream->device());
    const double seconds = timer.seconds(*stream, nullptr, [&] { queue(*stream); });
    return std::vector<Quantity>{{"rate", "Bandwidth", 1e-9 * bytes / seconds, "GB/s"}};
  };
}

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto b = bench.upload(in->b), c = bench.upload(in->c);
  const auto a = bench.buffer<float>(in->n);
  auto kernel = bench.kernel(name);
  constexpr unsigned kThreads = 256;
  const unsigned resident = resident_blocks(kernel, *bench.device(), kThreads);
  const cuda::LaunchShape shape{.grid = {std::min(resident, blocks_for(in->n, kThreads))}, .block = {kThreads}};
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, shape, static_cast<unsigned>(in->n), in->passes, kS, b->pointer(), c->pointer(), a->pointer());
  };
  work.result = [in, a](cuda::Stream& from) { return Samples(in->n).take<float>(a->read(from)); };
  work.work = in->work();
  work.quantities = rate(bench, work);
  return work;
}

constexpr unsigned kShare = 4096;  // elements per block: three arrays of 16 KiB, within the 48 KiB of every device

CudaWork shared_memory_work(CudaBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto b = bench.upload(in->b), c = bench.upload(in->c);
  const auto a = bench.buffer<float>(in->n);
  auto kernel = bench.kernel("micro_triad_shared");
  kernel.allow_dynamic_shared(3 * 4 * kShare);
  const cuda::LaunchShape shape{
      .grid = {blocks_for(in->n, kShare)}, .block = {1024}, .dynamic_shared_bytes = 3 * 4 * kShare};
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, shape, static_cast<unsigned>(in->n), kShare, in->passes, kS, b->pointer(), c->pointer(),
                  a->pointer());
  };
  work.result = [in, a](cuda::Stream& from) { return Samples(in->n).take<float>(a->read(from)); };
  work.work = in->work();
  work.quantities = rate(bench, work);
  return work;
}

double bytes(const TaskProblem& problem) { return 12.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace bandwidth_row

engine::TaskBench bandwidth_bench() {
  using namespace bandwidth_row;
  Row<answer> row({"bandwidth", "Bandwidth by level: the STREAM triad", "kernels/micro/memory/bandwidth.cpp",
                   "kernels/micro/memory/bandwidth.cu", bytes});
  row.cpu<one_core_work>({"cpu-one", "One core", "one thread processes the arrays"});
  row.cpu<all_cores_work>({"cpu", "All cores", "each thread processes its share of the arrays", "cpu-one"});
  row.cuda<with<gpu_work, Name("micro_triad")>>({"cuda-4", "4-byte loads", "one word per thread"});
  row.cuda<with<gpu_work, Name("micro_triad_16")>>({"cuda-16", "16-byte loads", "four words per thread", "cuda-4"});
  row.cuda<with<gpu_work, Name("micro_triad_l2")>>(
      {"cuda-l2", "Bypassing L1", "loads that are not cached in L1 (__ldcg)", "cuda-16"});
  row.cuda<shared_memory_work>(
      {"cuda-shared", "Shared memory", "each block repeatedly reads its share in shared memory", "cuda-16"});
  row.small({{"n", 10007}, {"passes", 3}});
  row.small({{"n", 3}, {"passes", 1}});
  return row.bench();
}

}  // namespace bb::micro
