// Row 16 of the table of performance claims: y = A x with A by rows, by columns or by diagonals. The conversion to a
// format is timed separately.
#include <algorithm>
#include <cmath>

#include "cpu/stopwatch.hpp"
#include "cuda/library/cusparse.hpp"
#include "micro/row/row.hpp"
#include "sparse_matrix.hpp"

namespace bb::micro {
namespace spmv_row {
namespace {

constexpr unsigned kThreads = 256;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : matrix(make_matrix(problem.word("matrix"), problem.count("rows"), problem.seed)),
        x(engine::uniform_values(matrix.rows, problem.seed + 2)) {}
  double entries() const { return static_cast<double>(matrix.columns.size()); }
  /// Traffic for storage by rows: values and columns, row starts, x and y.
  TaskWork work() const {
    const auto rows = static_cast<double>(matrix.rows);
    return {.bytes = 8.0 * entries() + 12.0 * rows, .flops = 2.0 * entries()};
  }
  TaskWork work_by_diagonals() const {
    const auto rows = static_cast<double>(matrix.rows);
    return {.bytes = 4.0 * entries() + 8.0 * rows, .flops = 2.0 * entries()};
  }
  SparseMatrix matrix;
  std::vector<float> x;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Samples some(p.matrix.rows);
  unsigned longest = 0;
  for (std::size_t r = 0; r < p.matrix.rows; ++r)
    longest = std::max(longest, p.matrix.begin[r + 1] - p.matrix.begin[r]);
  const double limit = 0x1p-23 * (2.0 + std::sqrt(static_cast<double>(longest)));
  return {some.map([&](std::size_t r) {
            double sum = 0;
            for (unsigned i = p.matrix.begin[r]; i < p.matrix.begin[r + 1]; ++i) {
              sum += static_cast<double>(p.matrix.values[i]) * static_cast<double>(p.x[p.matrix.columns[i]]);
            }
            return sum;
          }),
          limit, limit, some.text() + " with FP64"};
}

CpuWork csr_cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto y = std::make_shared<std::vector<float>>(p->matrix.rows);
  CpuWork work;
  work.run = [p, y, &pool = bench.pool()] {
    in_pieces(pool, p->matrix.rows, 1 << 12, [&](std::size_t first, std::size_t last) {
      const SparseMatrix& a = p->matrix;
      for (std::size_t r = first; r < last; ++r) {
        float sum = 0;
        for (unsigned i = a.begin[r]; i < a.begin[r + 1]; ++i) sum += a.values[i] * p->x[a.columns[i]];
        (*y)[r] = sum;
      }
    });
  };
  work.result = sampled(y);
  work.work = p->work();
  return work;
}

std::vector<Quantity> setup_quantity(double seconds) {
  return {{"format", "Time to build the format", 1e3 * seconds, "ms"}};
}

CpuWork diagonals_cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const cpu::Clock::time_point start = cpu::Clock::now();
  const auto diagonals = std::make_shared<const DiagonalMatrix>(to_diagonals(p->matrix));
  const double setup = cpu::seconds_since(start);
  const auto y = std::make_shared<std::vector<float>>(p->matrix.rows);
  CpuWork work;
  work.run = [p, y, diagonals, &pool = bench.pool()] {
    in_pieces(pool, p->matrix.rows, 1 << 12, [&](std::size_t first, std::size_t last) {
      const auto rows = static_cast<std::ptrdiff_t>(p->matrix.rows);
      for (std::size_t r = first; r < last; ++r) (*y)[r] = 0;
      for (std::size_t d = 0; d < diagonals->offsets.size(); ++d) {
        const std::ptrdiff_t offset = diagonals->offsets[d];
        const float* values = diagonals->values.data() + d * p->matrix.rows;
        const auto from = std::max(static_cast<std::ptrdiff_t>(first), -offset);
        const auto to = std::min(static_cast<std::ptrdiff_t>(last), rows - offset);
        for (std::ptrdiff_t r = from; r < to; ++r)
          (*y)[static_cast<std::size_t>(r)] += values[r] * p->x[static_cast<std::size_t>(r + offset)];
      }
    });
  };
  work.result = sampled(y);
  work.work = p->work_by_diagonals();
  work.quantities = [setup] { return setup_quantity(setup); };
  return work;
}

