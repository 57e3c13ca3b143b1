// Row 21 of the table of performance claims: cost of the check for the end of an array, and consequences of omitting
// it.
#include "micro/row/elementwise.hpp"
#include "micro/row/row.hpp"

namespace bb::micro {
namespace bounds_row {
namespace {

constexpr float kA = 1.0f / 1024.0f;
/// A block processes 512 bytes of FP32, the driver's allocation granularity, so memory just beyond the end is unused.
constexpr unsigned kThreads = 128;

ExpectedResult answer(const TaskProblem& problem) { return AxpyInputs(problem).after(1, kA); }

CudaWork gpu_work(CudaBench& bench, const char* name, bool padded) {
  const auto in = std::make_shared<const AxpyInputs>(bench.problem());
  const auto n = static_cast<unsigned>(in->n);
  const unsigned blocks = blocks_for(n, kThreads);
  const std::size_t threads = std::size_t{blocks} * kThreads;
  const std::size_t held = padded ? threads : n;
  const auto x = bench.buffer<float>(held), y = bench.buffer<float>(held);
  x->fill_bytes(0, bench.stream());
  y->fill_bytes(0, bench.stream());
  x->upload(std::span<const float>(in->x), bench.stream());
  bench.stream().synchronize();
  auto kernel = bench.kernel(name);
  CudaWork work;
  work.queue = [=](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks}, .block = {kThreads}}, n, kA, x->pointer(), y->pointer());
  };
  work.restore = [in, y](cuda::Stream& to) { y->upload(std::span<const float>(in->y), to); };
  work.result = [n, y](cuda::Stream& from) {
    const std::vector<float> all = y->read(from);
    return Samples(n).take<float>(std::span(all).first(n));
  };
  work.work = {.bytes = 12.0 * n, .flops = 2.0 * n};
  const bool checks = std::string_view(name) == "micro_bounds_checked";
  const auto beyond = static_cast<double>(checks || padded ? 0 : threads - n);
  work.quantities = [beyond] { return std::vector<Quantity>{{"beyond", "Values written beyond the end", beyond, ""}}; };
  return work;
}

double bytes(const TaskProblem& problem) { return 8.0 * static_cast<double>(problem.count("n")); }

}  // namespace
}  // namespace bounds_row

engine::TaskBench bounds_bench() {
  using namespace bounds_row;
  Row<answer> row(
      {"bounds", "Bounds check", "kernels/micro/memory/bounds.cpp", "kernels/micro/memory/bounds.cu", bytes});
  row.cuda<with<gpu_work, Name("micro_bounds_checked"), false>>(
      {"cuda-checked", "With the check", "threads beyond the end do nothing"});
  row.cuda<with<gpu_work, Name("micro_bounds_unchecked"), true>>(
      {"cuda-padded", "Padded arrays", "no check, since arrays are as long as the blocks", "cuda-checked"});
  row.cuda<with<gpu_work, Name("micro_bounds_unchecked"), false>>(
      {"cuda-unchecked", "Without the check", "writes beyond the end; its results are only correct by luck",
       "cuda-padded"});
  row.small({{"n", 1003}});
  row.small({{"n", 128}});
  return row.bench();
}

}  // namespace bb::micro
