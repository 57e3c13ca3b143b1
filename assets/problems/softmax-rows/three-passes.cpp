// Softmax by rows: the maximum, the sum of the exponentials, and the division.
#include <algorithm>
#include <cmath>

void run(const float* x, float* y, int rows, int columns) {
  in_parallel(rows, [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const float* from = x + row * columns;
      float* to = y + row * columns;
      const float most = *std::max_element(from, from + columns);
      float sum = 0.0f;
      for (int i = 0; i < columns; ++i) {
        to[i] = std::exp(from[i] - most);
        sum += to[i];
      }
      for (int i = 0; i < columns; ++i) to[i] /= sum;
    }
  });
}
