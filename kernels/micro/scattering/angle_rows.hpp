#pragma once

#include <cstddef>
#include <vector>

// Columns of an array [angle][cell] are convolved with a symmetric kernel along the angles; compiled per instruction
// set.
namespace bb::micro {

struct AngleRows {
  std::size_t angles, cells;
  const float* in;
  float* out;
  const std::vector<float>* weights;   // weights at distance 0 … reach
  const std::vector<float>* spectrum;  // for transformed(), as made by physics::RowFft
};

struct AngleRowFunctions {
  /// Convolves the columns first … last - 1 by direct sums.
  void (*direct)(const AngleRows&, std::size_t first, std::size_t last);
  /// Convolves the columns first … last - 1 by Fourier transforms.
  void (*transformed)(const AngleRows&, std::size_t first, std::size_t last);
};

/// Returns the functions for the best instruction set of this CPU.
const AngleRowFunctions& angle_row_functions();

}  // namespace bb::micro