/// Computes column by column. A column may add to any row, so each thread adds to a private copy of y.
CpuWork csc_cpu_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const cpu::Clock::time_point start = cpu::Clock::now();
  const auto columns = std::make_shared<const ColumnMatrix>(to_columns(p->matrix));
  const double setup = cpu::seconds_since(start);
  const auto copies = static_cast<std::size_t>(bench.pool().lanes());
  const auto y = std::make_shared<std::vector<float>>(p->matrix.rows);
  const auto own = std::make_shared<std::vector<float>>(copies * p->matrix.rows);
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    const std::size_t rows = p->matrix.rows;
    pool.run(static_cast<int>(copies), [&](int share, int) {
      float* sums = own->data() + static_cast<std::size_t>(share) * rows;
      std::fill(sums, sums + rows, 0.0f);
      const std::size_t first = rows * static_cast<std::size_t>(share) / copies;
      const std::size_t last = rows * (static_cast<std::size_t>(share) + 1) / copies;
      for (std::size_t c = first; c < last; ++c) {
        for (unsigned i = columns->begin[c]; i < columns->begin[c + 1]; ++i) {
          sums[columns->rows[i]] += columns->values[i] * p->x[c];
        }
      }
    });
    in_pieces(pool, rows, 1 << 14, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        float sum = 0;
        for (std::size_t k = 0; k < copies; ++k) sum += (*own)[k * rows + r];
        (*y)[r] = sum;
      }
    });
  };
  work.result = sampled(y);
  work.work = p->work();
  work.quantities = [setup] { return setup_quantity(setup); };
  return work;
}

CudaWork finished(CudaWork work, const std::shared_ptr<cuda::DeviceBuffer<float>>& y, double setup_s) {
  work.result = sampled(y);
  work.quantities = [setup_s] { return setup_quantity(setup_s); };
  return work;
}

/// Arrays of a CSR matrix, x and y on the device.
struct DeviceProduct {
  DeviceProduct(CudaBench& bench, const Problem& p)
      : begin(bench.upload(p.matrix.begin)),
        columns(bench.upload(p.matrix.columns)),
        values(bench.upload(p.matrix.values)),
        x(bench.upload(p.x)),
        y(bench.buffer<float>(p.matrix.rows)) {}
  std::shared_ptr<cuda::DeviceBuffer<unsigned>> begin, columns;
  std::shared_ptr<cuda::DeviceBuffer<float>> values, x, y;
};

CudaWork csr_gpu_work(CudaBench& bench, const char* name, bool warp_per_row) {
  const Problem p(bench.problem());
  const DeviceProduct on(bench, p);
  const auto rows = static_cast<unsigned>(p.matrix.rows);
  // The size of a grid is limited, so kernels loop over further rows.
  const std::size_t threads = warp_per_row ? std::min(p.matrix.rows, std::size_t{1} << 22) * 32 : p.matrix.rows;
  CudaWork work;
  work.queue = [=, kernel = bench.kernel(name)](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(threads, kThreads)}, .block = {kThreads}}, rows, on.begin->pointer(),
                  on.columns->pointer(), on.values->pointer(), on.x->pointer(), on.y->pointer());
  };
  work.work = p.work();
  return finished(std::move(work), on.y, 0.0);
}

