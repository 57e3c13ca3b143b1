// Rows 9 and 10 of the table of performance claims: latency of one shuffle, vote or atomic operation in a chain where
// each waits for the one before.
#include "cpu/stopwatch.hpp"
#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace instruction_latency_row {
namespace {

constexpr std::size_t kLanes = 32;
constexpr const char* kCompared = "the result of the last operation, which must be equal";

int operations_of(const TaskProblem& problem) { return static_cast<int>(problem.count("operations")); }

ExpectedResult exact_result(double value) { return {{value}, 0, 0, kCompared}; }

/// Last entry of a chain of reads through 32 entries.
ExpectedResult last_link(const TaskProblem& problem) {
  const std::vector<unsigned> next = one_cycle(kLanes, problem.seed);
  unsigned at = 0;
  for (int i = 0; i < operations_of(problem); ++i) at = next[at];
  return exact_result(at);
}

ExpectedResult last_sum(const TaskProblem& problem) {
  unsigned at = 0;
  for (int i = 0; i < operations_of(problem); ++i) at = at * 1664525u + 1013904223u;
  return exact_result(at);
}

ExpectedResult last_ballot(const TaskProblem& problem) {
  return exact_result(operations_of(problem) % 2 == 0 ? 0.0 : 0xffffffffu);
}

ExpectedResult last_any(const TaskProblem& problem) { return exact_result(operations_of(problem) % 2); }

/// Mask of the lanes 0, 4, 8 …, which every operation of the chain returns.
ExpectedResult last_match(const TaskProblem&) { return exact_result(0x11111111u); }

CpuWork cpu_work(CpuBench& bench) {
  using cpu::Clock;
  const auto next = std::make_shared<const std::vector<unsigned>>(one_cycle(kLanes, bench.problem().seed));
  const int operations = operations_of(bench.problem());
  struct State {
    unsigned end = 0;
    double seconds = 0;
  };
  const auto state = std::make_shared<State>();
  CpuWork work;
  work.run = [=] {
    const Clock::time_point start = Clock::now();
    const volatile unsigned* table = next->data();
    unsigned at = 0;
    for (int i = 0; i < operations; ++i) at = table[at];
    state->end = at;
    state->seconds = cpu::seconds_since(start);
  };
  work.result = [state] { return std::vector<double>{static_cast<double>(state->end)}; };
  work.quantities = [=] {
    return std::vector<Quantity>{{"latency", "Per operation", 1e9 * state->seconds / operations, "ns"}};
  };
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name, unsigned threads) {
  const int operations = operations_of(bench.problem());
  const auto table = bench.upload(one_cycle(kLanes, bench.problem().seed));
  const auto out = bench.buffer<long long>(2);
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    kernel.launch(to, {.block = {threads}}, table->pointer(), operations, 0u, out->pointer());
  };
  work.result = [out](cuda::Stream& from) { return std::vector<double>{static_cast<double>(out->read(from)[0])}; };
  work.quantities = [=, stream = &bench.stream()] {
    const double cycles = static_cast<double>(out->read(*stream)[1]) / operations;
    return std::vector<Quantity>{{"cycles", "Per operation", cycles, "cycles"}};
  };
  return work;
}

double bytes(const TaskProblem&) { return 4.0 * kLanes; }

}  // namespace
}  // namespace instruction_latency_row

engine::TaskBench instruction_latency_bench() {
  using namespace instruction_latency_row;
  constexpr unsigned kWarp = 32;
  Row<last_link> row({"instruction-latency", "Latency of shuffles, votes and atomics",
                      "kernels/micro/arithmetic/instruction_latency.cpp",
                      "kernels/micro/arithmetic/instruction_latency.cu", bytes});
  row.cpu<cpu_work>({"cpu", "Table with 32 entries", "one core, each load depends on the previous one", "", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_add"), kWarp>, last_sum>(
      {"cuda-add", "Multiply-add", "integer multiply-add, the shortest dependent chain", "", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_shuffle"), kWarp>>(
      {"cuda-shuffle", "Shuffles", "a lane reads another lane's register", "cuda-add", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_ballot"), kWarp>, last_ballot>(
      {"cuda-ballot", "Ballots", "tests one bit and ballots it over the warp", "cuda-shuffle", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_any"), kWarp>, last_any>(
      {"cuda-any", "Any", "a comparison, a warp vote, and its result as a number", "cuda-ballot", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_match"), kWarp>, last_match>(
      {"cuda-match", "Match", "finds lanes with the same value, in four groups", "cuda-ballot", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_atomic_shared"), 1u>>(
      {"cuda-atomic-shared", "Atomics in shared memory", "one thread adds, and continues with the returned value",
       "cuda-shuffle", "int"});
  row.cuda<with<gpu_work, Name("micro_chain_atomic_global"), 1u>>(
      {"cuda-atomic-global", "Atomics in global memory", "the same, executed by L2", "cuda-atomic-shared", "int"});
  row.small({{"operations", 1001}});
  row.small({{"operations", 8}});
  return row.bench();
}

}  // namespace bb::micro
