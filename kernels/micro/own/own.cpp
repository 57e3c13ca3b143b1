// User row: two input vectors, results, and the answer of a user's program.
#include <algorithm>
#include <cstring>
#include <string>

#include "cuda/compile/files.hpp"
#include "engine/problem_error.hpp"
#include "micro/own/own_compute.hpp"
#include "micro/row/row.hpp"
#include "micro/rows.hpp"

namespace bb::micro {
namespace own_row {
namespace {

struct Inputs {
  explicit Inputs(const TaskProblem& problem)
      : n(problem.count("n")), results(problem.count("results")), a(values(problem, 0)), b(values(problem, 1)) {}

  /// Random, or one of the edge values that electron/host/model/user-kernels/made-up.ts has too.
  static std::vector<float> values(const TaskProblem& problem, std::uint64_t which) {
    const std::size_t n = problem.count("n");
    const auto found = problem.words.find("edge");
    const std::string edge = found == problem.words.end() ? "" : found->second;
    if (edge.empty()) return engine::uniform_values(n, problem.seed + which);
    std::vector<float> out(n, edge == "zeros" ? 0.0f : 1.0f);
    if (edge == "alternating") {
      for (std::size_t i = 1; i < n; i += 2) out[i] = -1.0f;
    }
    return out;
  }

  TaskWork work() const {
    return {.bytes = 8.0 * static_cast<double>(n) + 4.0 * static_cast<double>(results), .flops = engine::kAbsent};
  }

  std::size_t n, results;
  std::vector<float> a, b;
};

/// Results in FP64 as the host has them from the user's program, one after the other.
std::vector<double> told(const std::string& file, std::size_t count) {
  const auto bytes = cuda::read_file(file);
  if (!bytes || bytes->size() != count * sizeof(double)) {
    throw ProblemError("invalid", file + " does not hold the " + std::to_string(count) + " results that were expected");
  }
  std::vector<double> all(count);
  std::memcpy(all.data(), bytes->data(), bytes->size());
  return all;
}

Answer answer(const TaskProblem& problem) {
  const Inputs in(problem);
  const Samples some(in.results);
  const double limit = problem.number("tolerance");
  if (const auto file = problem.words.find("answer"); file != problem.words.end() && !file->second.empty()) {
    const std::vector<double> all = told(file->second, in.results);
    return {some.map([&](std::size_t i) { return all[i]; }), limit, limit, some.text() + " with the expected answer"};
  }
  const auto sum = [&](std::size_t i) {
    return i < in.n ? static_cast<double>(in.a[i]) + static_cast<double>(in.b[i]) : 0.0;
  };
  return {some.map(sum), limit, limit, some.text() + " with a + b in FP64"};
}

CpuWork on_cpu(CpuBench& bench) {
  const auto in = std::make_shared<Inputs>(bench.problem());
  const auto out = std::make_shared<std::vector<float>>(in->results);
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    in_pieces(pool, in->results, 1 << 16, [&](std::size_t first, std::size_t last) {
      own::compute(in->a.data(), in->b.data(), out->data(), in->n, first, last);
    });
  };
  work.inputs = {array_at(in->a.data(), in->n), array_at(in->b.data(), in->n)};
  work.result = sampled(out);
  work.work = in->work();
  return work;
}

CudaWork on_gpu(CudaBench& bench) {
  const auto in = std::make_shared<const Inputs>(bench.problem());
  const auto a = bench.upload(in->a), b = bench.upload(in->b);
  const auto out = bench.buffer<float>(in->results);
  const auto threads = static_cast<unsigned>(bench.problem().count("block"));
  const unsigned blocks = blocks_for(std::max(in->n, in->results), threads);
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_own")](cuda::Stream& to) mutable {
    // A sum adds to what is there.
    out->fill_bytes(0, to);
    // CUDA launches no empty grid: no values add up to the zeros that are there.
    if (blocks == 0) return;
    kernel.launch(to, {.grid = {blocks}, .block = {threads}}, static_cast<unsigned>(in->n),
                  static_cast<unsigned>(in->results), a->pointer(), b->pointer(), out->pointer());
  };
  work.inputs = {array_at(a->pointer(), in->n), array_at(b->pointer(), in->n)};
  work.result = sampled(out);
  work.work = in->work();
  return work;
}

double bytes(const TaskProblem& problem) {
  return 8.0 * static_cast<double>(problem.count("n")) + 4.0 * static_cast<double>(problem.count("results"));
}

std::string short_enough(const TaskProblem& problem) {
  return problem.count("results") <= problem.count("n") ? ""
                                                        : "it adds two vectors, which have fewer values than results";
}

}  // namespace
}  // namespace own_row

engine::TaskBench own_bench() {
  using namespace own_row;
  Row<answer> row({"own", "A kernel of one's own", "kernels/micro/own/own.cpp", "kernels/micro/own/own.cu", bytes});
  row.cpu<on_cpu>({"own-cpu", "A sum of two vectors, to begin with", "the place of a kernel of one's own"},
                  short_enough);
  row.cuda<on_gpu>({"own-cuda", "A sum of two vectors, to begin with", "the place of a kernel of one's own", "own-cpu"},
                   short_enough);
  return row.bench();
}

}  // namespace bb::micro
