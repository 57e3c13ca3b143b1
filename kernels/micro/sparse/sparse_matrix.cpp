#include "sparse_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/task.hpp"
#include "micro/row/synthetic.hpp"

namespace bb::micro {
namespace {

constexpr double kMaxEntries = 4096;  // maximum number of entries in a row of the power-law matrix

/// Matrix with entries at the given distances from the diagonal; `keep` decides which of them exist.
template <typename Keep>
SparseMatrix banded(std::size_t rows, const std::vector<std::ptrdiff_t>& offsets, Keep&& keep) {
  SparseMatrix out{.rows = rows, .begin = {0}, .columns = {}, .values = {}};
  for (std::size_t r = 0; r < rows; ++r) {
    for (const std::ptrdiff_t offset : offsets) {
      const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(r) + offset;
      if (column < 0 || column >= static_cast<std::ptrdiff_t>(rows) || !keep(r, offset)) continue;
      out.columns.push_back(static_cast<unsigned>(column));
    }
    out.begin.push_back(static_cast<unsigned>(out.columns.size()));
  }
  return out;
}

SparseMatrix power_law(std::size_t rows, std::uint64_t seed) {
  SparseMatrix out{.rows = rows, .begin = {0}, .columns = {}, .values = {}};
  Random random(seed);
  const double most = std::min(kMaxEntries, static_cast<double>(rows));
  for (std::size_t r = 0; r < rows; ++r) {
    // Inverts the cumulative distribution of n^-2 from 1 to `most`.
    const auto entries = static_cast<std::size_t>(1.0 / (1.0 - random.unit() * (1.0 - 1.0 / most)));
    const std::size_t first = out.columns.size();
    for (std::size_t e = 0; e < entries; ++e) out.columns.push_back(static_cast<unsigned>(random.index(rows)));
    std::sort(out.columns.begin() + static_cast<std::ptrdiff_t>(first), out.columns.end());
    out.begin.push_back(static_cast<unsigned>(out.columns.size()));
  }
  return out;
}

}  // namespace

SparseMatrix make_matrix(const std::string& kind, std::size_t rows, std::uint64_t seed) {
  const auto always = [](std::size_t, std::ptrdiff_t) { return true; };
  SparseMatrix out;
  if (kind == "diagonal") {
    out = banded(rows, {0}, always);
  } else if (kind == "tridiagonal") {
    out = banded(rows, {-1, 0, 1}, always);
  } else if (kind == "five-point") {
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(rows)));
    const auto wide = static_cast<std::ptrdiff_t>(side);
    // The last point of a grid line has no right neighbour, and the first has no left neighbour.
    out = banded(side * side, {-wide, -1, 0, 1, wide}, [side](std::size_t r, std::ptrdiff_t offset) {
      return !(offset == -1 && r % side == 0) && !(offset == 1 && r % side == side - 1);
    });
  } else {
    out = power_law(rows, seed);
  }
  out.values = engine::uniform_values(out.columns.size(), seed + 1);
  return out;
}

ColumnMatrix to_columns(const SparseMatrix& matrix) {
  const std::size_t entries = matrix.columns.size();
  ColumnMatrix out{.begin = std::vector<unsigned>(matrix.rows + 1),
                   .rows = std::vector<unsigned>(entries),
                   .values = std::vector<float>(entries)};
  for (const unsigned column : matrix.columns) ++out.begin[column + 1];
  for (std::size_t c = 0; c < matrix.rows; ++c) out.begin[c + 1] += out.begin[c];
  std::vector<unsigned> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (unsigned i = matrix.begin[r]; i < matrix.begin[r + 1]; ++i) {
      const unsigned to = next[matrix.columns[i]]++;
      out.rows[to] = static_cast<unsigned>(r);
      out.values[to] = matrix.values[i];
    }
  }
  return out;
}

DiagonalMatrix to_diagonals(const SparseMatrix& matrix) {
  std::map<int, std::size_t> place;
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (unsigned i = matrix.begin[r]; i < matrix.begin[r + 1]; ++i) {
      place.emplace(static_cast<int>(matrix.columns[i]) - static_cast<int>(r), 0);
    }
  }
  DiagonalMatrix out;
  for (auto& [offset, index] : place) {
    index = out.offsets.size();
    out.offsets.push_back(offset);
  }
  out.values.resize(out.offsets.size() * matrix.rows);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (unsigned i = matrix.begin[r]; i < matrix.begin[r + 1]; ++i) {
      const int offset = static_cast<int>(matrix.columns[i]) - static_cast<int>(r);
      out.values[place[offset] * matrix.rows + r] += matrix.values[i];
    }
  }
  return out;
}

}  // namespace bb::micro
