#include "physics/row_fft.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"

using bb::physics::device::fft_length;
using bb::physics::device::RowFft;

namespace {

/// Largest error over the largest value, of `rows` in random columns against the sums as they are written.
template <typename T>
double worst(std::size_t rows, std::size_t reach) {
  const RowFft<T> fft(fft_length(rows, reach));
  constexpr std::size_t kLanes = RowFft<T>::kLanes;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<T> weights(reach + 1);
  for (T& w : weights) w = static_cast<T>(unit(random) / static_cast<double>(reach + 1));
  std::vector<T> real(fft.values()), imaginary(fft.values());
  for (std::size_t i = 0; i < rows * kLanes; ++i) {
    real[i] = static_cast<T>(unit(random));
    imaginary[i] = static_cast<T>(unit(random));
  }
  const std::vector<T> before[2] = {real, imaginary};
  fft.convolve(real.data(), imaginary.data(), fft.spectrum(weights).data());
  const std::vector<T>* after[2] = {&real, &imaginary};
  double off = 0, largest = 0;
  for (int part = 0; part < 2; ++part) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t l = 0; l < kLanes; ++l) {
        double sum = 0;
        for (std::size_t b = 0; b < rows; ++b) {
          const std::size_t distance = r > b ? r - b : b - r;
          if (distance <= reach)
            sum += static_cast<double>(weights[distance]) * static_cast<double>(before[part][b * kLanes + l]);
        }
        off = std::max(off, std::abs(sum - static_cast<double>((*after[part])[r * kLanes + l])));
        largest = std::max(largest, std::abs(sum));
      }
    }
  }
  return off / largest;
}

}  // namespace

TEST("row fft: a length holds the rows and what reaches beyond, and no more than twice that") {
  CHECK_EQ(fft_length(1, 0), std::size_t{1});
  CHECK_EQ(fft_length(64, 0), std::size_t{64});
  CHECK_EQ(fft_length(64, 1), std::size_t{128});
  CHECK_EQ(fft_length(100, 28), std::size_t{128});
}

TEST("row fft: rows are convolved as the sums say, of any number, in both precisions, ends not joined") {
  for (const auto& [rows, reach] :
       {std::pair<std::size_t, std::size_t>{1, 0}, {1, 3}, {2, 1}, {7, 9}, {64, 5}, {72, 20}, {129, 31}}) {
    CHECK(worst<double>(rows, reach) < 1e-14);
    CHECK(worst<float>(rows, reach) < 1e-6);
  }
}
