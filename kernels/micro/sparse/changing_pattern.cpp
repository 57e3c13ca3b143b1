// Row 16 of the table of performance claims: y = A x for a matrix that arrives as an unordered list of entries, a new
// one in each call. Does converting it to a sparse format first pay off?
#include <algorithm>
#include <cmath>
#include <numeric>

#include "micro/row/row.hpp"
#include "micro/row/synthetic.hpp"
#include "sparse_matrix.hpp"

namespace bb::micro {
namespace changing_pattern_row {
namespace {

constexpr unsigned kThreads = 256, kBeginThreads = 1024;
constexpr std::size_t kPatterns = 4;

/// A matrix as a list of entries.
struct Entries {
  std::vector<unsigned> rows, columns;
  std::vector<float> values;
};

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : rows(problem.count("rows")),
        entries(rows * problem.count("entries_per_row")),
        x(engine::uniform_values(rows, problem.seed + 2)) {
    for (std::size_t k = 0; k < kPatterns; ++k) {
      Random random(problem.seed + 10 + k);
      Entries list;
      list.values = engine::uniform_values(entries, problem.seed + 20 + k);
      for (std::size_t i = 0; i < entries; ++i) {
        list.rows.push_back(static_cast<unsigned>(random.index(rows)));
        list.columns.push_back(static_cast<unsigned>(random.index(rows)));
      }
      lists.push_back(std::move(list));
    }
  }
  /// Memory traffic and operations of the product alone, excluding the conversion.
  TaskWork work() const {
    const auto n = static_cast<double>(rows), all = static_cast<double>(entries);
    return {.bytes = 8.0 * all + 12.0 * n, .flops = 2.0 * all};
  }
  std::size_t rows, entries;
  std::vector<float> x;
  std::vector<Entries> lists;  // calls use them cyclically
};

/// Converts to CSR by a counting sort. Entries of a row stay in the order of the list.
SparseMatrix csr_of(const Entries& list, std::size_t rows) {
  SparseMatrix out{.rows = rows,
                   .begin = std::vector<unsigned>(rows + 1),
                   .columns = std::vector<unsigned>(list.rows.size()),
                   .values = std::vector<float>(list.rows.size())};
  for (const unsigned row : list.rows) ++out.begin[row + 1];
  for (std::size_t r = 0; r < rows; ++r) out.begin[r + 1] += out.begin[r];
  std::vector<unsigned> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    const unsigned at = next[list.rows[i]]++;
    out.columns[at] = list.columns[i];
    out.values[at] = list.values[i];
  }
  return out;
}

/// Expected result for the first list, which the first call after a reset uses.
ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const Entries& list = p.lists[0];
  std::vector<double> sums(p.rows);
  for (std::size_t i = 0; i < p.entries; ++i) {
    sums[list.rows[i]] += static_cast<double>(list.values[i]) * static_cast<double>(p.x[list.columns[i]]);
  }
  const Samples some(p.rows);
  return {some.map([&](std::size_t r) { return sums[r]; }), 2e-6, 2e-6, some.text() + " with FP64"};
}

/// Selects the list of the next call.
struct ListSelector {
  std::size_t next = 0;
  std::size_t take() { return next++ % kPatterns; }
};

enum class CpuMethod { kFromList, kRebuilt, kReused };

