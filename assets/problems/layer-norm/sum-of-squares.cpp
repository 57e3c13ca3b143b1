// Layer norm: E(x²) - E(x)² in FP32, whose digits cancel for a mean of 300 and a deviation of 1.
#include <cmath>

void run(const float* x, const float* gain, const float* shift, float* y, int rows, int columns) {
  in_parallel(rows, [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const float* from = x + row * columns;
      float sum = 0, squares = 0;
      for (int i = 0; i < columns; ++i) {
        sum += from[i];
        squares += from[i] * from[i];
      }
      const float mean = sum / static_cast<float>(columns);
      const float variance = std::abs(squares / static_cast<float>(columns) - mean * mean);
      const float scale = 1.0f / std::sqrt(variance + 1e-5f);
      for (int i = 0; i < columns; ++i) y[row * columns + i] = (from[i] - mean) * scale * gain[i] + shift[i];
    }
  });
}
