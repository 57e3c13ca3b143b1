// Row 9 of the table of performance claims: a search that may stop at the first hit. Votes can only save the part of a
// row that follows the hit.
#include <algorithm>

#include "micro/row/row.hpp"

namespace bb::micro {
namespace early_exit_row {
namespace {

constexpr unsigned kThreads = 256;

/// Rows of values below 1 with one value above 1 near the requested position; the position differs between neighbouring
/// rows.
struct Problem {
  explicit Problem(const TaskProblem& problem)
      : rows(static_cast<unsigned>(problem.count("rows"))),
        length(static_cast<unsigned>(problem.count("length"))),
        values(engine::uniform_values(std::size_t{rows} * length, problem.seed)),
        first(rows, length) {
    const double place = problem.numbers.at("place");
    for (unsigned row = 0; row < rows; ++row) {
      const auto at = static_cast<unsigned>(place * length) + row % 32;
      if (place >= 1.0 || at >= length) continue;
      values[std::size_t{row} * length + at] = 2.0f;
      first[row] = at;
    }
  }
  /// Bytes read by a search that checks `step` values per decision.
  double read(unsigned step) const {
    double sum = 0;
    for (const unsigned at : first) sum += std::min(length, (at / step + 1) * step);
    return 4.0 * (sum + rows);
  }

  unsigned rows, length;
  std::vector<float> values;
  std::vector<unsigned> first;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.rows);
  return {some.take<unsigned>(p.first), 0, 0, some.text() + ", which must be equal"};
}

CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto first = std::make_shared<std::vector<unsigned>>(p->rows);
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    in_pieces(pool, p->rows, 1024, [&](std::size_t from, std::size_t to) {
      for (std::size_t row = from; row < to; ++row) {
        const auto begin = p->values.begin() + static_cast<std::ptrdiff_t>(row * p->length);
        const auto hit = std::find_if(begin, begin + p->length, [](float value) { return value > 1.0f; });
        (*first)[row] = static_cast<unsigned>(hit - begin);
      }
    });
  };
  work.result = sampled(first);
  work.work = {.bytes = p->read(1)};
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name, unsigned step, unsigned threads_a_row) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto values = bench.upload(p->values);
  const auto first = bench.buffer<unsigned>(p->rows);
  auto kernel = bench.kernel(name);
  const unsigned blocks = std::min(resident_blocks(kernel, *bench.device(), kThreads),
                                   blocks_for(std::size_t{p->rows} * threads_a_row, kThreads));
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks}, .block = {kThreads}}, p->rows, p->length, values->pointer(), first->pointer());
  };
  work.result = sampled(first);
  work.work = {.bytes = p->read(step == 0 ? p->length : step)};
  return work;
}

double bytes(const TaskProblem& problem) {
  return 8.0 * static_cast<double>(problem.count("rows")) * static_cast<double>(problem.count("length"));
}

}  // namespace
}  // namespace early_exit_row

engine::TaskBench early_exit_bench() {
  using namespace early_exit_row;
  Row<answer> row({"early-exit", "Early exit by a vote", "kernels/micro/patterns/early_exit.cpp",
                   "kernels/micro/patterns/early_exit.cu", bytes});
  row.cpu<cpu_work>({"cpu", "All cores", "scans each row up to its first hit"});
  row.cuda<with<gpu_work, Name("micro_exit_none"), 0u, 32u>>(
      {"cuda-whole", "Complete rows", "one warp per row reads the complete row"});
  row.cuda<with<gpu_work, Name("micro_exit_any"), 32u, 32u>>(
      {"cuda-any", "Vote after each load", "a vote (any) after every 32 values", "cuda-whole"});
  row.cuda<with<gpu_work, Name("micro_exit_all"), 128u, 32u>>(
      {"cuda-all", "Vote after four loads", "a vote (all) after every 128 values", "cuda-any"});
  row.cuda<with<gpu_work, Name("micro_exit_thread"), 1u, 1u>>(
      {"cuda-thread", "One thread per row", "no vote: each thread stops on its own", "cuda-any"});
  row.small({{"rows", 103}, {"length", 1003}, {"place", 0.3}});
  row.small({{"rows", 33}, {"length", 77}, {"place", 0.9}});
  row.small({{"rows", 5}, {"length", 129}, {"place", 1}});
  row.small({{"rows", 65}, {"length", 1}, {"place", 0}});
  return row.bench();
}

}  // namespace bb::micro