CpuWork cpu_work(CpuBench& bench, CpuMethod how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto y = std::make_shared<std::vector<float>>(p->rows);
  const auto turn = std::make_shared<ListSelector>();
  const auto kept = std::make_shared<std::vector<SparseMatrix>>();
  if (how == CpuMethod::kReused) {
    for (const Entries& list : p->lists) kept->push_back(csr_of(list, p->rows));
  }
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    const std::size_t k = turn->take();
    if (how == CpuMethod::kFromList) {
      const Entries& list = p->lists[k];
      std::ranges::fill(*y, 0.0f);
      for (std::size_t i = 0; i < p->entries; ++i) (*y)[list.rows[i]] += list.values[i] * p->x[list.columns[i]];
      return;
    }
    const SparseMatrix made = how == CpuMethod::kRebuilt ? csr_of(p->lists[k], p->rows) : SparseMatrix{};
    const SparseMatrix& a = how == CpuMethod::kRebuilt ? made : (*kept)[k];
    in_pieces(pool, p->rows, 1 << 12, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        float sum = 0;
        for (unsigned i = a.begin[r]; i < a.begin[r + 1]; ++i) sum += a.values[i] * p->x[a.columns[i]];
        (*y)[r] = sum;
      }
    });
  };
  work.reset = [turn] { turn->next = 0; };
  work.result = sampled(y);
  work.work = p->work();
  return work;
}
template <CpuMethod kHow>
CpuWork work_by_method(CpuBench& bench) {
  return cpu_work(bench, kHow);
}

/// The lists, and one matrix in CSR format, on the device.
struct DeviceLists {
  DeviceLists(CudaBench& bench, const Problem& p)
      : x(bench.upload(p.x)),
        y(bench.buffer<float>(p.rows)),
        values(bench.buffer<float>(p.entries)),
        columns(bench.buffer<unsigned>(p.entries)),
        begin(bench.buffer<unsigned>(p.rows + 1)),
        counts(bench.buffer<unsigned>(p.rows)),
        next(bench.buffer<unsigned>(p.rows)),
        add(bench.kernel("micro_entries_add")),
        count(bench.kernel("micro_entries_count")),
        begins(bench.kernel("micro_entries_begin")),
        fill(bench.kernel("micro_entries_fill")),
        multiply(bench.kernel("micro_spmv_csr_scalar")) {
    for (const Entries& list : p.lists) {
      list_rows.push_back(bench.upload(list.rows));
      list_columns.push_back(bench.upload(list.columns));
      list_values.push_back(bench.upload(list.values));
    }
  }
  using Indices = std::shared_ptr<cuda::DeviceBuffer<unsigned>>;
  using Floats = std::shared_ptr<cuda::DeviceBuffer<float>>;
  Floats x, y, values;
  Indices columns, begin, counts, next;
  cuda::Kernel add, count, begins, fill, multiply;
  std::vector<Indices> list_rows, list_columns;
  std::vector<Floats> list_values;
};

/// Queues a product with a matrix in CSR format.
void queue_product(DeviceLists& on, cuda::Stream& to, const unsigned* begin, const unsigned* columns,
                   const float* values) {
  const auto rows = static_cast<unsigned>(on.y->size());
  on.multiply.launch(to, {.grid = {blocks_for(rows, kThreads)}, .block = {kThreads}}, rows, begin, columns, values,
                     static_cast<const float*>(on.x->pointer()), on.y->pointer());
}

enum class GpuMethod { kFromList, kByHost, kRebuilt, kReused };

