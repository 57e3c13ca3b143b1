// Row 15 C of the table of performance claims: a custom kernel and a cuBLAS product, on one stream or on two.
#include <cmath>

#include "cuda/library/cublas.hpp"
#include "micro/row/elementwise.hpp"
#include "micro/row/forked.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace beside_library_row {
namespace {

constexpr unsigned kThreads = 256;
/// Number of values compared, each from the product and from the kernel.
constexpr std::size_t kCompared = 1 << 12;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : size(problem.count("size")),
        blocks(static_cast<unsigned>(problem.count("blocks"))),
        work(static_cast<int>(problem.count("work"))),
        a(engine::uniform_values(size * size, problem.seed)),
        b(engine::uniform_values(size * size, problem.seed + 1)),
        in(engine::uniform_values(std::size_t{blocks} * kThreads, problem.seed + 2)) {}
  Samples product() const { return Samples(size * size, kCompared); }
  Samples values() const { return Samples(in.size(), kCompared); }
  TaskWork all_work() const {
    const auto n = static_cast<double>(size), own = static_cast<double>(in.size());
    return {.bytes = 12.0 * n * n + 8.0 * own, .flops = 2.0 * n * n * n + 2.0 * own * work};
  }
  std::size_t size;
  unsigned blocks;
  int work;
  std::vector<float> a, b, in;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  std::vector<double> wanted = p.product().map([&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < p.size; ++k) {
      sum += static_cast<double>(p.a[i / p.size * p.size + k]) * static_cast<double>(p.b[k * p.size + i % p.size]);
    }
    return sum;
  });
  const std::vector<double> own =
      p.values().map([&](std::size_t i) { return iterated(static_cast<double>(p.in[i]), p.work); });
  wanted.insert(wanted.end(), own.begin(), own.end());
  const double limit = kIteratedLimit + 0x1p-24 * (2.0 + static_cast<double>(p.size));
  return {std::move(wanted), limit, 4.0 * limit,
          p.product().text() + " of the product and " + p.values().text() + " of the kernel with FP64"};
}

enum class StreamOrder { kOneStream, kTwoStreams, kKernelFirst };

CudaWork gpu_work(CudaBench& bench, StreamOrder how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto a = bench.upload(p->a), b = bench.upload(p->b), in = bench.upload(p->in);
  const auto c = bench.buffer<float>(p->size * p->size), out = bench.buffer<float>(p->in.size());
  const bool beside = how == StreamOrder::kTwoStreams || how == StreamOrder::kKernelFirst;
  const auto streams = std::make_shared<ForkedStreams>(bench.device(), beside ? std::size_t{2} : std::size_t{1},
                                                       StreamKind::kNonBlocking);
  const auto cublas = std::make_shared<cuda::Cublas>();
  cublas->reserve(bench.stream());
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_stream_blocks")](cuda::Stream& to) mutable {
    streams->fork(to);
    cuda::Stream &first = (*streams)[0], &second = (*streams)[streams->size() - 1];
    const auto own = [&] {
      kernel.launch(second, {.grid = {p->blocks}, .block = {kThreads}}, p->work,
                    static_cast<const float*>(in->pointer()), out->pointer());
    };
    const auto product = [&] {
      const auto n = static_cast<int>(p->size);
      cublas->product(first, a->pointer(), cuda::OperandOrder::kAsIs, b->pointer(), cuda::OperandOrder::kAsIs,
                      c->pointer(), n, n, n);
    };
    if (how == StreamOrder::kKernelFirst) {
      own();
      product();
    } else {
      product();
      own();
    }
    streams->join(to);
  };
  work.result = [=](cuda::Stream& from) {
    std::vector<double> all = p->product().take<float>(c->read(from));
    const std::vector<double> own = p->values().take<float>(out->read(from));
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  work.work = p->all_work();
  // Also times each operation alone: together they cannot be faster than the slower of the two.
  work.quantities = [=, kernel = bench.kernel("micro_stream_blocks"), stream = &bench.stream()]() mutable {
    cuda::DeviceTimer timer(stream->device());
    const double own_s = timer.seconds(*stream, nullptr, [&] {
      kernel.launch(*stream, {.grid = {p->blocks}, .block = {kThreads}}, p->work,
                    static_cast<const float*>(in->pointer()), out->pointer());
    });
    const double product_s = timer.seconds(*stream, nullptr, [&] {
      const auto n = static_cast<int>(p->size);
      cublas->product(*stream, a->pointer(), cuda::OperandOrder::kAsIs, b->pointer(), cuda::OperandOrder::kAsIs,
                      c->pointer(), n, n, n);
    });
    return std::vector<Quantity>{{"kernel-alone", "The kernel alone", 1e3 * own_s, "ms"},
                                 {"product-alone", "The product alone", 1e3 * product_s, "ms"}};
  };
  return work;
}

std::string library_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  return cuda::cublas_unavailable();
}

double bytes(const TaskProblem& problem) {
  const auto n = static_cast<double>(problem.count("size"));
  return 12.0 * n * n + 8.0 * kThreads * static_cast<double>(problem.count("blocks")) +
         static_cast<double>(cuda::kCublasWorkspace_bytes);
}

}  // namespace
}  // namespace beside_library_row

engine::TaskBench beside_library_bench() {
  using namespace beside_library_row;
  Row<answer> row({"beside-library", "Kernel concurrent with a library call", "kernels/micro/launch/beside_library.cpp",
                   "kernels/micro/launch/streams.cu", bytes});
  row.cuda<with<gpu_work, StreamOrder::kOneStream>>(
      {"cuda-one", "One stream", "cuBLAS matrix product, then the kernel"}, refuse_nothing, library_missing);
  row.cuda<with<gpu_work, StreamOrder::kTwoStreams>>(
      {"cuda-two", "Two streams", "the kernel on its own stream, queued after the product", "cuda-one"}, refuse_nothing,
      library_missing);
  row.cuda<with<gpu_work, StreamOrder::kKernelFirst>>(
      {"cuda-kernel-first", "Two streams, kernel first",
       "the kernel is queued before the product, which would occupy the GPU", "cuda-two"},
      refuse_nothing, library_missing);
  row.small({{"size", 67}, {"blocks", 3}, {"work", 9}});
  return row.bench();
}

}  // namespace bb::micro
