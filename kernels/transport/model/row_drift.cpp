#include "row_drift.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "physics/remap.hpp"

namespace bb::transport {

RowDrift row_drift(double shift, int steps, bool high_order) {
  using physics::kRemapReach;
  const double fraction = physics::split_shift(shift).fraction;
  if (fraction == 0.0 || steps <= 0) return {};
  if (!high_order) return {0.0, steps * fraction * (1.0 - fraction)};  // a linear split preserves the mean
  std::array<double, physics::kRemapTaps> c{};
  physics::remap_weights(fraction, true, c.data());
  // Models only the fractional part of the shift. The row is a few cells wide and moves back by one cell after each
  // whole cell.
  constexpr int kCells = 96, kMargin = kRemapReach + 1;
  std::vector<double> row(kCells, 0.0), moved(kCells, 0.0);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  constexpr int kStart = kCells / 2;
  row[at(kStart)] = 1.0;
  int back = 0;
  for (int step = 1; step <= steps; ++step) {
    for (int i = kMargin; i < kCells - kMargin; ++i) {
      moved[at(i)] =
          physics::remap_flux(row[at(i - 2)], row[at(i - 1)], row[at(i)], row[at(i + 1)], row[at(i + 2)], c.data());
    }
    for (int i = kCells - 1; i > 0; --i) row[at(i)] += moved[at(i - 1)] - moved[at(i)];
    row[0] -= moved[0];
    if (step * fraction - back < 1.0) continue;
    ++back;
    for (int i = 0; i + 1 < kCells; ++i) row[at(i)] = row[at(i + 1)];
    row[at(kCells - 1)] = 0.0;
  }
  double number = 0.0, first = 0.0, second = 0.0;
  for (int i = 0; i < kCells; ++i) {
    const double from = i - kStart;
    number += row[at(i)];
    first += row[at(i)] * from;
    second += row[at(i)] * from * from;
  }
  const double mean = first / number;
  return {mean + back - steps * fraction, second / number - mean * mean};
}

}  // namespace bb::transport