CudaWork gpu_work(CudaBench& bench, GpuMethod how) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto on = std::make_shared<DeviceLists>(bench, *p);
  const auto turn = std::make_shared<ListSelector>();
  struct StoredPattern {
    DeviceLists::Indices begin, columns;
    DeviceLists::Floats values;
  };
  const auto kept = std::make_shared<std::vector<StoredPattern>>();
  if (how == GpuMethod::kReused) {
    for (const Entries& list : p->lists) {
      const SparseMatrix a = csr_of(list, p->rows);
      kept->push_back({bench.upload(a.begin), bench.upload(a.columns), bench.upload(a.values)});
    }
  }
  const auto rows = static_cast<unsigned>(p->rows), entries = static_cast<unsigned>(p->entries);
  const cuda::LaunchShape each{.grid = {blocks_for(p->entries, kThreads)}, .block = {kThreads}};
  CudaWork work;
  work.queue = [=](cuda::Stream& to) {
    const std::size_t k = turn->take();
    const unsigned* list_rows = on->list_rows[k]->pointer();
    const unsigned* list_columns = on->list_columns[k]->pointer();
    const float* list_values = on->list_values[k]->pointer();
    switch (how) {
      case GpuMethod::kFromList:
        on->y->fill_bytes(0, to);
        on->add.launch(to, each, entries, list_rows, list_columns, list_values,
                       static_cast<const float*>(on->x->pointer()), on->y->pointer());
        return;
      case GpuMethod::kByHost: {
        const SparseMatrix a = csr_of(p->lists[k], p->rows);
        on->begin->upload(std::span<const unsigned>(a.begin), to);
        on->columns->upload(std::span<const unsigned>(a.columns), to);
        on->values->upload(std::span<const float>(a.values), to);
        queue_product(*on, to, on->begin->pointer(), on->columns->pointer(), on->values->pointer());
        to.synchronize();  // the copies read `a`, which is destroyed here
        return;
      }
      case GpuMethod::kRebuilt:
        on->counts->fill_bytes(0, to);
        on->count.launch(to, each, entries, list_rows, on->counts->pointer());
        on->begins.launch(to, {.grid = {1}, .block = {kBeginThreads}}, rows,
                          static_cast<const unsigned*>(on->counts->pointer()), on->begin->pointer(),
                          on->next->pointer());
        on->fill.launch(to, each, entries, list_rows, list_columns, list_values, on->next->pointer(),
                        on->columns->pointer(), on->values->pointer());
        queue_product(*on, to, on->begin->pointer(), on->columns->pointer(), on->values->pointer());
        return;
      case GpuMethod::kReused: {
        const StoredPattern& a = (*kept)[k];
        queue_product(*on, to, a.begin->pointer(), a.columns->pointer(), a.values->pointer());
        return;
      }
    }
  };
  work.restore = [turn](cuda::Stream&) { turn->next = 0; };
  work.result = sampled(on->y);
  work.work = p->work();
  work.no_graph = "every call has its own arrays";
  if (how == GpuMethod::kByHost) work.clock = engine::TaskClock::kWall;
  return work;
}

double bytes(const TaskProblem& problem) {
  const auto rows = static_cast<double>(problem.count("rows"));
  return kPatterns * 2 * 12.0 * rows * static_cast<double>(problem.count("entries_per_row")) + 40.0 * rows;
}

}  // namespace
}  // namespace changing_pattern_row

engine::TaskBench changing_pattern_bench() {
  using namespace changing_pattern_row;
  Row<answer> row({"changing-pattern", "Sparse pattern that changes in every call",
                   "kernels/micro/sparse/changing_pattern.cpp", "kernels/micro/sparse/changing_pattern.cu", bytes});
  // Variants that know the patterns in advance are listed first, because `auto` prefers later ones.
  row.cpu<work_by_method<CpuMethod::kReused>>({"cpu-kept", "CSR, reused", "as if the patterns were known in advance"});
  row.cpu<work_by_method<CpuMethod::kFromList>>(
      {"cpu-list", "Coordinate list", "entries in their given order, by one thread"});
  row.cpu<work_by_method<CpuMethod::kRebuilt>>(
      {"cpu-csr", "CSR, rebuilt", "sorts by rows, then multiplies on all threads", "cpu-list"});
  row.cuda<with<gpu_work, GpuMethod::kReused>>(
      {"cuda-kept", "CSR, reused", "as if the patterns were known in advance"});
  row.cuda<with<gpu_work, GpuMethod::kByHost>>(
      {"cuda-host", "CSR, built by the host", "the host sorts and uploads, the GPU multiplies"});
  row.cuda<with<gpu_work, GpuMethod::kRebuilt>>(
      {"cuda-csr", "CSR, built by the GPU", "counts, places and fills, then multiplies", "cuda-host"});
  row.cuda<with<gpu_work, GpuMethod::kFromList>>(
      {"cuda-list", "Coordinate list", "no format: one atomic addition per entry", "cuda-csr"});
  row.small({{"rows", 1003}, {"entries_per_row", 5}});
  row.small({{"rows", 3001}, {"entries_per_row", 1}});
  return row.bench();
}

}  // namespace bb::micro
