// Row 15 B of the table of performance claims: kernels of a few blocks each, one after another or concurrently.
#include "micro/row/elementwise.hpp"
#include "micro/row/forked.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace concurrent_kernels_row {
namespace {

constexpr unsigned kThreads = 256;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : kernels(problem.count("kernels")),
        blocks(static_cast<unsigned>(problem.count("blocks"))),
        work(static_cast<int>(problem.count("work"))),
        in(engine::uniform_values(kernels * blocks * kThreads, problem.seed)) {}
  std::size_t values() const { return std::size_t{blocks} * kThreads; }
  std::size_t kernels;
  unsigned blocks;
  int work;
  std::vector<float> in;
};

Samples samples_of(std::size_t n) { return Samples(n, std::size_t{1} << 12); }

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some = samples_of(p.in.size());
  return {some.map([&](std::size_t i) { return iterated(static_cast<double>(p.in[i]), p.work); }), kIteratedLimit,
          kIteratedLimit, some.text() + " with FP64"};
}

enum class StreamMode { kOneStream, kStreams, kLegacy, kOneKernel };

CudaWork gpu_work(CudaBench& bench, StreamMode how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto in = bench.upload(p->in);
  const auto out = bench.buffer<float>(p->in.size());
  const auto streams = std::make_shared<ForkedStreams>(
      bench.device(), how == StreamMode::kStreams ? p->kernels : std::size_t{1},
      how == StreamMode::kLegacy ? StreamKind::kLegacyDefault : StreamKind::kNonBlocking);
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_stream_blocks")](cuda::Stream& to) mutable {
    streams->fork(to);
    const std::size_t launches = how == StreamMode::kOneKernel ? 1 : p->kernels;
    const unsigned blocks = how == StreamMode::kOneKernel ? static_cast<unsigned>(p->kernels) * p->blocks : p->blocks;
    for (std::size_t k = 0; k < launches; ++k) {
      kernel.launch((*streams)[k % streams->size()], {.grid = {blocks}, .block = {kThreads}}, p->work,
                    in->pointer() + k * p->values(), out->pointer() + k * p->values());
    }
    streams->join(to);
  };
  work.result = [p, out](cuda::Stream& from) { return samples_of(p->in.size()).take<float>(out->read(from)); };
  const auto n = static_cast<double>(p->in.size());
  work.work = {.bytes = 8.0 * n, .flops = 2.0 * n * p->work};
  if (how == StreamMode::kLegacy) work.no_graph = "the legacy default stream cannot be captured";
  const double fills = static_cast<double>(p->blocks) / bench.device()->info().multiprocessors;
  work.quantities = [fills] {
    return std::vector<Quantity>{{"blocks-per-sm", "Blocks of one kernel per multiprocessor", fills, ""}};
  };
  return work;
}

double bytes(const TaskProblem& problem) {
  return 8.0 * kThreads * static_cast<double>(problem.count("kernels")) * static_cast<double>(problem.count("blocks"));
}

}  // namespace
}  // namespace concurrent_kernels_row

engine::TaskBench concurrent_kernels_bench() {
  using namespace concurrent_kernels_row;
  Row<answer> row({"concurrent-kernels", "Concurrent kernels on streams", "kernels/micro/launch/concurrent_kernels.cpp",
                   "kernels/micro/launch/concurrent_kernels.cpp", bytes});
  row.cuda<with<gpu_work, StreamMode::kLegacy>>({"cuda-legacy", "Default stream", "launches without a stream"});
  row.cuda<with<gpu_work, StreamMode::kOneStream>>(
      {"cuda-one", "One stream", "kernels run one after another", "cuda-legacy"});
  row.cuda<with<gpu_work, StreamMode::kStreams>>(
      {"cuda-streams", "One stream per kernel", "kernels run concurrently", "cuda-one"});
  row.cuda<with<gpu_work, StreamMode::kOneKernel>>(
      {"cuda-one-kernel", "One kernel", "all blocks in one launch", "cuda-streams"});
  row.small({{"kernels", 5}, {"blocks", 3}, {"work", 9}});
  return row.bench();
}

}  // namespace bb::micro
