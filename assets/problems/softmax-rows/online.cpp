// Softmax by rows: maximum and sum in one pass; the sum is rescaled whenever the maximum grows
// (M. Milakov and N. Gimelshein, arXiv:1805.02867).
#include <cmath>

void run(const float* x, float* y, int rows, int columns) {
  in_parallel(rows, [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const float* from = x + row * columns;
      float* to = y + row * columns;
      float most = from[0], sum = 1.0f;
      for (int i = 1; i < columns; ++i) {
        if (from[i] > most) {
          sum = sum * std::exp(most - from[i]) + 1.0f;
          most = from[i];
        } else {
          sum += std::exp(from[i] - most);
        }
      }
      const float share = 1.0f / sum;
      for (int i = 0; i < columns; ++i) to[i] = std::exp(from[i] - most) * share;
    }
  });
}