/// Arrays of a CSC matrix, x and y on the device, and the time of the conversion.
struct DeviceColumns {
  DeviceColumns(CudaBench& bench, const Problem& p) : y(bench.buffer<float>(p.matrix.rows)) {
    const cpu::Clock::time_point start = cpu::Clock::now();
    const ColumnMatrix columns = to_columns(p.matrix);
    setup_s = cpu::seconds_since(start);
    begin = bench.upload(columns.begin);
    rows = bench.upload(columns.rows);
    values = bench.upload(columns.values);
    x = bench.upload(p.x);
  }
  std::shared_ptr<cuda::DeviceBuffer<unsigned>> begin, rows;
  std::shared_ptr<cuda::DeviceBuffer<float>> values, x, y;
  double setup_s = 0;
};

CudaWork csc_gpu_work(CudaBench& bench) {
  const Problem p(bench.problem());
  const DeviceColumns on(bench, p);
  CudaWork work;
  work.queue = [=, columns = static_cast<unsigned>(p.matrix.rows),
                kernel = bench.kernel("micro_spmv_csc")](cuda::Stream& to) mutable {
    on.y->fill_bytes(0, to);
    kernel.launch(to, {.grid = {blocks_for(columns, kThreads)}, .block = {kThreads}}, columns, on.begin->pointer(),
                  on.rows->pointer(), on.values->pointer(), on.x->pointer(), on.y->pointer());
  };
  work.work = p.work();
  return finished(std::move(work), on.y, on.setup_s);
}

CudaWork columns_by_library(CudaBench& bench) {
  const Problem p(bench.problem());
  const DeviceColumns on(bench, p);
  const cpu::Clock::time_point start = cpu::Clock::now();
  const auto product = std::make_shared<cuda::CusparseProduct>(
      bench.device(),
      cuda::CusparseProduct::Arrays{static_cast<std::int64_t>(p.matrix.rows),
                                    static_cast<std::int64_t>(p.matrix.columns.size()), on.begin->pointer(),
                                    on.rows->pointer(), on.values->pointer(), on.x->pointer(), on.y->pointer()},
      cuda::SparseFormat::kCsc);
  const double setup = on.setup_s + cpu::seconds_since(start);
  CudaWork work;
  work.queue = [on, product](cuda::Stream& to) { product->run(to); };
  work.work = p.work();
  return finished(std::move(work), on.y, setup);
}

CudaWork diagonals_gpu_work(CudaBench& bench) {
  const Problem p(bench.problem());
  const cpu::Clock::time_point start = cpu::Clock::now();
  const DiagonalMatrix diagonals = to_diagonals(p.matrix);
  const double setup = cpu::seconds_since(start);
  const auto values = bench.upload(diagonals.values), x = bench.upload(p.x);
  const auto offsets = bench.upload(diagonals.offsets);
  const auto y = bench.buffer<float>(p.matrix.rows);
  const auto rows = static_cast<int>(p.matrix.rows), count = static_cast<int>(diagonals.offsets.size());
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_spmv_dia")](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(y->size(), kThreads)}, .block = {kThreads}}, rows, count, offsets->pointer(),
                  values->pointer(), x->pointer(), y->pointer());
  };
  work.work = p.work_by_diagonals();
  return finished(std::move(work), y, setup);
}

CudaWork one_diagonal(CudaBench& bench) {
  const Problem p(bench.problem());
  const auto values = bench.upload(p.matrix.values), x = bench.upload(p.x);
  const auto y = bench.buffer<float>(p.matrix.rows);
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_spmv_diagonal")](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(y->size(), kThreads)}, .block = {kThreads}},
                  static_cast<unsigned>(y->size()), values->pointer(), x->pointer(), y->pointer());
  };
  work.work = p.work_by_diagonals();
  return finished(std::move(work), y, 0.0);
}

