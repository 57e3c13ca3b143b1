// Row 5 of the table of performance claims: a chain of dependent loads through a table of a given size, which decides
// the cache level that serves the loads.
#include "cpu/stopwatch.hpp"
#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace latency_row {
namespace {

constexpr std::size_t kLine = 128;  // bytes: one entry per line, so that every hop reads a different line
constexpr std::size_t kMaxShared_bytes = 96 * 1024;

/// Links are byte offsets from the start of the table. Entries that are not on the chain are zero.
struct Table {
  explicit Table(const TaskProblem& problem, std::size_t line = kLine)
      : entries(std::max<std::size_t>(2, problem.count("footprint_bytes") / line)),
        hops(static_cast<int>(problem.count("hops"))),
        words(entries * line / 4) {
    const std::vector<unsigned> next = one_cycle(entries, problem.seed);
    for (std::size_t i = 0; i < entries; ++i) words[i * line / 4] = static_cast<unsigned>(next[i] * line);
  }
  unsigned after(int count) const {
    unsigned at = 0;
    for (int i = 0; i < count; ++i) at = words[at / 4];
    return at;
  }

  std::size_t entries;
  int hops;
  std::vector<unsigned> words;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Table table(problem);
  return {{static_cast<double>(table.after(table.hops))}, 0, 0, "the end of the chain, which must be equal"};
}

/// A chain shorter than the table touches only a part of it, which may still be in a cache from the previous
/// repetition.
Quantity touched_memory(const Table& table) {
  const std::size_t lines = std::min(table.entries, static_cast<std::size_t>(table.hops));
  return {"touched", "Memory touched by the chain", 1e-6 * static_cast<double>(lines * kLine), "MB"};
}

CpuWork cpu_work(CpuBench& bench) {
  using cpu::Clock;
  const auto table = std::make_shared<const Table>(bench.problem());
  struct State {
    unsigned end = 0;
    double seconds = 0;
  };
  const auto state = std::make_shared<State>();
  CpuWork work;
  work.run = [table, state] {
    const Clock::time_point start = Clock::now();
    // The pointer is volatile, so that every load is executed, and in order.
    const volatile unsigned* words = table->words.data();
    unsigned at = 0;
    for (int i = 0; i < table->hops; ++i) at = words[at / 4];
    state->end = at;
    state->seconds = cpu::seconds_since(start);
  };
  work.result = [state] { return std::vector<double>{static_cast<double>(state->end)}; };
  work.quantities = [table, state] {
    return std::vector<Quantity>{{"latency", "Per load", 1e9 * state->seconds / table->hops, "ns"},
                                 touched_memory(*table)};
  };
  return work;
}

enum class LoadPath { kDefault, kPastL1, kUncached, kShared };

constexpr const char* kernel_of(LoadPath where) {
  return where == LoadPath::kPastL1     ? "micro_chase_l2"
         : where == LoadPath::kUncached ? "micro_chase_uncached"
                                        : "micro_chase_global";
}

CudaWork gpu_work(CudaBench& bench, LoadPath where) {
  const auto table = std::make_shared<const Table>(bench.problem());
  const auto words = bench.upload(table->words);
  const auto out = bench.buffer<long long>(2);
  CudaWork work;
  if (where == LoadPath::kShared) {
    auto kernel = bench.kernel("micro_chase_shared");
    const auto entries = static_cast<unsigned>(words->size());
    kernel.allow_dynamic_shared(4 * entries);
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, {.grid = {1}, .block = {128}, .dynamic_shared_bytes = 4 * entries}, words->pointer(), entries,
                    table->hops, out->pointer());
    };
  } else {
    work.queue = [=, kernel = bench.kernel(kernel_of(where))](cuda::Stream& to) mutable {
      kernel.launch(to, {}, words->pointer(), table->hops, out->pointer());
    };
  }
  work.result = [out](cuda::Stream& from) { return std::vector<double>{static_cast<double>(out->read(from)[0])}; };
  work.quantities = [=, stream = &bench.stream()] {
    const double cycles = static_cast<double>(out->read(*stream)[1]) / table->hops;
    return std::vector<Quantity>{{"cycles", "Per load", cycles, "cycles"}, touched_memory(*table)};
  };
  return work;
}

std::string refuses_shared(const TaskProblem& problem) {
  const std::size_t footprint = problem.count("footprint_bytes");
  if (footprint <= kMaxShared_bytes) return "";
  return "footprint_bytes = " + std::to_string(footprint) +
         " does not fit into a block's shared memory; allowed: " + std::to_string(kMaxShared_bytes);
}

double bytes(const TaskProblem& problem) { return static_cast<double>(problem.count("footprint_bytes")); }

}  // namespace
}  // namespace latency_row

engine::TaskBench latency_bench() {
  using namespace latency_row;
  Row<answer> row({"latency", "Latency by level: a chain of loads", "kernels/micro/memory/latency.cpp",
                   "kernels/micro/memory/latency.cu", bytes});
  row.cpu<cpu_work>({"cpu", "CPU caches", "one core, each load depends on the previous one", "", "int"});
  row.cuda<with<gpu_work, LoadPath::kPastL1>>(
      {"cuda-l2", "Bypassing L1", "loads that are not cached in L1 (ld.cg)", "", "int"});
  row.cuda<with<gpu_work, LoadPath::kDefault>>(
      {"cuda-global", "All caches", "loads that are cached in L1 (ld.ca)", "cuda-l2", "int"});
  row.cuda<with<gpu_work, LoadPath::kUncached>>(
      {"cuda-uncached", "Volatile", "loads that are fetched again (ld.cv)", "cuda-l2", "int"});
  row.cuda<with<gpu_work, LoadPath::kShared>>(
      {"cuda-shared", "Shared memory", "the table is first copied to shared memory", "cuda-global", "int"},
      refuses_shared);
  row.small({{"footprint_bytes", 12345}, {"hops", 1001}});
  row.small({{"footprint_bytes", 300000}, {"hops", 777}});
  return row.bench();
}

}  // namespace bb::micro
