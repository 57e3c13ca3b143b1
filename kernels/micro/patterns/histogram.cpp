// Row 10 of the table of performance claims, and the key grouping of row 9: sums by key, with frequent or rare
// collisions of keys.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace histogram_row {
namespace {

constexpr unsigned kThreads = 256;

/// Keys, and integer weights 1 … 16 or fractions in [0, 1). FP32 sums of the integers are exact below 2^24.
struct Problem {
  explicit Problem(const TaskProblem& problem)
      : bins(static_cast<unsigned>(problem.count("bins"))), keys(problem.count("n")), weights(keys.size()) {
    Random random(problem.seed);
    const bool zipf = problem.word("distribution") == "zipf";
    const double top = std::log(static_cast<double>(bins) + 1.0);
    const bool fractions = problem.word("weights") != "int";
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // Zipf's distribution: the probability of key k is proportional to 1 / (k + 1). A logarithm approximates its
      // cumulative sum, which is inverted here.
      const double key = zipf ? std::exp(random.unit() * top) - 1.0 : random.unit() * bins;
      keys[i] = std::min(static_cast<unsigned>(key), bins - 1);
      weights[i] = fractions ? static_cast<double>(static_cast<float>(random.unit()))
                             : static_cast<double>(1 + random.index(16));
    }
  }
  TaskWork work(std::size_t weight_bytes) const {
    const auto n = static_cast<double>(keys.size());
    return {.bytes = n * (4.0 + static_cast<double>(weight_bytes)) + static_cast<double>(bins * weight_bytes),
            .flops = n};
  }
  unsigned bins;
  std::vector<unsigned> keys;
  std::vector<double> weights;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  std::vector<double> sums(p.bins);
  std::vector<std::size_t> counts(p.bins);
  for (std::size_t i = 0; i < p.keys.size(); ++i) sums[p.keys[i]] += p.weights[i], ++counts[p.keys[i]];
  const Samples some(p.bins);
  // Tolerance for a chain of FP32 additions in the fullest bin.
  const auto fullest = static_cast<double>(*std::ranges::max_element(counts));
  const std::string& weights = problem.word("weights");
  const double limit = weights == "int"    ? 0.0
                       : weights == "fp32" ? chain_limit(fullest)
                                           : 10.0 * 0x1p-53 * std::sqrt(fullest) + 0x1p-51;
  return {some.take<double>(sums), limit, limit,
          some.text() + (weights == "int" ? ", which must be equal" : " with FP64")};
}

template <typename T>
std::vector<T> weights_as(const Problem& p) {
  return {p.weights.begin(), p.weights.end()};
}

std::size_t weight_bytes(const TaskProblem& problem) { return problem.word("weights") == "fp64" ? 8 : 4; }

/// Calls `with` with a value of the weights' type.
template <typename F>
auto by_type(const TaskProblem& problem, F&& with) {
  const std::string& weights = problem.word("weights");
  if (weights == "fp64") return with(double{}, "fp64");
  if (weights == "fp32") return with(float{}, "fp32");
  return with(unsigned{}, "int");
}

CpuWork one_core_work(CpuBench& bench) {
  return by_type(bench.problem(), [&](auto type, const char*) {
    using T = decltype(type);
    const auto p = std::make_shared<const Problem>(bench.problem());
    const auto weights = std::make_shared<const std::vector<T>>(weights_as<T>(*p));
    const auto sums = std::make_shared<std::vector<T>>(p->bins);
    CpuWork work;
    work.run = [=] {
      std::ranges::fill(*sums, T(0));
      for (std::size_t i = 0; i < p->keys.size(); ++i) (*sums)[p->keys[i]] += (*weights)[i];
    };
    work.result = [=] { return Samples(p->bins).take<T>(*sums); };
    work.work = p->work(sizeof(T));
    return work;
  });
}

CpuWork all_cores_work(CpuBench& bench) {
  return by_type(bench.problem(), [&](auto type, const char*) {
    using T = decltype(type);
    const auto p = std::make_shared<const Problem>(bench.problem());
    const auto weights = std::make_shared<const std::vector<T>>(weights_as<T>(*p));
    const auto lanes = static_cast<std::size_t>(bench.pool().lanes());
    const auto own = std::make_shared<std::vector<std::vector<T>>>(lanes, std::vector<T>(p->bins));
    CpuWork work;
    work.run = [=, &pool = bench.pool()] {
      const std::size_t n = p->keys.size(), share = (n + lanes - 1) / lanes;
      pool.run(static_cast<int>(lanes), [&](int task, int) {
        std::vector<T>& sums = (*own)[static_cast<std::size_t>(task)];
        std::ranges::fill(sums, T(0));
        const std::size_t first = static_cast<std::size_t>(task) * share;
        for (std::size_t i = first; i < std::min(n, first + share); ++i) sums[p->keys[i]] += (*weights)[i];
      });
      for (std::size_t lane = 1; lane < lanes; ++lane) {
        for (std::size_t b = 0; b < p->bins; ++b) (*own)[0][b] += (*own)[lane][b];
      }
    };
    work.result = [=] { return Samples(p->bins).take<T>((*own)[0]); };
    work.work = p->work(sizeof(T));
    return work;
  });
}

enum class Accumulation { kGlobal, kWarp, kShared, kSorted };

constexpr const char* stem(Accumulation how) {
  return how == Accumulation::kGlobal   ? "micro_histogram_global_"
         : how == Accumulation::kWarp   ? "micro_histogram_warp_"
         : how == Accumulation::kShared ? "micro_histogram_shared_"
                                        : "micro_histogram_segments_";
}

