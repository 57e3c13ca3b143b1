// Row 9 of the table of performance claims: prefix sums.
#include <numeric>

#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace scan_row {
namespace {

constexpr unsigned kThreads = 1024;

ExpectedResult answer(const TaskProblem& problem) {
  const std::vector<float> values = summands(problem);
  const Samples some(values.size());
  ExpectedResult out{{}, 0, 0, some.text() + " with FP64"};
  out.limit = out.worst_limit = chain_limit(static_cast<double>(values.size()));  // tolerance of the sequential sum
  double sum = 0;
  std::size_t next = 0;
  for (std::size_t k = 0; k < some.size(); ++k) {
    for (; next <= some[k]; ++next) sum += static_cast<double>(values[next]);
    out.wanted.push_back(sum);
  }
  return out;
}

TaskWork work_of(std::size_t n) { return {.bytes = 8.0 * static_cast<double>(n), .flops = static_cast<double>(n)}; }

CpuWork chain_work(CpuBench& bench) {
  const auto in = std::make_shared<const std::vector<float>>(summands(bench.problem()));
  const auto out = std::make_shared<std::vector<float>>(in->size());
  CpuWork work;
  work.run = [in, out] { std::partial_sum(in->begin(), in->end(), out->begin()); };
  work.result = sampled(out);
  work.work = work_of(in->size());
  return work;
}

/// Scans pieces first, then adds the prefix sums of their totals: twice the work, but on all cores.
CpuWork pieces_work(CpuBench& bench) {
  const auto in = std::make_shared<const std::vector<float>>(summands(bench.problem()));
  const auto out = std::make_shared<std::vector<float>>(in->size());
  constexpr std::size_t kPiece = 1 << 15;
  CpuWork work;
  work.run = [in, out, &pool = bench.pool()] {
    const std::size_t n = in->size();
    std::vector<float> totals((n + kPiece - 1) / kPiece);
    in_pieces(pool, n, kPiece, [&](std::size_t first, std::size_t last) {
      float sum = 0;
      for (std::size_t i = first; i < last; ++i) (*out)[i] = sum += (*in)[i];
      totals[first / kPiece] = sum;
    });
    std::partial_sum(totals.begin(), totals.end(), totals.begin());
    in_pieces(pool, n, kPiece, [&](std::size_t first, std::size_t last) {
      if (first == 0) return;
      const float before = totals[first / kPiece - 1];
      for (std::size_t i = first; i < last; ++i) (*out)[i] += before;
    });
  };
  work.result = sampled(out);
  work.work = work_of(in->size());
  return work;
}

/// Scans blocks, then recursively the sums of the blocks, and adds the results back.
CudaWork gpu_work(CudaBench& bench, const char* name) {
  struct Level {
    std::shared_ptr<cuda::DeviceBuffer<float>> in, out;  // the sums of this level are the input of the next
    unsigned n, blocks;
  };
  std::vector<Level> levels;
  auto in = bench.upload(summands(bench.problem()));
  const std::size_t n = in->size();
  for (;;) {
    const auto count = static_cast<unsigned>(in->size());
    levels.push_back({in, bench.buffer<float>(count), count, blocks_for(count, kThreads)});
    in = bench.buffer<float>(levels.back().blocks);
    if (levels.back().blocks == 1) break;
  }
  CudaWork work;
  work.queue = [levels, last = in, scan = bench.kernel(name),
                add = bench.kernel("micro_scan_add")](cuda::Stream& to) mutable {
    const auto shape = [](const Level& level) {
      return cuda::LaunchShape{.grid = {level.blocks}, .block = {kThreads}};
    };
    for (std::size_t l = 0; l < levels.size(); ++l) {
      float* sums = (l + 1 < levels.size() ? levels[l + 1].in : last)->pointer();
      scan.launch(to, shape(levels[l]), levels[l].n, levels[l].in->pointer(), levels[l].out->pointer(), sums);
    }
    for (std::size_t l = levels.size() - 1; l-- > 0;) {
      add.launch(to, shape(levels[l]), levels[l].n, levels[l + 1].out->pointer(), levels[l].out->pointer());
    }
  };
  work.result = [out = levels[0].out](cuda::Stream& from) { return Samples(out->size()).take<float>(out->read(from)); };
  work.work = work_of(n);
  return work;
}

double bytes(const TaskProblem& problem) { return 8.1 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace scan_row

engine::TaskBench scan_bench() {
  using namespace scan_row;
  Row<answer> row({"scan", "Prefix sum", "kernels/micro/patterns/scan.cpp", "kernels/micro/patterns/scan.cu", bytes});
  row.cpu<chain_work>({"cpu-chain", "One chain", "each sum depends on the previous one"});
  row.cpu<pieces_work>(
      {"cpu-pieces", "Blocked", "all cores; the sums of preceding blocks are added afterwards", "cpu-chain"});
  row.cuda<with<gpu_work, Name("micro_scan_shared")>>(
      {"cuda-shared", "In shared memory", "each step adds an earlier partial sum, between barriers"});
  row.cuda<with<gpu_work, Name("micro_scan_shuffle")>>(
      {"cuda-shuffle", "By shuffles", "prefix sums of warps by shuffles, then of the warps' totals", "cuda-shared"});
  row.small({{"n", 100003}});
  row.small({{"n", 1}});
  row.small({{"n", 1024}});
  return row.bench();
}

}  // namespace bb::micro
