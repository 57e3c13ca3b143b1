// Row 9 of the table of performance claims: the sum of n values.
#include <numeric>

#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace reduction_row {
namespace {

constexpr unsigned kThreads = 256;

/// The tolerance suits a chain of atomics; sums in a tree or by parts have much smaller errors.
ExpectedResult answer(const TaskProblem& problem) {
  const std::vector<float> values = summands(problem);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double limit = chain_limit(static_cast<double>(values.size()));
  return {{sum}, limit, limit, "the sum with FP64"};
}

TaskWork work_of(std::size_t n) { return {.bytes = 4.0 * static_cast<double>(n), .flops = static_cast<double>(n)}; }

struct Sum {
  std::vector<float> values;
  float total = 0;
};

float chain(const float* values, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += values[i];
  return sum;
}

float eight_chains(const float* values, std::size_t n) {
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t c = 0; c < 8; ++c) sums[c] += values[i + c];
  }
  return std::accumulate(std::begin(sums), std::end(sums), chain(values + i, n - i));
}

template <float (*kPart)(const float*, std::size_t), bool kThreaded>
CpuWork cpu_work(CpuBench& bench) {
  const auto sum = std::make_shared<Sum>(Sum{summands(bench.problem())});
  CpuWork work;
  work.run = [sum, &pool = bench.pool()] {
    const std::size_t n = sum->values.size();
    if constexpr (!kThreaded) {
      sum->total = kPart(sum->values.data(), n);
    } else {
      constexpr std::size_t kPiece = 1 << 15;
      std::vector<float> parts((n + kPiece - 1) / kPiece);
      in_pieces(pool, n, kPiece, [&](std::size_t first, std::size_t last) {
        parts[first / kPiece] = kPart(sum->values.data() + first, last - first);
      });
      sum->total = eight_chains(parts.data(), parts.size());
    }
  };
  work.inputs = {array_at(sum->values.data(), sum->values.size())};
  work.result = {[sum] { return std::vector<double>{static_cast<double>(sum->total)}; }, {array_at(&sum->total, 1)}};
  work.work = work_of(sum->values.size());
  return work;
}

/// Launches the kernel repeatedly until one sum is left; each launch leaves one sum per block.
CudaWork tree_work(CudaBench& bench, const char* name) {
  const auto values = bench.upload(summands(bench.problem()));
  const unsigned threads = bench.tuned("kReduceThreads", kThreads);
  const std::size_t n = values->size();
  const auto parts = bench.buffer<float>(blocks_for(n, threads));
  const auto more = bench.buffer<float>(blocks_for(parts->size(), threads));
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    std::size_t left = n;
    const float* from = values->pointer();
    for (float* into = parts->pointer();; into = from == parts->pointer() ? more->pointer() : parts->pointer()) {
      const unsigned blocks = blocks_for(left, threads);
      kernel.launch(to, {.grid = {blocks}, .block = {threads}}, static_cast<unsigned>(left), from, into);
      from = into;
      left = blocks;
      if (left == 1) break;
    }
  };
  // The number of launches decides which of the two buffers holds the sum.
  int launches = 0;
  for (std::size_t left = n; launches == 0 || left > 1; left = blocks_for(left, threads)) ++launches;
  work.result = [=](cuda::Stream& from) {
    return std::vector<double>{static_cast<double>((launches % 2 == 1 ? parts : more)->read(from)[0])};
  };
  work.work = work_of(n);
  return work;
}

/// Launches a grid that fills the device once, then a single block.
CudaWork grid_stride_work(CudaBench& bench) {
  const auto values = bench.upload(summands(bench.problem()));
  const unsigned threads = bench.tuned("kReduceThreads", kThreads);
  const std::size_t n = values->size();
  auto kernel = bench.kernel("micro_reduce_grid_stride");
  const unsigned resident = resident_blocks(kernel, *bench.device(), threads);
  const unsigned blocks = std::min(resident, blocks_for(n, 4 * threads));
  const auto parts = bench.buffer<float>(blocks), total = bench.buffer<float>(1);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks}, .block = {threads}}, static_cast<unsigned>(n),
                  static_cast<const float*>(values->pointer()), parts->pointer());
    kernel.launch(to, {.block = {threads}}, blocks, static_cast<const float*>(parts->pointer()), total->pointer());
  };
  work.inputs = {array_at(values->pointer(), n)};
  work.result = sampled(total);
  work.work = work_of(n);
  return work;
}

CudaWork atomics_work(CudaBench& bench, const char* name) {
  const auto values = bench.upload(summands(bench.problem()));
  const unsigned threads = bench.tuned("kReduceThreads", kThreads);
  const auto total = bench.buffer<float>(1);
  const std::size_t n = values->size();
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    total->fill_bytes(0, to);
    kernel.launch(to, {.grid = {blocks_for(n, threads)}, .block = {threads}}, static_cast<unsigned>(n),
                  values->pointer(), total->pointer());
  };
  work.inputs = {array_at(values->pointer(), n)};
  work.result = sampled(total);
  work.work = work_of(n);
  return work;
}

double bytes(const TaskProblem& problem) { return 4.1 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace reduction_row

engine::TaskBench reduction_bench() {
  using namespace reduction_row;
  Row<answer> row({"reduction", "Reduction: the sum of n values", "kernels/micro/patterns/reduction.cpp",
                   "kernels/micro/patterns/reduction.cu", bytes});
  row.cpu<cpu_work<chain, false>>({"cpu-chain", "One chain", "each addition depends on the previous one"});
  row.cpu<cpu_work<eight_chains, false>>({"cpu-chains", "Eight chains", "eight independent sums", "cpu-chain"});
  row.cpu<cpu_work<eight_chains, true>>({"cpu-threads", "Eight chains per thread", "all cores", "cpu-chains"});
  row.cuda<with<atomics_work, Name("micro_reduce_atomics")>>(
      {"cuda-atomics", "One atomic per value", "every value is added to a single word"});
  row.cuda<with<atomics_work, Name("micro_reduce_warp_atomics")>>(
      {"cuda-warp-atomics", "One atomic per warp", "a warp first sums by shuffles", "cuda-atomics"});
  row.cuda<with<tree_work, Name("micro_reduce_interleaved")>>(
      {"cuda-interleaved", "Interleaved tree", "every second, then every fourth, … thread adds"});
  row.cuda<with<tree_work, Name("micro_reduce_sequential")>>(
      {"cuda-sequential", "Sequential tree", "the first half of the threads adds the second half", "cuda-interleaved"});
  row.cuda<with<tree_work, Name("micro_reduce_shuffle")>>(
      {"cuda-shuffle", "Shuffles", "warps sum by shuffles, without shared memory", "cuda-sequential"});
  row.cuda<grid_stride_work>({"cuda-grid-stride", "Shuffles, several values per thread",
                              "a grid-stride loop with a grid that fills the device once", "cuda-shuffle"});
  row.small({{"n", 100003}});
  row.small({{"n", 70000}});
  row.small({{"n", 1}});
  return row.bench();
}

}  // namespace bb::micro
