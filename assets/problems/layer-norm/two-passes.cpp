// Layer norm: the mean in one pass, the variance about it in a second.
#include <cmath>

void run(const float* x, const float* gain, const float* shift, float* y, int rows, int columns) {
  in_parallel(rows, [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const float* from = x + row * columns;
      double sum = 0;
      for (int i = 0; i < columns; ++i) sum += from[i];
      const float mean = static_cast<float>(sum / columns);
      float squares = 0;
      for (int i = 0; i < columns; ++i) squares += (from[i] - mean) * (from[i] - mean);
      const float variance = squares / static_cast<float>(columns);
      const float scale = 1.0f / std::sqrt(variance + 1e-5f);
      for (int i = 0; i < columns; ++i) y[row * columns + i] = (from[i] - mean) * scale * gain[i] + shift[i];
    }
  });
}
