// Row 8 of the table of performance claims: reads of shared memory by lanes that are `stride` words apart.
#include <numeric>

#include "micro/row/row.hpp"

namespace bb::micro {
namespace bank_conflicts_row {
namespace {

constexpr unsigned kWords = 1024, kThreads = 256;

unsigned value(unsigned j) { return j * 2654435761u; }

unsigned sum_of(unsigned thread, unsigned stride, unsigned reads) {
  unsigned at = thread * stride % kWords, sum = 0;
  for (unsigned r = 0; r < reads; ++r) {
    sum += value(at);
    at = (at + 32 * stride) % kWords;
  }
  return sum;
}

ExpectedResult answer(const TaskProblem& problem) {
  const auto stride = static_cast<unsigned>(problem.count("stride")),
             reads = static_cast<unsigned>(problem.count("reads"));
  ExpectedResult out{{}, 0, 0, "the sums of the threads in the first block, which must be equal"};
  for (unsigned t = 0; t < kThreads; ++t) out.wanted.push_back(sum_of(t, stride, reads));
  return out;
}

CudaWork gpu_work(CudaBench& bench, const char* name, bool padded) {
  const auto stride = static_cast<unsigned>(bench.problem().count("stride"));
  const auto reads = static_cast<int>(bench.problem().count("reads"));
  auto kernel = bench.kernel(name);
  const unsigned blocks = resident_blocks(kernel, *bench.device(), kThreads);
  const auto out = bench.buffer<unsigned>(std::size_t{blocks} * kThreads);
  const auto cycles = bench.buffer<long long>(blocks);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks}, .block = {kThreads}}, stride, reads, out->pointer(), cycles->pointer());
  };
  work.result = [out](cuda::Stream& from) {
    const std::vector<unsigned> sums = out->read(from);
    return std::vector<double>(sums.begin(), sums.begin() + kThreads);
  };
  work.work = {.bytes = 4.0 * static_cast<double>(out->size()) * reads};
  const double ways = padded ? 1.0 : std::gcd(stride, 32u);
  work.quantities = [=, stream = &bench.stream()] {
    const double taken = static_cast<double>(cycles->read(*stream)[0]);
    std::vector<Quantity> out_of{{"cycles", "Time per read, with all warps active", taken / reads, "cycles"}};
    if (!padded) out_of.push_back({"ways", "Lanes that access the same bank", ways, ""});
    return out_of;
  };
  return work;
}

double bytes(const TaskProblem&) { return 8e6; }

}  // namespace
}  // namespace bank_conflicts_row

engine::TaskBench bank_conflicts_bench() {
  using namespace bank_conflicts_row;
  Row<answer> row({"bank-conflicts", "Bank conflicts: reads with a stride", "kernels/micro/memory/bank_conflicts.cpp",
                   "kernels/micro/memory/bank_conflicts.cu", bytes});
  row.cuda<with<gpu_work, Name("micro_bank_strided"), false>>(
      {"cuda-strided", "Strided", "neighbouring lanes read words that are a stride apart", "", "int"});
  row.cuda<with<gpu_work, Name("micro_bank_padded"), true>>(
      {"cuda-padded", "Padded", "one word of padding after every 32 words", "cuda-strided", "int"});
  row.small({{"stride", 1}, {"reads", 33}});
  row.small({{"stride", 32}, {"reads", 17}});
  return row.bench();
}

}  // namespace bb::micro
