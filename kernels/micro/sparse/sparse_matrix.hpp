#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bb::micro {

/// A square matrix, row by row (CSR).
struct SparseMatrix {
  std::size_t rows = 0;
  std::vector<unsigned> begin, columns;
  std::vector<float> values;
};

/// The same by diagonals: value of diagonal d in row r at d * rows + r, zero where the column lies outside.
struct DiagonalMatrix {
  std::vector<int> offsets;
  std::vector<float> values;
};

/// The same column by column (CSC).
struct ColumnMatrix {
  std::vector<unsigned> begin, rows;
  std::vector<float> values;
};

/// 'diagonal', 'tridiagonal', 'five-point' (of a square grid: `rows` is rounded down to a square), or
/// 'power-law': the chance of n entries in a row falls as n^-2, from 1 to 4096, in random columns.
SparseMatrix make_matrix(const std::string& kind, std::size_t rows, std::uint64_t seed);

/// Rows of a column in their order.
ColumnMatrix by_columns(const SparseMatrix& matrix);

/// For a matrix with few diagonals.
DiagonalMatrix by_diagonals(const SparseMatrix& matrix);

}  // namespace bb::micro
