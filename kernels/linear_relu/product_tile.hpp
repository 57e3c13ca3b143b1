#pragma once

#include <cstddef>

// One tile of a matrix product on one CPU thread, compiled per instruction set.
namespace bb::linear_relu {

/// A matrix with any strides.
struct View {
  const float* at;
  std::size_t row, column;  // distances between neighbours, in elements
};

/// C[rows][columns] = A[rows][depth] B[depth][columns]; C is row-major.
struct Product {
  View a, b;
  float* c;
  std::size_t rows, columns, depth;
};

/// Outputs and depth of a tile: its packed operands fit a core's second-level cache.
inline constexpr std::size_t kTileRows = 192, kTileColumns = 256, kTileDepth = 256;
inline constexpr std::size_t kPackedFloats = (kTileRows + kTileColumns) * kTileDepth + 64;

/// Computes the tile of C that begins at (row, column). `packed` is scratch memory of kPackedFloats.
using TileFunction = void (*)(const Product&, std::size_t row, std::size_t column, float* packed);

/// Returns the function for the best instruction set of this CPU.
TileFunction product_tile();

}  // namespace bb::linear_relu
