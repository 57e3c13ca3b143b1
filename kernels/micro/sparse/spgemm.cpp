// Row 16 of the table of performance claims: C = A A, sparse times sparse. The pattern of C is not known in advance.
// Finding it is part of the work unless calls reuse the pattern.
#include <algorithm>
#include <cmath>

#include "cpu/stopwatch.hpp"
#include "cuda/library/cusparse.hpp"
#include "micro/row/row.hpp"
#include "sparse_matrix.hpp"

namespace bb::micro {
namespace spgemm_row {
namespace {

/// Number of rows whose entries a thread finds at a time.
constexpr std::size_t kPiece = 1 << 10;
constexpr unsigned kThreads = 256;

struct Problem {
  explicit Problem(const TaskProblem& problem)
      : matrix(make_matrix(problem.word("matrix"), problem.count("rows"), problem.seed)),
        weights(engine::uniform_values(matrix.rows, problem.seed + 3)) {
    for (const unsigned k : matrix.columns) products += matrix.begin[k + 1] - matrix.begin[k];
  }
  /// Each product of two entries needs one multiplication and one addition.
  TaskWork work() const { return {.flops = 2.0 * products}; }
  std::vector<Quantity> quantities(std::size_t entries) const {
    return {{"entries", "Entries of the product", static_cast<double>(entries), ""},
            {"products", "Products", products, ""}};
  }
  SparseMatrix matrix;
  // One weight per column: C is compared by weighted sums of its rows, because its entries have no fixed order.
  std::vector<float> weights;
  double products = 0;
};

/// Weighted sums of rows of C, and its mean number of entries per row.
std::vector<double> summary(const Problem& p, const std::vector<unsigned>& begin, const std::vector<unsigned>& columns,
                            const std::vector<float>& values) {
  std::vector<double> out = Samples(p.matrix.rows).map([&](std::size_t r) {
    double sum = 0;
    for (unsigned i = begin[r]; i < begin[r + 1]; ++i) {
      sum += static_cast<double>(values[i]) * static_cast<double>(p.weights[columns[i]]);
    }
    return sum;
  });
  out.push_back(static_cast<double>(columns.size()) / static_cast<double>(p.matrix.rows));
  return out;
}

/// Finds the columns of the entries in a row of C, each once.
class ProductRow {
 public:
  explicit ProductRow(std::size_t columns) : seen_(columns, kNone) {}
  template <typename Each>
  void each_column(const SparseMatrix& a, std::size_t row, Each&& each) {
    found_.clear();
    for (unsigned i = a.begin[row]; i < a.begin[row + 1]; ++i) {
      const unsigned k = a.columns[i];
      for (unsigned j = a.begin[k]; j < a.begin[k + 1]; ++j) {
        const unsigned column = a.columns[j];
        const bool first = seen_[column] != row;
        seen_[column] = row;
        if (first) found_.push_back(column);
        each(column, first, i, j);
      }
    }
  }
  std::vector<unsigned>& found() { return found_; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> seen_;
  std::vector<unsigned> found_;
};

ExpectedResult answer(const TaskProblem& problem) {
  const Problem p(problem);
  const SparseMatrix& a = p.matrix;
  const Samples some(a.rows);
  ExpectedResult out{.wanted = some.map([&](std::size_t r) {
                       double sum = 0;
                       for (unsigned i = a.begin[r]; i < a.begin[r + 1]; ++i) {
                         double inner = 0;
                         for (unsigned j = a.begin[a.columns[i]]; j < a.begin[a.columns[i] + 1]; ++j) {
                           inner += static_cast<double>(a.values[j]) * static_cast<double>(p.weights[a.columns[j]]);
                         }
                         sum += static_cast<double>(a.values[i]) * inner;
                       }
                       return sum;
                     }),
                     .limit = 4e-6,
                     .worst_limit = 4e-6,
                     .compared = some.text() + ", row sums for a test vector, and the number of entries with FP64"};
  ProductRow row(a.rows);
  double entries = 0;
  for (std::size_t r = 0; r < a.rows; ++r) {
    row.each_column(a, r, [](unsigned, bool, unsigned, unsigned) {});
    entries += static_cast<double>(row.found().size());
  }
  out.wanted.push_back(entries / static_cast<double>(a.rows));
  return out;
}

/// Computes row by row, with a dense row of sums per thread (Gustavson, ACM Trans. Math. Softw. 4 (1978) 250).
CpuWork rows_work(CpuBench& bench) {
  struct Piece {
    std::vector<unsigned> lengths, columns;
    std::vector<float> values;
  };
  struct State {
    std::vector<Piece> pieces;
    std::vector<unsigned> begin, columns;
    std::vector<float> values;
  };
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto state = std::make_shared<State>();
  const std::size_t rows = p->matrix.rows;
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    const std::size_t count = (rows + kPiece - 1) / kPiece;
    state->pieces.assign(count, Piece{});
    std::vector<std::unique_ptr<ProductRow>> finders(static_cast<std::size_t>(pool.lanes()));
    std::vector<std::vector<float>> sums(finders.size());
    pool.run(static_cast<int>(count), [&](int at, int lane) {
      const auto own = static_cast<std::size_t>(lane);
      if (!finders[own]) {
        finders[own] = std::make_unique<ProductRow>(rows);
        sums[own].resize(rows);
      }
      Piece& piece = state->pieces[static_cast<std::size_t>(at)];
      const SparseMatrix& a = p->matrix;
      const std::size_t first = static_cast<std::size_t>(at) * kPiece, last = std::min(rows, first + kPiece);
      for (std::size_t r = first; r < last; ++r) {
        finders[own]->each_column(a, r, [&](unsigned column, bool fresh, unsigned i, unsigned j) {
          const float product = a.values[i] * a.values[j];
          sums[own][column] = fresh ? product : sums[own][column] + product;
        });
        std::vector<unsigned>& found = finders[own]->found();
        std::ranges::sort(found);
        for (const unsigned column : found) piece.values.push_back(sums[own][column]);
        piece.columns.insert(piece.columns.end(), found.begin(), found.end());
        piece.lengths.push_back(static_cast<unsigned>(found.size()));
      }
    });
    state->begin.assign(1, 0);
    state->columns.clear();
    state->values.clear();
    for (const Piece& piece : state->pieces) {
      for (const unsigned length : piece.lengths) state->begin.push_back(state->begin.back() + length);
      state->columns.insert(state->columns.end(), piece.columns.begin(), piece.columns.end());
      state->values.insert(state->values.end(), piece.values.begin(), piece.values.end());
    }
  };
  work.result = [=] { return summary(*p, state->begin, state->columns, state->values); };
  work.work = p->work();
  work.quantities = [=] { return p->quantities(state->columns.size()); };
  return work;
}

/// Entries of C, and the products that each entry sums. Found once, because only the values of A change between calls.
struct ProductPattern {
  /// Indices of the two factors among A's values.
  struct Factors {
    unsigned left, right;
  };
  explicit ProductPattern(const SparseMatrix& a) {
    ProductRow row(a.rows);
    std::vector<unsigned> next(a.rows);  // by column: number of products in this row of C, then index of the next one
    for (std::size_t r = 0; r < a.rows; ++r) {
      row.each_column(
          a, r, [&](unsigned column, bool fresh, unsigned, unsigned) { next[column] = fresh ? 1 : next[column] + 1; });
      std::vector<unsigned>& found = row.found();
      std::ranges::sort(found);
      for (const unsigned column : found) {
        const unsigned begins = first.back();
        first.push_back(begins + next[column]);
        next[column] = begins;
      }
      factors.resize(first.back());
      columns.insert(columns.end(), found.begin(), found.end());
      begin.push_back(static_cast<unsigned>(columns.size()));
      row.each_column(a, r, [&](unsigned column, bool, unsigned i, unsigned j) { factors[next[column]++] = {i, j}; });
    }
  }
  std::vector<unsigned> begin{0}, columns;
  std::vector<unsigned> first{0};  // index of the first product of each entry, then the number of all products
  std::vector<Factors> factors;
};

struct TimedPattern {
  explicit TimedPattern(const SparseMatrix& a) : start(cpu::Clock::now()), pattern(a) {
    seconds = cpu::seconds_since(start);
  }
  std::vector<Quantity> quantities(const Problem& p) const {
    std::vector<Quantity> all = p.quantities(pattern.columns.size());
    all.push_back({"pattern", "Time to find the pattern", 1e3 * seconds, "ms"});
    return all;
  }
  cpu::Clock::time_point start;
  ProductPattern pattern;
  double seconds = 0;
};

CpuWork reused_pattern_work(CpuBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto kept = std::make_shared<const TimedPattern>(p->matrix);
  const auto values = std::make_shared<std::vector<float>>(kept->pattern.columns.size());
  CpuWork work;
  work.run = [=, &pool = bench.pool()] {
    in_pieces(pool, values->size(), 1 << 13, [&](std::size_t from, std::size_t to) {
      const ProductPattern& of = kept->pattern;
      const std::vector<float>& a = p->matrix.values;
      for (std::size_t e = from; e < to; ++e) {
        float sum = 0;
        for (unsigned n = of.first[e]; n < of.first[e + 1]; ++n) sum += a[of.factors[n].left] * a[of.factors[n].right];
        (*values)[e] = sum;
      }
    });
  };
  work.result = [=] { return summary(*p, kept->pattern.begin, kept->pattern.columns, *values); };
  work.work = p->work();
  work.quantities = [=] { return kept->quantities(*p); };
  return work;
}

/// Uses one thread per entry of C. Each sums its products in a fixed order, without atomics.
CudaWork entries_work(CudaBench& bench) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto kept = std::make_shared<const TimedPattern>(p->matrix);
  const auto first = bench.upload(kept->pattern.first);
  const auto factors = bench.upload(kept->pattern.factors);
  const auto values = bench.upload(p->matrix.values);
  const auto out = bench.buffer<float>(kept->pattern.columns.size());
  CudaWork work;
  work.queue = [=, kernel = bench.kernel("micro_spgemm_kept")](cuda::Stream& to) mutable {
    kernel.launch(to, {.grid = {blocks_for(out->size(), kThreads)}, .block = {kThreads}},
                  static_cast<unsigned>(out->size()), first->pointer(), factors->pointer(), values->pointer(),
                  out->pointer());
  };
  work.result = [=](cuda::Stream& from) {
    return summary(*p, kept->pattern.begin, kept->pattern.columns, out->read(from));
  };
  work.work = p->work();
  work.quantities = [=] { return kept->quantities(*p); };
  return work;
}

enum class PatternSource { kRebuilt, kReused };

CudaWork library_work(CudaBench& bench, PatternSource pattern) {
  const auto p = std::make_shared<const Problem>(bench.problem());
  const auto begin = bench.upload(p->matrix.begin), columns = bench.upload(p->matrix.columns);
  const auto values = bench.upload(p->matrix.values);
  const auto product = std::make_shared<cuda::CusparseSquare>(
      bench.device(), cuda::CusparseSquare::Arrays{static_cast<std::int64_t>(p->matrix.rows),
                                                   static_cast<std::int64_t>(p->matrix.columns.size()),
                                                   begin->pointer(), columns->pointer(), values->pointer()});
  double setup = 0;
  if (pattern == PatternSource::kReused) {
    const cpu::Clock::time_point start = cpu::Clock::now();
    product->store_pattern(bench.stream());
    setup = cpu::seconds_since(start);
  }
  CudaWork work;
  work.queue = [=](cuda::Stream& to) {
    // The lambda captures the arrays, so that they live as long as the product that reads them.
    static_cast<void>(begin), static_cast<void>(columns), static_cast<void>(values);
    if (pattern == PatternSource::kReused) {
      product->run_same_pattern(to);
    } else {
      product->run_new_pattern(to);
    }
  };
  if (pattern == PatternSource::kRebuilt) {
    work.no_graph = "the host reads the number of entries in between";
    work.clock = engine::TaskClock::kWall;
  }
  work.result = [p, product](cuda::Stream& from) {
    const cuda::CusparseSquare::Result c = product->result(from);
    return summary(*p, c.begin, c.columns, c.values);
  };
  work.work = p->work();
  work.quantities = [=, &stream = bench.stream()] {
    std::vector<Quantity> all = p->quantities(product->result(stream).columns.size());
    if (pattern == PatternSource::kReused) all.push_back({"pattern", "Time to find the pattern", 1e3 * setup, "ms"});
    return all;
  };
  return work;
}

std::string library_missing() {
  if (const std::string why = device_missing(); !why.empty()) return why;
  return cuda::cusparse_unavailable();
}

/// A row of the power-law matrix has about nine entries, a row of its square about eighty.
double bytes(const TaskProblem& problem) {
  const std::string& kind = problem.word("matrix");
  const double entries = kind == "diagonal" ? 2 : kind == "tridiagonal" ? 8 : kind == "five-point" ? 18 : 100;
  return (3 * 8.0 * entries + 24.0) * static_cast<double>(problem.count("rows"));
}

}  // namespace
}  // namespace spgemm_row