/// Weights sorted by key, and the first index of each key.
template <typename T>
std::pair<std::vector<T>, std::vector<unsigned>> sorted(const Problem& p) {
  std::vector<unsigned> begin(p.bins + std::size_t{1});
  for (const unsigned key : p.keys) ++begin[key + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<unsigned> next(begin.begin(), begin.end() - 1);
  std::vector<T> weights(p.keys.size());
  for (std::size_t i = 0; i < p.keys.size(); ++i) weights[next[p.keys[i]]++] = static_cast<T>(p.weights[i]);
  return {std::move(weights), std::move(begin)};
}

/// Largest difference between two repetitions, relative to the largest sum.
template <typename T>
double run_to_run(const std::vector<T>& first, const std::vector<T>& second) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(first[i]) - static_cast<double>(second[i])));
    largest = std::max(largest, std::abs(static_cast<double>(first[i])));
  }
  return largest > 0 ? worst / largest : 0;
}

CudaWork gpu_work(CudaBench& bench, Accumulation how) {
  return by_type(bench.problem(), [&](auto type, const char* name) {
    using T = decltype(type);
    const auto p = std::make_shared<const Problem>(bench.problem());
    const auto n = static_cast<unsigned>(p->keys.size());
    const auto sums = bench.buffer<T>(p->bins);
    auto kernel = bench.kernel((std::string(stem(how)) + name).c_str());
    cuda::LaunchShape shape{.block = {kThreads}};
    if (how == Accumulation::kShared) {
      shape.dynamic_shared_bytes = p->bins * static_cast<unsigned>(sizeof(T));
      kernel.allow_dynamic_shared(shape.dynamic_shared_bytes);
    }
    const unsigned resident = resident_blocks(kernel, *bench.device(), kThreads, shape.dynamic_shared_bytes);
    CudaWork work;
    if (how == Accumulation::kSorted) {
      const auto [by_key, begin] = sorted<T>(*p);
      const auto weights = bench.upload(by_key);
      const auto begins = bench.upload(begin);
      shape.grid = {std::min(resident, blocks_for(std::size_t{p->bins} * 32, kThreads))};
      work.queue = [=](cuda::Stream& to) mutable {
        kernel.launch(to, shape, p->bins, begins->pointer(), weights->pointer(), sums->pointer());
      };
    } else {
      const auto keys = bench.upload(p->keys);
      const auto weights = bench.upload(weights_as<T>(*p));
      shape.grid = {std::min(resident, blocks_for(n, kThreads))};
      work.queue = [=](cuda::Stream& to) mutable {
        sums->fill_bytes(0, to);
        if (how == Accumulation::kShared) {
          kernel.launch(to, shape, n, p->bins, keys->pointer(), weights->pointer(), sums->pointer());
        } else {
          kernel.launch(to, shape, n, keys->pointer(), weights->pointer(), sums->pointer());
        }
      };
    }
    work.result = [p, sums](cuda::Stream& from) { return Samples(p->bins).template take<T>(sums->read(from)); };
    work.work = p->work(sizeof(T));
    if constexpr (!std::is_same_v<T, unsigned>) {
      work.quantities = [sums, queue = work.queue, stream = &bench.stream()] {
        const std::vector<T> before = sums->read(*stream);
        queue(*stream);
        return std::vector<Quantity>{
            {"run-to-run", "Largest difference between two repetitions", run_to_run(before, sums->read(*stream)), ""}};
      };
    }
    return work;
  });
}

std::string refuses_shared(const TaskProblem& problem) {
  const std::size_t need = problem.count("bins") * weight_bytes(problem);
  constexpr std::size_t kMax = 96 * 1024;
  if (need <= kMax) return "";
  return "bins = " + std::to_string(problem.count("bins")) + " need " + std::to_string(need) +
         " bytes of shared memory per block; allowed: " + std::to_string(kMax);
}

double bytes(const TaskProblem& problem) {
  return 16.0 * static_cast<double>(problem.count("n")) + 16.0 * static_cast<double>(problem.count("bins"));
}

}  // namespace
}  // namespace histogram_row

engine::TaskBench histogram_bench() {
  using namespace histogram_row;
  Row<answer> row({"histogram", "Histogram: atomics under contention", "kernels/micro/patterns/histogram.cpp",
                   "kernels/micro/patterns/histogram.cu", bytes});
  row.cpu<one_core_work>({"cpu-one", "One core", "one thread adds", "", "as weights"});
  row.cpu<all_cores_work>(
      {"cpu", "One histogram per thread", "each thread has a private histogram", "cpu-one", "as weights"});
  row.cuda<with<gpu_work, Accumulation::kGlobal>>(
      {"cuda-global", "One atomic per value", "in global memory", "", "as weights"});
  row.cuda<with<gpu_work, Accumulation::kWarp>>({"cuda-warp", "Aggregated by warp",
                                                 "lanes with the same key find each other (match) and sum first",
                                                 "cuda-global", "as weights"});
  row.cuda<with<gpu_work, Accumulation::kShared>>(
      {"cuda-shared", "One histogram per block", "in shared memory, added to the result at the end", "cuda-global",
       "as weights"},
      refuses_shared);
  row.cuda<with<gpu_work, Accumulation::kSorted>>({"cuda-sorted", "Sorted beforehand",
                                                   "a warp sums the values of a key, sorted before timing",
                                                   "cuda-global", "as weights"});
  row.small({{"n", 10007}, {"bins", 37}}, {{"distribution", "uniform"}, {"weights", "int"}});
  row.small({{"n", 10007}, {"bins", 1000}}, {{"distribution", "zipf"}, {"weights", "fp32"}});
  row.small({{"n", 1001}, {"bins", 1}}, {{"distribution", "uniform"}, {"weights", "fp64"}});
  row.small({{"n", 999}, {"bins", 50000}}, {{"distribution", "zipf"}, {"weights", "int"}});
  return row.bench();
}

}  // namespace bb::micro
