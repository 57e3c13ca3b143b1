#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bb::micro {

/// A square matrix in CSR format, row by row.
struct SparseMatrix {
  std::size_t rows = 0;
  std::vector<unsigned> begin, columns;
  std::vector<float> values;
};

/// A square matrix by diagonals: the value of diagonal d in row r is at d * rows + r, zero if the column is outside.
struct DiagonalMatrix {
  std::vector<int> offsets;
  std::vector<float> values;
};

/// A square matrix in CSC format, column by column.
struct ColumnMatrix {
  std::vector<unsigned> begin, rows;
  std::vector<float> values;
};

/// `kind` is 'diagonal', 'tridiagonal', 'five-point' (of a square grid: `rows` is rounded down to a square) or
/// 'power-law'. In a power-law matrix, a row has n random columns, 1 to 4096, with a probability that falls as n^-2.
SparseMatrix make_matrix(const std::string& kind, std::size_t rows, std::uint64_t seed);

/// Converts to CSC; the entries of a column are sorted by row.
ColumnMatrix to_columns(const SparseMatrix& matrix);

/// Converts a matrix with few diagonals.
DiagonalMatrix to_diagonals(const SparseMatrix& matrix);

}  // namespace bb::micro
