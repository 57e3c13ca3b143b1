#pragma once

#include <cstddef>

// One tile of a matrix product on one CPU thread, compiled per instruction set.
namespace bb::linear_relu {

/// A matrix with any strides.
struct View {
  const float* at;
  std::size_t row, column;  // from one to the next
};

/// C[rows][columns] = A[rows][depth] B[depth][columns]; C is row-major.
struct Product {
  View a, b;
  float* c;
  std::size_t rows, columns, depth;
};

/// Outputs of a task: its packed operands fit a core's second-level cache.
inline constexpr std::size_t kTileRows = 192, kTileColumns = 256, kTileDepth = 256;
inline constexpr std::size_t kPackedFloats = (kTileRows + kTileColumns) * kTileDepth + 64;

/// The tile of C that begins at (row, column); `packed` holds kPackedFloats.
using TileFunction = void (*)(const Product&, std::size_t row, std::size_t column, float* packed);

/// For the instruction set that this CPU runs best.
TileFunction product_tile();

}  // namespace bb::linear_relu
