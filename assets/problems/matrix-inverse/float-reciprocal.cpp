// Inverse by Gauss and Jordan with the reciprocal of each pivot in FP32, whose error grows with the condition number.
#include <cmath>
#include <utility>
#include <vector>

void run(const double* a, double* inverse, int batch, int n) {
  in_parallel(batch, [=](std::size_t first, std::size_t last) {
    const int wide = 2 * n;
    std::vector<double> work(static_cast<std::size_t>(n) * wide);
    std::vector<double*> rows(n);
    for (std::size_t at = first; at < last; ++at) {
      for (int i = 0; i < n; ++i) {
        rows[i] = &work[static_cast<std::size_t>(i) * wide];
        for (int k = 0; k < n; ++k) rows[i][k] = a[(at * n + i) * n + k], rows[i][n + k] = i == k ? 1.0 : 0.0;
      }
      for (int column = 0; column < n; ++column) {
        int most = column;
        for (int i = column + 1; i < n; ++i) {
          if (std::abs(rows[i][column]) > std::abs(rows[most][column])) most = i;
        }
        for (int k = 0; k < wide; ++k) std::swap(rows[most][k], rows[column][k]);
        const double share = 1.0f / static_cast<float>(rows[column][column]);
        for (int k = 0; k < wide; ++k) rows[column][k] *= share;
        for (int i = 0; i < n; ++i) {
          if (i == column) continue;
          const double times = rows[i][column];
          for (int k = 0; k < wide; ++k) rows[i][k] -= times * rows[column][k];
        }
      }
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) inverse[(at * n + i) * n + k] = rows[i][n + k];
      }
    }
  });
}
