#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "physics/remap.hpp"
#include "physics/row_fft.hpp"

using namespace bb::physics;

namespace {

/// Remaps a row once and adds content that leaves it to `lost`. `open`: values beyond the ends are those of
/// remap_neighbour.
std::vector<double> move(const std::vector<double>& row, double shift, bool high_order, double& lost,
                         bool open = false) {
  const RemapShift s = split_shift(shift);
  double c[kRemapTaps];
  remap_weights(s.fraction, high_order, c);
  const int n = static_cast<int>(row.size());
  std::vector<double> out(row.size(), 0.0);
  const auto cell = [&](int i) {
    const int at = open ? remap_neighbour(i, n, s.whole) : i;
    return at < 0 || at >= n ? 0.0 : row[static_cast<std::size_t>(at)];
  };
  const auto put = [&](int i, double part) { (i < 0 || i >= n ? lost : out[static_cast<std::size_t>(i)]) += part; };
  for (int i = 0; i < n; ++i) {
    const double moved = remap_flux(cell(i - 2), cell(i - 1), cell(i), cell(i + 1), cell(i + 2), c);
    put(i + s.whole, cell(i) - moved);
    put(i + s.whole + 1, moved);
  }
  return out;
}

double sum(const std::vector<double>& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

double moment(const std::vector<double>& row, double about, int n) {
  double m = 0.0;
  for (std::size_t i = 0; i < row.size(); ++i) m += row[i] * std::pow(static_cast<double>(i) - about, n);
  return m;
}

std::vector<double> gaussian(int n, double centre, double sigma) {
  std::vector<double> row(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) row[static_cast<std::size_t>(i)] = std::exp(-0.5 * std::pow((i - centre) / sigma, 2));
  const double total = sum(row);
  for (double& v : row) v /= total;
  return row;
}

constexpr double kShifts[] = {0.0, 1.0, -1.0, 3.0, 0.05, 0.3, 0.5, 0.77, 0.999, -0.2, -0.5, -0.95, 2.4, -3.6};

}  // namespace

TEST("split shift: integer and fractional part, snapped to whole cells") {
  for (const double shift : kShifts) {
    const RemapShift s = split_shift(shift);
    CHECK_NEAR(s.whole + s.fraction, shift, 1e-9);
    CHECK(s.fraction >= 0.0);
    CHECK(s.fraction < 1.0);
  }
  CHECK_EQ(split_shift(1.0 - 1e-12).whole, 1);
  CHECK_EQ(split_shift(1.0 - 1e-12).fraction, 0.0);
  CHECK_EQ(split_shift(-1e-12).whole, 0);
  CHECK_EQ(split_shift(-0.25).whole, -1);
  CHECK_EQ(split_shift(-0.25).fraction, 0.75);
}

TEST("remap: conserves the content for any row and any shift") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> real(0.0, 1.0);
  for (const bool high : {false, true}) {
    for (const double shift : kShifts) {
      std::vector<double> row(17);
      for (double& v : row) v = real(random) < 0.3 ? 0.0 : real(random);
      double lost = 0.0;
      const std::vector<double> out = move(row, shift, high, lost);
      CHECK_NEAR(sum(out) + lost, sum(row), 1e-13);
    }
  }
}

TEST("remap: never negative, and a cell passes on no more than its content") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> real(0.0, 1.0);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> row(11);
    for (double& v : row) v = real(random) < 0.5 ? 0.0 : std::pow(10.0, -8.0 * real(random));
    double lost = 0.0;
    const std::vector<double> out = move(row, 4.0 * real(random) - 2.0, true, lost);
    CHECK(*std::ranges::min_element(out) >= 0.0);
    CHECK(lost >= 0.0);
    // At most two donor cells contribute to a cell, so its content cannot exceed their sum.
    CHECK(*std::ranges::max_element(out) <= 2.0 * *std::ranges::max_element(row));
  }
}

TEST("remap: integer shifts are exact") {
  const std::vector<double> row = {0, 1, 2, 0, 5, 0, 0, 3};
  double lost = 0.0;
  CHECK(move(row, 0.0, true, lost) == row);
  CHECK(move(row, 2.0, true, lost) == std::vector<double>({0, 0, 0, 1, 2, 0, 5, 0}));
  CHECK_EQ(lost, 3.0);
}

TEST("remap, open end: conserves the content, never negative, and bitwise equal if nothing is near the end") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> real(0.0, 1.0);
  for (const double shift : kShifts) {
    std::vector<double> row(17);
    for (double& v : row) v = real(random) < 0.3 ? 0.0 : real(random);
    double lost = 0.0;
    const std::vector<double> out = move(row, shift, true, lost, true);
    CHECK_NEAR(sum(out) + lost, sum(row), 1e-13);
    CHECK(*std::ranges::min_element(out) >= 0.0 && lost >= 0.0);
    row.front() = row.back() = 0.0;
    CHECK(move(row, shift, true, lost, true) == move(row, shift, true, lost, false));
  }
}

