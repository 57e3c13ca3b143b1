// Row 15 A of the table of performance claims: pieces of an array are copied to the device, processed, and copied back,
// on one stream or several.
#include <algorithm>

#include "micro/row/elementwise.hpp"
#include "micro/row/forked.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace overlap_row {
namespace {

constexpr unsigned kThreads = 256;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : in(engine::uniform_values(problem.count("n"), problem.seed)),
        work(static_cast<int>(problem.count("work"))),
        pieces(std::min(problem.count("pieces"), in.size())),
        streams(problem.count("streams")) {}
  std::size_t first(std::size_t piece) const { return in.size() * piece / pieces; }
  std::vector<float> in;
  int work;
  std::size_t pieces, streams;
};

Samples samples_of(std::size_t n) { return Samples(n, std::size_t{1} << 12); }

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some = samples_of(p.in.size());
  return {some.map([&](std::size_t i) { return iterated(static_cast<double>(p.in[i]), p.work); }), kIteratedLimit,
          kIteratedLimit, some.text() + " with FP64"};
}

/// The two host arrays, optionally page-locked.
class HostArrays {
 public:
  HostArrays(CudaBench& bench, const std::vector<float>& values, bool pinned) {
    if (pinned) {
      pinned_in_.emplace(bench.device(), values.size());
      pinned_out_.emplace(bench.device(), values.size());
    } else {
      in_.resize(values.size());
      out_.resize(values.size());
    }
    std::ranges::copy(values, in().begin());
  }
  std::span<float> in() { return pinned_in_ ? pinned_in_->values() : std::span<float>(in_); }
  std::span<float> out() { return pinned_out_ ? pinned_out_->values() : std::span<float>(out_); }

 private:
  std::vector<float> in_, out_;
  std::optional<cuda::PinnedBuffer<float>> pinned_in_, pinned_out_;
};

enum class StreamUse { kOne, kSeveral, kLegacyKernels };

CudaWork gpu_work(CudaBench& bench, StreamUse how, bool pinned) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto host = std::make_shared<HostArrays>(bench, p->in, pinned);
  const auto values = bench.buffer<float>(p->in.size());
  const auto streams = std::make_shared<ForkedStreams>(
      bench.device(), how == StreamUse::kOne ? 1 : p->streams,
      how == StreamUse::kLegacyKernels ? StreamKind::kBesideDefault : StreamKind::kNonBlocking);
  const auto legacy = std::make_shared<cuda::Stream>(cuda::Stream::legacy_default(bench.device()));
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_stream_work")](cuda::Stream& to) mutable {
    streams->fork(to);
    for (std::size_t piece = 0; piece < p->pieces; ++piece) {
      cuda::Stream& mine = (*streams)[piece % streams->size()];
      const std::size_t first = p->first(piece), count = p->first(piece + 1) - first;
      if (count == 0) continue;
      values->upload(host->in().subspan(first, count), mine, first);
      // A launch without a stream uses the legacy default stream, which waits for every blocking stream.
      kernel.launch(how == StreamUse::kLegacyKernels ? *legacy : mine,
                    {.grid = {blocks_for(count, kThreads)}, .block = {kThreads}}, static_cast<unsigned>(count), p->work,
                    values->pointer() + first);
      values->download(host->out().subspan(first, count), mine, first);
    }
    streams->join(to);
  };
  work.result = [=](cuda::Stream& from) {
    from.synchronize();
    return samples_of(p->in.size()).take<float>(host->out());
  };
  const auto n = static_cast<double>(p->in.size());
  work.work = {.bytes = 8.0 * n, .flops = 2.0 * n * p->work};
  if (how == StreamUse::kLegacyKernels) work.no_graph = "the legacy default stream cannot be captured";
  if (!pinned) {
    work.no_graph = "copies of pageable memory wait for the host";
    work.clock = engine::TaskClock::kWall;
  }
  work.quantities = [streams, p] {
    return std::vector<Quantity>{{"streams", "Streams", static_cast<double>(streams->size()), ""},
                                 {"pieces", "Pieces", static_cast<double>(p->pieces), ""}};
  };
  return work;
}

double bytes(const TaskProblem& problem) { return 4.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace overlap_row

engine::TaskBench overlap_bench() {
  using namespace overlap_row;
  Row<answer> row({"overlap", "Streams: copies overlapping kernels", "kernels/micro/launch/overlap.cpp",
                   "kernels/micro/launch/overlap.cpp", bytes});
  row.cuda<with<gpu_work, StreamUse::kOne, false>>(
      {"cuda-one-pageable", "One stream, pageable", "copies from pageable memory, without overlap"});
  row.cuda<with<gpu_work, StreamUse::kSeveral, false>>({"cuda-streams-pageable", "Streams, pageable",
                                                        "pieces on several streams, from pageable memory",
                                                        "cuda-one-pageable"});
  row.cuda<with<gpu_work, StreamUse::kOne, true>>(
      {"cuda-one", "One stream, pinned", "copies from page-locked memory", "cuda-one-pageable"});
  row.cuda<with<gpu_work, StreamUse::kLegacyKernels, true>>(
      {"cuda-legacy", "Streams, kernels on the default stream",
       "copies on streams, but launches on the legacy default stream", "cuda-one"});
  row.cuda<with<gpu_work, StreamUse::kSeveral, true>>(
      {"cuda-streams", "Streams, pinned", "pieces on several streams, from page-locked memory", "cuda-one"});
  row.small({{"n", 10007}, {"work", 9}, {"pieces", 5}, {"streams", 3}});
  return row.bench();
}

}  // namespace bb::micro