CudaWork library_work(CudaBench& bench) {
  const Problem p(bench.problem());
  const DeviceProduct on(bench, p);
  const cpu::Clock::time_point start = cpu::Clock::now();
  const auto product = std::make_shared<cuda::CusparseProduct>(
      bench.device(),
      cuda::CusparseProduct::Arrays{static_cast<std::int64_t>(p.matrix.rows),
                                    static_cast<std::int64_t>(p.matrix.columns.size()), on.begin->pointer(),
                                    on.columns->pointer(), on.values->pointer(), on.x->pointer(), on.y->pointer()});
  const double setup = cpu::seconds_since(start);
  CudaWork work;
  work.queue = [on, product](cuda::Stream& to) { product->run(to); };
  work.work = p.work();
  return finished(std::move(work), on.y, setup);
}

std::string refuses_many_diagonals(const TaskProblem& problem) {
  return problem.word("matrix") != "power-law" ? "" : "matrix = power-law has nearly as many diagonals as rows";
}
std::string refuses_off_diagonal(const TaskProblem& problem) {
  return problem.word("matrix") == "diagonal" ? ""
                                              : "matrix = " + problem.word("matrix") + " has more than one diagonal";
}
std::string library_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  return cuda::cusparse_unavailable();
}

double bytes(const TaskProblem& problem) {
  const std::string& kind = problem.word("matrix");
  const double entries = kind == "diagonal" ? 1 : kind == "tridiagonal" ? 3 : kind == "five-point" ? 5 : 10;
  return (8.0 * entries + 12.0) * static_cast<double>(problem.count("rows"));
}

}  // namespace
}  // namespace spmv_row

engine::TaskBench spmv_bench() {
  using namespace spmv_row;
  Row<answer> row(
      {"spmv", "Sparse matrix times vector", "kernels/micro/sparse/spmv.cpp", "kernels/micro/sparse/spmv.cu", bytes});
  row.cpu<csr_cpu_work>({"cpu-csr", "Row by row (CSR)", "values and columns stored row by row"});
  row.cpu<csc_cpu_work>({"cpu-csc", "Column by column (CSC)",
                         "adds to arbitrary rows: a copy of y per thread, summed at the end", "cpu-csr"});
  row.cpu<diagonals_cpu_work>(
      {"cpu-dia", "Diagonal by diagonal (DIA)", "no column indices to read, vectorised over rows", "cpu-csr"},
      refuses_many_diagonals);
  row.cuda<csc_gpu_work>({"cuda-csc", "CSC, one thread per column", "one atomic addition per entry, in any order"});
  row.cuda<columns_by_library>({"cusparse-csc", "cuSPARSE, CSC", "the library", "cuda-csc", "fp32", "cuSPARSE"},
                               refuse_nothing, library_missing);
  row.cuda<with<csr_gpu_work, Name("micro_spmv_csr_scalar"), false>>(
      {"cuda-csr-scalar", "CSR, one thread per row", "lanes read from 32 rows"});
  row.cuda<with<csr_gpu_work, Name("micro_spmv_csr_vector"), true>>(
      {"cuda-csr-vector", "CSR, one warp per row", "lanes read along a row", "cuda-csr-scalar"});
  row.cuda<library_work>({"cusparse", "cuSPARSE, CSR", "the library", "cuda-csr-vector", "fp32", "cuSPARSE"},
                         refuse_nothing, library_missing);
  row.cuda<diagonals_gpu_work>(
      {"cuda-dia", "DIA", "no column indices to read; lanes read along a diagonal", "cuda-csr-scalar"},
      refuses_many_diagonals);
  row.cuda<one_diagonal>({"cuda-diagonal", "One diagonal", "one product per element", "cuda-dia"},
                         refuses_off_diagonal);
  row.small({{"rows", 1003}}, {{"matrix", "diagonal"}});
  row.small({{"rows", 1003}}, {{"matrix", "tridiagonal"}});
  row.small({{"rows", 1003}}, {{"matrix", "five-point"}});
  row.small({{"rows", 1003}}, {{"matrix", "power-law"}});
  return row.bench();
}

}  // namespace bb::micro
