// Row 4 of the table of performance claims: out[i] = in[offset + stride * order(i)], with elements of 4, 8 and 16
// bytes.
#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace coalescing_row {
namespace {

constexpr unsigned kThreads = 256;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : n(problem.count("n")),
        stride(problem.count("stride")),
        offset(problem.count("offset")),
        words(problem.count("element_bytes") / 4),
        random(problem.word("order") == "random"),
        values(engine::uniform_values(((n - 1) * stride + offset + 1) * words, problem.seed)) {
    order = random ? shuffled(n, problem.seed + 1) : std::vector<unsigned>();
  }

  std::size_t from(std::size_t i) const { return offset + stride * (random ? order[i] : i); }
  TaskWork work() const {
    return {.bytes = static_cast<double>(n) * (8.0 * static_cast<double>(words) + (random ? 4.0 : 0.0))};
  }

  std::vector<double> results(const std::vector<float>& out) const { return Samples(n * words).take<float>(out); }

  std::size_t n, stride, offset, words;
  bool random;
  std::vector<float> values;
  std::vector<unsigned> order;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.n * p.words);
  return {some.map([&](std::size_t at) { return p.values[p.from(at / p.words) * p.words + at % p.words]; }), 0, 0,
          some.text() + ", which must be equal"};
}

CpuWork cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->n * p->words);
  CpuWork work;
  work.run = [p, out, &pool = bench.pool()] {
    in_pieces(pool, p->n, 1 << 16, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t w = 0; w < p->words; ++w) (*out)[i * p->words + w] = p->values[p->from(i) * p->words + w];
      }
    });
  };
  work.result = [p, out] { return p->results(*out); };
  work.work = p->work();
  return work;
}

/// Visits the elements in memory order, and scatters the results.
CpuWork cpu_scatter_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(p->n * p->words);
  const auto place = std::make_shared<std::vector<unsigned>>(p->n);
  for (std::size_t i = 0; i < p->n; ++i) (*place)[p->random ? p->order[i] : i] = static_cast<unsigned>(i);
  CpuWork work;
  work.run = [p, out, place, &pool = bench.pool()] {
    in_pieces(pool, p->n, 1 << 16, [&](std::size_t first, std::size_t last) {
      for (std::size_t j = first; j < last; ++j) {
        const float* from = p->values.data() + (p->offset + p->stride * j) * p->words;
        for (std::size_t w = 0; w < p->words; ++w) (*out)[(*place)[j] * p->words + w] = from[w];
      }
    });
  };
  work.result = [p, out] { return p->results(*out); };
  work.work = p->work();
  return work;
}

const char* words_work(std::size_t words, const char* one, const char* two, const char* four) {
  return words == 1 ? one : words == 2 ? two : four;
}

enum class GpuMethod { kDirect, kStaged, kPacked };

/// Kernels for different element sizes differ only in their parameter types, so the pointers are passed without
/// conversion.
CudaWork gpu_work(CudaBench& bench, GpuMethod how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  auto values = p->values;
  auto stride = static_cast<unsigned>(p->stride), offset = static_cast<unsigned>(p->offset);
  if (how == GpuMethod::kPacked) {
    values.resize(p->n * p->words);
    for (std::size_t i = 0; i < p->n; ++i) {
      for (std::size_t w = 0; w < p->words; ++w) values[i * p->words + w] = p->values[p->from(i) * p->words + w];
    }
    stride = 1, offset = 0;
  }
  const auto in = bench.upload(values);
  const auto out = bench.buffer<float>(p->n * p->words);
  const auto n = static_cast<unsigned>(p->n);
  cuda::LaunchShape shape{.grid = {blocks_for(p->n, kThreads)}, .block = {kThreads}};
  CudaWork work;
  const void* from = in->pointer();
  void* to_values = out->pointer();
  if (how == GpuMethod::kDirect && p->random) {
    const auto order = bench.upload(p->order);
    auto kernel =
        bench.kernel(words_work(p->words, "micro_copy_indexed_4", "micro_copy_indexed_8", "micro_copy_indexed_16"));
    work.queue = [=, keep = in](cuda::Stream& to) mutable {
      kernel.launch(to, shape, n, stride, offset, order->pointer(), from, to_values);
    };
  } else {
    auto kernel =
        how == GpuMethod::kStaged
            ? bench.kernel(words_work(p->words, "micro_copy_staged_4", "micro_copy_staged_8", "micro_copy_staged_16"))
            : bench.kernel(words_work(p->words, "micro_copy_direct_4", "micro_copy_direct_8", "micro_copy_direct_16"));
    if (how == GpuMethod::kStaged) {
      shape.dynamic_shared_bytes = kThreads * stride * static_cast<unsigned>(4 * p->words);
      kernel.allow_dynamic_shared(shape.dynamic_shared_bytes);
    }
    work.queue = [=, keep = in](cuda::Stream& to) mutable {
      kernel.launch(to, shape, n, stride, offset, from, to_values);
    };
  }
  work.result = [p, out](cuda::Stream& stream) { return p->results(out->read(stream)); };
  work.work = p->work();
  // Bytes of the 32-byte sectors that hold the elements, divided by the bytes needed.
  const double element = 4.0 * static_cast<double>(p->words), apart = element * stride;
  const bool scattered = how == GpuMethod::kDirect && p->random;
  const double fetched = scattered ? std::max(32.0, element) : std::min(apart, std::max(32.0, element));
  work.quantities = [fetched, element] {
    return std::vector<Quantity>{{"sectors", "Bytes of 32-byte sectors per useful byte", fetched / element, ""}};
  };
  return work;
}

