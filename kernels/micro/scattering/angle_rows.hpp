#pragma once

#include <cstddef>
#include <vector>

// Columns of an array [angle][cell] convolved with a symmetric kernel along the angles, compiled per instruction set.
namespace bb::micro {

struct AngleRows {
  std::size_t angles, cells;
  const float* in;
  float* out;
  const std::vector<float>* weights;   // of distance 0 … reach
  const std::vector<float>* spectrum;  // of transformed(), as physics::RowFft makes it
};

struct AngleRowFunctions {
  /// The columns first … last - 1, sum by sum.
  void (*direct)(const AngleRows&, std::size_t first, std::size_t last);
  /// The same by transforms.
  void (*transformed)(const AngleRows&, std::size_t first, std::size_t last);
};

/// For the instruction set that this CPU runs best.
const AngleRowFunctions& angle_row_functions();

}  // namespace bb::micro
