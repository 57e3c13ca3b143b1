// Row 23 of the table of performance claims: n values iterated by a given number of threads, each with 1, 2, 4 or 8
// values at a time.
#include <algorithm>

#include "micro/row/elementwise.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace few_threads_row {
namespace {

constexpr unsigned kMaxBlock = 128;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : in(engine::uniform_values(problem.count("n"), problem.seed)),
        threads(static_cast<unsigned>(problem.count("threads"))),
        work(static_cast<int>(problem.count("work"))) {}
  TaskWork task_work() const {
    const auto n = static_cast<double>(in.size());
    return {.bytes = 8.0 * n, .flops = 2.0 * n * work};
  }
  std::vector<float> in;
  unsigned threads;
  int work;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.in.size(), 1 << 12);
  return {some.map([&](std::size_t i) { return iterated(static_cast<double>(p.in[i]), p.work); }), kIteratedLimit,
          kIteratedLimit, some.text() + " with FP64"};
}

template <std::size_t kChains>
CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->in.size());
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    in_pieces(pool, p->in.size(), 1 << 10, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; i += kChains) {
        const std::size_t count = std::min(kChains, last - i);
        float y[kChains] = {};
        std::copy_n(p->in.data() + i, count, y);
        for (int w = 0; w < p->work; ++w) {
          for (std::size_t c = 0; c < kChains; ++c) y[c] = y[c] * 0.984375f + 0.0078125f;
        }
        std::copy_n(y, count, out->data() + i);
      }
    });
  };
  work.result = [out] { return Samples(out->size(), 1 << 12).take<float>(*out); };
  work.work = p->task_work();
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in);
  const auto out = bench.buffer<float>(p->in.size());
  const unsigned block = std::min(p->threads, kMaxBlock);
  const cuda::LaunchShape shape{.grid = {blocks_for(p->threads, block)}, .block = {block}};
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    kernel.launch(to, shape, static_cast<unsigned>(p->in.size()), p->threads, p->work, in->pointer(), out->pointer());
  };
  work.result = [out](cuda::Stream& from) { return Samples(out->size(), 1 << 12).take<float>(out->read(from)); };
  work.work = p->task_work();
  const double lanes = 128.0 * bench.device()->info().multiprocessors;  // FP32 lanes per SM since Ampere
  work.quantities = [threads = p->threads, lanes] {
    return std::vector<Quantity>{{"lanes", "Threads per FP32 lane of the device", threads / lanes, ""}};
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace few_threads_row

engine::TaskBench few_threads_bench() {
  using namespace few_threads_row;
  Row<answer> row({"few-threads", "Few threads and independent chains", "kernels/micro/launch/few_threads.cpp",
                   "kernels/micro/launch/few_threads.cu", bytes});
  row.cpu<cpu_work<1>>({"cpu-1", "One chain", "each step depends on the previous one"});
  row.cpu<cpu_work<8>>({"cpu-8", "Eight chains", "eight independent values", "cpu-1"});
  row.cpu<cpu_work<64>>({"cpu-64", "64 chains", "64 independent values", "cpu-8"});
  row.cuda<with<gpu_work, Name("micro_chains_1")>>({"cuda-1", "One chain", "each step depends on the previous one"});
  row.cuda<with<gpu_work, Name("micro_chains_2")>>(
      {"cuda-2", "Two chains", "two independent values per thread", "cuda-1"});
  row.cuda<with<gpu_work, Name("micro_chains_4")>>(
      {"cuda-4", "Four chains", "four independent values per thread", "cuda-2"});
  row.cuda<with<gpu_work, Name("micro_chains_8")>>(
      {"cuda-8", "Eight chains", "eight independent values per thread", "cuda-4"});
  row.small({{"n", 1003}, {"threads", 1}, {"work", 5}});
  row.small({{"n", 1003}, {"threads", 333}, {"work", 70}});
  return row.bench();
}

}  // namespace bb::micro