std::string refuses_random(const TaskProblem& problem) {
  if (problem.word("order") != "random") return "";
  return "it reads everything between the first and the last element of a block, which is unbounded in random order";
}

std::string refuses_staged(const TaskProblem& problem) {
  if (const std::string why = refuses_random(problem); !why.empty()) return why;
  const std::size_t need = kThreads * problem.count("stride") * problem.count("element_bytes");
  constexpr std::size_t kMax = 96 * 1024;  // Ampere GPUs of the 30 series offer 99 KiB per SM
  if (need <= kMax) return "";
  return "stride = " + std::to_string(problem.count("stride")) + " needs " + std::to_string(need) +
         " bytes of shared memory per block; allowed: " + std::to_string(kMax);
}

double bytes(const TaskProblem& problem) {
  return static_cast<double>(problem.count("element_bytes")) * static_cast<double>(problem.count("n")) *
         (1.0 + static_cast<double>(problem.count("stride")));
}

}  // namespace
}  // namespace coalescing_row

engine::TaskBench coalescing_bench() {
  using namespace coalescing_row;
  Row<answer> row({"coalescing", "Coalescing: copy with a stride, an offset, or in random order",
                   "kernels/micro/memory/coalescing.cpp", "kernels/micro/memory/coalescing.cu", bytes});
  row.cpu<cpu_scatter_work>({"cpu-scatter", "In input order", "reads sequentially and scatters the writes"});
  row.cpu<cpu_work>({"cpu-gather", "In output order", "writes sequentially and gathers the reads", "cpu-scatter"});
  row.cuda<with<gpu_work, GpuMethod::kDirect>>(
      {"cuda-direct", "One element per thread", "neighbouring lanes read addresses that are a stride apart"});
  row.cuda<with<gpu_work, GpuMethod::kStaged>>(
      {"cuda-staged", "Staged in shared memory",
       "a block reads its complete address range coalesced, then picks its elements in shared memory", "cuda-direct"},
      refuses_staged);
  row.cuda<with<gpu_work, GpuMethod::kPacked>>(
      {"cuda-packed", "Packed beforehand", "elements are packed contiguously before timing", "cuda-direct"});
  row.small({{"n", 1003}, {"stride", 1}, {"offset", 3}, {"element_bytes", 4}}, {{"order", "forward"}});
  row.small({{"n", 1003}, {"stride", 7}, {"offset", 1}, {"element_bytes", 8}}, {{"order", "forward"}});
  row.small({{"n", 517}, {"stride", 24}, {"offset", 0}, {"element_bytes", 16}}, {{"order", "forward"}});
  row.small({{"n", 1003}, {"stride", 2}, {"offset", 5}, {"element_bytes", 4}}, {{"order", "random"}});
  row.small({{"n", 77}, {"stride", 1}, {"offset", 0}, {"element_bytes", 16}}, {{"order", "random"}});
  return row.bench();
}

}  // namespace bb::micro
