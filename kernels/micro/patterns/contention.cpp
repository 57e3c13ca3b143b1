// Row 10 of the table of performance claims: cost of an addition when more threads use the same address. A published
// note calls the cost quadratic; the exponent is measured here.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "cuda/device/stream.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace contention_row {
namespace {

constexpr unsigned kThreads = 256;
/// With compare-and-swap, the success of one thread makes all others fail. A launch with more threads than this takes
/// seconds.
constexpr std::size_t kMaxCompareWriters = 4096;
constexpr int kTimings = 5;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : writers(static_cast<unsigned>(problem.count("writers"))),
        additions(static_cast<unsigned>(problem.count("additions"))),
        addresses(std::min(static_cast<unsigned>(problem.count("addresses")), writers)) {}
  static unsigned weight_of(unsigned thread) { return 1 + thread % 7; }
  double total() const { return static_cast<double>(writers) * additions; }

  unsigned writers, additions, addresses;
};

/// Sums wrap at 2^32, in every variant alike.
ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  std::vector<unsigned> sums(p.addresses);
  for (unsigned thread = 0; thread < p.writers; ++thread)
    sums[thread % p.addresses] += p.additions * Problem::weight_of(thread);
  const Samples some(p.addresses);
  return {some.take<unsigned>(sums), 0, 0, some.text() + ", which must be equal"};
}

std::vector<Quantity> costs(const Problem& p, double seconds) {
  return {{"addition", "Per addition", 1e9 * seconds / p.total(), "ns"}};
}

CpuWork cpu_work(CpuBench& bench) {
  const Problem p(bench.problem());
  const auto sums = std::make_shared<std::vector<std::atomic<unsigned>>>(p.addresses);
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    for (std::atomic<unsigned>& sum : *sums) sum.store(0, std::memory_order_relaxed);
    in_pieces(pool, p.writers, std::max<std::size_t>(1, p.writers / 64), [&](std::size_t from, std::size_t to) {
      for (std::size_t thread = from; thread < to; ++thread) {
        const auto writer = static_cast<unsigned>(thread);
        std::atomic<unsigned>& mine = (*sums)[writer % p.addresses];
        for (unsigned i = 0; i < p.additions; ++i)
          mine.fetch_add(Problem::weight_of(writer), std::memory_order_relaxed);
      }
    });
  };
  work.result = [=] {
    return Samples(p.addresses).map([&](std::size_t i) { return (*sums)[i].load(std::memory_order_relaxed); });
  };
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const Problem p(bench.problem());
  const auto out = bench.buffer<unsigned>(p.addresses);
  auto kernel = bench.kernel(name);
  auto add = [=](cuda::Stream& to, unsigned writers) mutable {
    out->fill_bytes(0, to);
    kernel.launch(to, {.grid = {blocks_for(writers, kThreads)}, .block = {kThreads}}, writers, p.additions, p.addresses,
                  out->pointer());
  };
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable { add(to, p.writers); };
  work.result = sampled(out);
  work.quantities = [=, device = bench.device(), stream = &bench.stream()]() mutable {
    cuda::Event start(device), end(device);
    const auto timed = [&](unsigned writers) {
      double least = INFINITY;
      for (int i = 0; i < kTimings; ++i) {
        start.record(*stream);
        add(*stream, writers);
        end.record(*stream);
        end.synchronize(*stream);
        least = std::min(least, end.seconds_since(start));
      }
      return least;
    };
    std::vector<Quantity> of;
    if (p.writers >= 2) {
      const double half = timed(p.writers / 2), all = timed(p.writers);
      of = costs(p, all);
      if (half > 0) {
        const double ratio = static_cast<double>(p.writers) / (p.writers / 2);
        of.push_back({"exponent", "Exponent of the time as a power of the number of writers",
                      std::log(all / half) / std::log(ratio), ""});
      }
    }
    return of;
  };
  return work;
}

std::string refuses_many(const TaskProblem& problem) {
  const std::size_t writers = problem.count("writers");
  if (writers <= kMaxCompareWriters) return "";
  return "writers = " + std::to_string(writers) +
         " with compare-and-swap would need seconds; allowed: " + std::to_string(kMaxCompareWriters);
}

double bytes(const TaskProblem& problem) { return 4.0 * static_cast<double>(problem.count("addresses")); }

}  // namespace
}  // namespace contention_row

engine::TaskBench contention_bench() {
  using namespace contention_row;
  Row<answer> row({"contention", "Atomics on one address", "kernels/micro/patterns/contention.cpp",
                   "kernels/micro/patterns/contention.cu", bytes});
  row.cpu<cpu_work>({"cpu", "All cores", "one atomic per addition", "", "int"});
  row.cuda<with<gpu_work, Name("micro_contend_add")>>(
      {"cuda-add", "One atomic per addition", "L2 executes the additions one after another", "", "int"});
  row.cuda<with<gpu_work, Name("micro_contend_cas")>>(
      {"cuda-cas", "Compare-and-swap", "retries until no other thread intervened", "cuda-add", "int"}, refuses_many);
  row.cuda<with<gpu_work, Name("micro_contend_warp")>>(
      {"cuda-warp", "One atomic per warp", "lanes with the same address first sum by shuffles", "cuda-add", "int"});
  row.cuda<with<gpu_work, Name("micro_contend_own")>>(
      {"cuda-own", "One atomic per thread", "each thread first sums privately", "cuda-warp", "int"});
  row.small({{"writers", 1003}, {"additions", 5}, {"addresses", 1}});
  row.small({{"writers", 4096}, {"additions", 3}, {"addresses", 7}});
  row.small({{"writers", 33}, {"additions", 2}, {"addresses", 1000}});
  row.small({{"writers", 1}, {"additions", 1}, {"addresses", 1}});
  return row.bench();
}

}  // namespace bb::micro
