#include "product_tile.hpp"

#include <algorithm>
#include <cstring>

// After Goto and van de Geijn: operands are packed into panels as wide as the register block, and a block of C stays in
// registers during the loop over k. K. Goto, R. van de Geijn, ACM Trans. Math. Softw. 34 (2008) 12.
namespace bb::linear_relu::BB_ISA {
namespace {

// Rows of C in registers, and vectors per row. They leave enough registers for one row of B and one value of A.
#if defined(__AVX512F__)
constexpr std::size_t kLanes = 16, kRows = 12;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 8, kRows = 6;
#else
constexpr std::size_t kLanes = 4, kRows = 4;
#endif
constexpr std::size_t kColumns = 2 * kLanes;

#if defined(__GNUC__)
typedef float Vector __attribute__((vector_size(4 * kLanes)));
#define BB_UNROLL _Pragma("GCC unroll 16")
#else
struct Vector {
  float of[kLanes];
  Vector& operator+=(const Vector& other) {
    for (std::size_t i = 0; i < kLanes; ++i) of[i] += other.of[i];
    return *this;
  }
  friend Vector operator*(float factor, Vector v) {
    for (std::size_t i = 0; i < kLanes; ++i) v.of[i] *= factor;
    return v;
  }
};
#define BB_UNROLL
#endif

Vector load(const float* from) {
  Vector out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

/// Computes sums[row][column] = Σ a[k][row] b[k][column] over `depth` values of k, from packed panels. Adds them to `c`
/// or stores them there.
void block(const float* a, const float* b, std::size_t depth, float* c, std::size_t pitch, std::size_t rows,
           std::size_t columns, bool add) {
  Vector sums[kRows][2];
  BB_UNROLL
  for (std::size_t i = 0; i < kRows; ++i) sums[i][0] = sums[i][1] = Vector{};
  for (std::size_t k = 0; k < depth; ++k, a += kRows, b += kColumns) {
    const Vector left = load(b), right = load(b + kLanes);
    BB_UNROLL
    for (std::size_t i = 0; i < kRows; ++i) {
      sums[i][0] += a[i] * left;
      sums[i][1] += a[i] * right;
    }
  }
  float values[kRows][kColumns];
  std::memcpy(values, sums, sizeof values);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      float& to = c[i * pitch + j];
      to = add ? to + values[i][j] : values[i][j];
    }
  }
}

/// Panels of `width` along the first index: out[panel][k][width], zero beyond `size`.
void pack(const View& from, std::size_t first, std::size_t size, std::size_t first_k, std::size_t depth,
          std::size_t width, float* out) {
  for (std::size_t panel = 0; panel < size; panel += width) {
    const std::size_t used = std::min(width, size - panel);
    for (std::size_t k = 0; k < depth; ++k, out += width) {
      const float* source = from.at + (first + panel) * from.row + (first_k + k) * from.column;
      for (std::size_t i = 0; i < used; ++i) out[i] = source[i * from.row];
      for (std::size_t i = used; i < width; ++i) out[i] = 0.0f;
    }
  }
}

void tile(const Product& p, std::size_t row, std::size_t column, float* packed) {
  const std::size_t rows = std::min(kTileRows, p.rows - row), columns = std::min(kTileColumns, p.columns - column);
  float* const a = packed;
  float* const b = packed + kTileRows * kTileDepth;
  const View b_by_column{p.b.at, p.b.column, p.b.row};
  for (std::size_t first = 0; first < p.depth; first += kTileDepth) {
    const std::size_t depth = std::min(kTileDepth, p.depth - first);
    pack(p.a, row, rows, first, depth, kRows, a);
    pack(b_by_column, column, columns, first, depth, kColumns, b);
    for (std::size_t j = 0; j < columns; j += kColumns) {
      for (std::size_t i = 0; i < rows; i += kRows) {
        block(a + i * depth, b + j * depth, depth, p.c + (row + i) * p.columns + column + j, p.columns,
              std::min(kRows, rows - i), std::min(kColumns, columns - j), first > 0);
      }
    }
  }
}

}  // namespace

TileFunction product_tile() { return tile; }

}  // namespace bb::linear_relu::BB_ISA
