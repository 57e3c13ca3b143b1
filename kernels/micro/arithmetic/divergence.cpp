// Row 12 of the table of performance claims: each value has a key that chooses one of eight iterations; the order of
// the keys decides whether a warp diverges.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace divergence_row {
namespace {

constexpr unsigned kThreads = 256, kBranches = 8;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : work(static_cast<int>(problem.count("work"))),
        in(engine::uniform_values(problem.count("n"), problem.seed)),
        keys(in.size()) {
    const std::string& pattern = problem.word("pattern");
    Random random(problem.seed + 1);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = pattern == "same"     ? 0u
                : pattern == "warps"  ? static_cast<unsigned>(i / 32 % kBranches)
                : pattern == "halves" ? static_cast<unsigned>(i / 16 % 2)
                : pattern == "lanes"  ? static_cast<unsigned>(i % kBranches)
                                      : static_cast<unsigned>(random.index(kBranches));
    }
  }
  template <typename T>
  T at(std::size_t i) const {
    const T number = static_cast<T>(keys[i] + 1), factor = 1 - number / 64, term = number / 128;
    T y = static_cast<T>(in[i]);
    for (int w = 0; w < work; ++w) y = y * factor + term;
    return y;
  }
  TaskWork task_work() const {
    const auto n = static_cast<double>(in.size());
    return {.bytes = 12.0 * n, .flops = 2.0 * n * work};
  }
  int work;
  std::vector<float> in;
  std::vector<unsigned> keys;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.in.size());
  // Each step multiplies the error by a factor < 1, so that errors older than 64 steps are negligible.
  const double limit = 0x1p-24 * std::min(static_cast<double>(p.work) + 1, 64.0);
  // Without fused operations, the product and the sum of a step are rounded separately, so the tolerance of the largest
  // error is doubled.
  return {some.map([&](std::size_t i) { return p.at<double>(i); }), limit, 2.0 * limit, some.text() + " with FP64"};
}

template <unsigned kKey>
float branch(float y, int work) {
  constexpr float kFactor = 1.0f - static_cast<float>(kKey + 1) / 64.0f, kTerm = static_cast<float>(kKey + 1) / 128.0f;
  for (int w = 0; w < work; ++w) y = y * kFactor + kTerm;
  return y;
}

float branched(float y, unsigned key, int work) {
  switch (key) {
    case 0:
      return branch<0>(y, work);
    case 1:
      return branch<1>(y, work);
    case 2:
      return branch<2>(y, work);
    case 3:
      return branch<3>(y, work);
    case 4:
      return branch<4>(y, work);
    case 5:
      return branch<5>(y, work);
    case 6:
      return branch<6>(y, work);
    default:
      return branch<7>(y, work);
  }
}

enum class CpuMethod { kBranch, kData };

template <CpuMethod how>
CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->in.size());
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    in_pieces(pool, p->in.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
      if constexpr (how == CpuMethod::kBranch) {
        for (std::size_t i = first; i < last; ++i) (*out)[i] = branched(p->in[i], p->keys[i], p->work);
      } else {
        // Values processed together. Without branches, the compiler maps them to complete vectors.
        constexpr std::size_t kLanes = 32;
        for (std::size_t i = first; i < last; i += kLanes) {
          float y[kLanes] = {}, factor[kLanes] = {}, term[kLanes] = {};
          const std::size_t count = std::min(kLanes, last - i);
          for (std::size_t l = 0; l < count; ++l) {
            const auto number = static_cast<float>(p->keys[i + l] + 1);
            y[l] = p->in[i + l], factor[l] = 1.0f - number / 64.0f, term[l] = number / 128.0f;
          }
          for (int w = 0; w < p->work; ++w) {
            for (std::size_t l = 0; l < kLanes; ++l) y[l] = y[l] * factor[l] + term[l];
          }
          std::copy_n(y, count, out->data() + i);
        }
      }
    });
  };
  work.result = sampled(out);
  work.work = p->task_work();
  return work;
}

CudaWork gpu_work(CudaBench& bench, const char* name, bool sorted) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in);
  const auto keys = bench.upload(p->keys);
  const auto out = bench.buffer<float>(p->in.size());
  const auto n = static_cast<unsigned>(p->in.size());
  auto kernel = bench.kernel(name);
  const cuda::LaunchShape shape{.grid = {blocks_for(n, kThreads)}, .block = {kThreads}};
  CudaWork work;
  if (sorted) {
    std::vector<unsigned> by_key(p->in.size());
    std::iota(by_key.begin(), by_key.end(), 0u);
    std::ranges::stable_sort(by_key, {}, [&](unsigned i) { return p->keys[i]; });
    const auto order = bench.upload(by_key);
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, shape, n, p->work, order->pointer(), keys->pointer(), in->pointer(), out->pointer());
    };
  } else {
    work.queue = [=](cuda::Stream& to) mutable {
      kernel.launch(to, shape, n, p->work, keys->pointer(), in->pointer(), out->pointer());
    };
  }
  work.result = sampled(out);
  work.work = p->task_work();
  work.quantities = [kernel, device = bench.device()] { return cuda::launch_quantities(kernel, *device, kThreads); };
  return work;
}

double bytes(const TaskProblem& problem) { return 16.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace divergence_row

engine::TaskBench divergence_bench() {
  using namespace divergence_row;
  Row<answer> row({"divergence", "Divergence: eight branches", "kernels/micro/arithmetic/divergence.cpp",
                   "kernels/micro/arithmetic/divergence.cu", bytes});
  row.cpu<cpu_work<CpuMethod::kBranch>>(
      {"cpu-branch", "One branch per value", "jumps to the code selected by the value's key"});
  row.cpu<cpu_work<CpuMethod::kData>>({"cpu-data", "Branches replaced by data",
                                       "looks up the two constants that differ, so values are processed in vectors",
                                       "cpu-branch"});
  row.cuda<with<gpu_work, Name("micro_divergence_select"), false>>(
      {"cuda-select", "All branches, select one", "computes all eight results and selects one"});
  row.cuda<with<gpu_work, Name("micro_divergence_branch"), false>>(
      {"cuda-branch", "One branch per lane", "lanes with different keys execute one after another", "cuda-select"});
  row.cuda<with<gpu_work, Name("micro_divergence_sorted"), true>>(
      {"cuda-sorted", "Sorted beforehand", "values are sorted by key, so that each warp has one key", "cuda-branch"});
  row.cuda<with<gpu_work, Name("micro_divergence_data"), false>>(
      {"cuda-data", "Branches replaced by data", "looks up the two constants that differ: one code path",
       "cuda-branch"});
  row.small({{"n", 1003}, {"work", 9}}, {{"pattern", "same"}});
  row.small({{"n", 1003}, {"work", 9}}, {{"pattern", "warps"}});
  row.small({{"n", 1003}, {"work", 9}}, {{"pattern", "halves"}});
  row.small({{"n", 1003}, {"work", 9}}, {{"pattern", "lanes"}});
  row.small({{"n", 1003}, {"work", 100}}, {{"pattern", "random"}});
  return row.bench();
}

}  // namespace bb::micro