engine::TaskBench spgemm_bench() {
  using namespace spgemm_row;
  Row<answer> row({"spgemm", "Sparse matrix times sparse matrix", "kernels/micro/sparse/spgemm.cpp",
                   "kernels/micro/sparse/spgemm.cu", bytes});
  row.cpu<rows_work>({"cpu-rows", "Row by row", "a dense row of sums per thread"});
  row.cpu<reused_pattern_work>({"cpu-kept", "Element by element, pattern reused",
                                "each result has a list of the products that it sums", "cpu-rows"});
  row.cuda<with<library_work, PatternSource::kRebuilt>>(
      {"cusparse", "cuSPARSE, pattern recomputed", "library calls: estimate, compute, copy", "", "fp32", "cuSPARSE"},
      refuse_nothing, library_missing);
  row.cuda<with<library_work, PatternSource::kReused>>(
      {"cusparse-kept", "cuSPARSE, pattern reused", "computes only the values in each repetition", "cusparse", "fp32",
       "cuSPARSE"},
      refuse_nothing, library_missing);
  row.cuda<entries_work>(
      {"cuda-kept", "Own kernel, pattern reused", "one thread per result sums the products in its list"});
  row.small({{"rows", 1003}}, {{"matrix", "tridiagonal"}});
  row.small({{"rows", 1003}}, {{"matrix", "five-point"}});
  row.small({{"rows", 2003}}, {{"matrix", "power-law"}});
  return row.bench();
}

}  // namespace bb::micro
