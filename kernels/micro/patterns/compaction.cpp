// Row 9 of the table of performance claims: the values below a threshold, packed in the order of arrival.
#include <algorithm>

#include "micro/row/row.hpp"

namespace bb::micro {
namespace compaction_row {
namespace {

constexpr unsigned kThreads = 256;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : values(engine::uniform_values(problem.count("n"), problem.seed)),
        threshold(static_cast<float>(2.0 * problem.number("kept") - 1.0)) {}  // values are in [-1, 1)
  std::size_t kept() const {
    return static_cast<std::size_t>(std::ranges::count_if(values, [&](float v) { return v < threshold; }));
  }
  TaskWork work() const {
    return {.bytes = 4.0 * static_cast<double>(values.size()) + 4.0 * static_cast<double>(kept())};
  }
  std::vector<float> values;
  float threshold;
};

/// Returns the number of values and a sample of the sorted values, because the order of arrival is arbitrary.
std::vector<double> summary(std::vector<float> kept) {
  std::ranges::sort(kept);
  std::vector<double> out{static_cast<double>(kept.size())};
  if (kept.empty()) return out;
  const std::vector<double> some = Samples(kept.size()).take<float>(kept);
  out.insert(out.end(), some.begin(), some.end());
  return out;
}

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  std::vector<float> kept;
  std::ranges::copy_if(p.values, std::back_inserter(kept), [&](float v) { return v < p.threshold; });
  const Samples some(kept.size());
  return {summary(std::move(kept)), 0, 0,
          "the number of retained values and, sorted, " + some.text() + ", which must be equal"};
}

struct CompactedValues {
  std::vector<float> values;
  std::size_t count = 0;
};

CpuWork branch_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto kept = std::make_shared<CompactedValues>(CompactedValues{std::vector<float>(p->values.size())});
  CpuWork work;
  work.run = [p, kept] {
    std::size_t count = 0;
    for (const float v : p->values) {
      if (v < p->threshold) kept->values[count++] = v;
    }
    kept->count = count;
  };
  work.result = [kept] {
    return summary({kept->values.begin(), kept->values.begin() + static_cast<std::ptrdiff_t>(kept->count)});
  };
  work.work = p->work();
  return work;
}

/// Writes every value, but advances the position only after values that pass the test.
CpuWork without_branch(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto kept = std::make_shared<CompactedValues>(CompactedValues{std::vector<float>(p->values.size() + 1)});
  CpuWork work;
  work.run = [p, kept] {
    std::size_t count = 0;
    float* to = kept->values.data();
    for (const float v : p->values) {
      to[count] = v;
      count += v < p->threshold ? 1 : 0;
    }
    kept->count = count;
  };
  work.result = [kept] {
    return summary({kept->values.begin(), kept->values.begin() + static_cast<std::ptrdiff_t>(kept->count)});
  };
  work.work = p->work();
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->values);
  const std::size_t n = in->size();
  const auto out = bench.buffer<float>(n);
  const auto count = bench.buffer<unsigned>(1);
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    count->fill_bytes(0, to);
    kernel.launch(to, {.grid = {blocks_for(n, kThreads)}, .block = {kThreads}}, static_cast<unsigned>(n), p->threshold,
                  in->pointer(), out->pointer(), count->pointer());
  };
  work.result = [=](cuda::Stream& from) {
    std::vector<float> kept(std::min<std::size_t>(count->read(from)[0], n));
    out->download(std::span<float>(kept), from);
    from.synchronize();
    return summary(std::move(kept));
  };
  work.work = p->work();
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace compaction_row

engine::TaskBench compaction_bench() {
  using namespace compaction_row;
  Row<answer> row({"compaction", "Compaction: the values below a threshold", "kernels/micro/patterns/compaction.cpp",
                   "kernels/micro/patterns/compaction.cu", bytes});
  row.cpu<branch_work>({"cpu-branch", "With a branch", "tests each value, then writes it"});
  row.cpu<without_branch>(
      {"cpu-branchless", "Branchless", "always writes, and advances only for retained values", "cpu-branch"});
  row.cuda<with<gpu_work, Name("micro_compact_atomics")>>(
      {"cuda-atomics", "One atomic per value", "each retained value requests an index"});
  row.cuda<with<gpu_work, Name("micro_compact_ballot")>>(
      {"cuda-ballot", "One ballot per warp", "the lanes of a warp vote, and one lane requests indices for all",
       "cuda-atomics"});
  row.cuda<with<gpu_work, Name("micro_compact_block")>>(
      {"cuda-block", "One atomic per block", "the warps of a block sum their ballots", "cuda-ballot"});
  row.small({{"n", 10007}, {"kept", 0.3}});
  row.small({{"n", 33}, {"kept", 1}});
  row.small({{"n", 100}, {"kept", 0}});
  return row.bench();
}

}  // namespace bb::micro