TEST("remap, open end: content leaves at its speed beyond the row, and nothing enters at the other end") {
  for (const double shift : {0.3, -0.3, 1.6, -1.6}) {
    std::vector<double> row(40, 1.0);
    double lost = 0.0;
    std::vector<double> out = move(row, shift, true, lost, true);
    CHECK_NEAR(lost, std::abs(shift), 1e-12);
    CHECK_NEAR(sum(out), 40.0 - std::abs(shift), 1e-12);
    if (shift < 0.0) std::ranges::reverse(out);
    CHECK(out.front() < 1.0);
    CHECK_NEAR(out.back(), 1.0, 1e-12);
    // With zeros beyond the end of the row, the lost content differs.
    double shut = 0.0;
    move(row, shift, true, shut, false);
    CHECK(std::abs(shut - lost) > 1e-3);
  }
}

TEST("remap, high order: a smooth row keeps its mean and variance over a thousand shifts") {
  std::vector<double> row = gaussian(160, 40.0, 2.5);
  const double variance = moment(row, 40.0, 2);
  double lost = 0.0;
  for (int i = 0; i < 1000; ++i) row = move(row, 0.0737, true, lost);
  const double mean = moment(row, 0.0, 1);
  CHECK_NEAR(sum(row), 1.0, 1e-12);
  CHECK_NEAR(mean, 40.0 + 73.7, 1e-3);
  // Without the clamp the variance would be exact; the clamp acts on the far tails and adds 2e-6 of σ² per step.
  CHECK_REL(moment(row, mean, 2), variance, 3e-3);
}

TEST("remap, high order: a narrow beam of sigma 0.8 cells widens by less than a tenth of what linear remap adds") {
  std::vector<double> high = gaussian(160, 40.0, 0.8);
  std::vector<double> linear = high;
  const double variance = moment(high, 40.0, 2);
  double lost = 0.0;
  for (int i = 0; i < 100; ++i) {
    high = move(high, 0.3, true, lost);
    linear = move(linear, 0.3, false, lost);
  }
  const double added = moment(high, moment(high, 0.0, 1), 2) - variance;
  const double added_linear = moment(linear, moment(linear, 0.0, 1), 2) - variance;
  CHECK_REL(added_linear, 100 * 0.3 * 0.7, 1e-9);
  CHECK(std::abs(added) < 0.1 * added_linear);
}

TEST("remap, linear: equals the bilinear split, which adds f(1-f) of variance per step") {
  for (const double f : {0.1, 0.5, 0.9}) {
    std::vector<double> row(30, 0.0);
    row[10] = 1.0;
    double lost = 0.0;
    const std::vector<double> out = move(row, f, false, lost);
    CHECK_NEAR(out[10], 1.0 - f, 1e-15);
    CHECK_NEAR(out[11], f, 1e-15);
    CHECK_NEAR(moment(out, 10.0 + f, 2), f * (1.0 - f), 1e-15);
  }
}

TEST("remap weights: moments zero to four of the flux are those of the shifted cell content") {
  // G must equal the integral of the donor's neighbourhood polynomial between the departure face and the right face.
  // The integral is exact for cell averages of 1, x, x², x³, x⁴.
  for (const double f : {0.1, 0.35, 0.5, 0.8, 1.0}) {
    double c[kRemapTaps];
    remap_weights(f, true, c);
    for (int n = 0; n <= 4; ++n) {
      double got = 0.0;
      for (int m = 0; m < kRemapTaps; ++m) {
        const double left = m - kRemapReach - 0.5;
        got += c[m] * (std::pow(left + 1.0, n + 1) - std::pow(left, n + 1)) / (n + 1);
      }
      const double wanted = (std::pow(0.5, n + 1) - std::pow(0.5 - f, n + 1)) / (n + 1);
      CHECK_NEAR(got, wanted, 1e-12);
    }
  }
}

using bb::physics::device::fft_length;
using bb::physics::device::RowFft;

namespace {

/// Largest difference between `rows` in random columns and direct sums, relative to the largest value.
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

TEST("row FFT: the length holds the rows and their overlap, and is at most twice as long") {
  CHECK_EQ(fft_length(1, 0), std::size_t{1});
  CHECK_EQ(fft_length(64, 0), std::size_t{64});
  CHECK_EQ(fft_length(64, 1), std::size_t{128});
  CHECK_EQ(fft_length(100, 28), std::size_t{128});
}

TEST("row FFT: convolution equals direct sums for any number of rows, in both precisions, without wrap-around") {
  for (const auto& [rows, reach] :
       {std::pair<std::size_t, std::size_t>{1, 0}, {1, 3}, {2, 1}, {7, 9}, {64, 5}, {72, 20}, {129, 31}}) {
    CHECK(worst<double>(rows, reach) < 1e-14);
    CHECK(worst<float>(rows, reach) < 1e-6);
  }
}
