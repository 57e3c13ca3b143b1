#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

// Reduces a field of two axes for display, to at most one sample per screen pixel.
namespace bb::engine {

/// Range of an axis, divided into samples: sample i covers the `cells` cells from first + i * cells on; the last sample
/// may have fewer.
struct Sampling {
  std::size_t first = 0, end = 0, cells = 1, count = 0;
};

/// A two-dimensional field with strides, so that either axis can run across the screen. With a divisor each cell is
/// value * factor / divisor.
template <typename T>
struct Field {
  std::span<const T> values;
  std::size_t stride_across = 1, stride_down = 1;
  std::span<const double> divisor;  // one divisor per value, or empty
  double factor = 1.0;

  double at(std::size_t i) const {
    const auto value = static_cast<double>(values[i]);
    return divisor.empty() ? value : value * factor / divisor[i];
  }
};

enum class Statistic { kMean, kMax };

/// Returns the value that is farther from zero, with its sign; NaN is preserved.
inline double farther(double most, double value) {
  return !(std::abs(value) <= std::abs(most)) && !std::isnan(most) ? value : most;
}

/// Writes for each sample the mean of its cells, or the cell farthest from zero, times `scale`; in row-major order.
template <typename T>
void reduce(const Field<T>& field, const Sampling& across, const Sampling& down, Statistic statistic, double scale,
            std::span<float> out) {
  std::size_t to = 0;
  for (std::size_t v = 0; v < down.count; ++v) {
    const std::size_t v0 = down.first + v * down.cells, v1 = std::min(down.end, v0 + down.cells);
    for (std::size_t h = 0; h < across.count; ++h) {
      const std::size_t h0 = across.first + h * across.cells, h1 = std::min(across.end, h0 + across.cells);
      double sum = 0.0;
      for (std::size_t i = v0; i < v1; ++i) {
        for (std::size_t j = h0; j < h1; ++j) {
          const double value = field.at(i * field.stride_down + j * field.stride_across);
          sum = statistic == Statistic::kMean ? sum + value : farther(sum, value);
        }
      }
      const double cells = statistic == Statistic::kMean ? static_cast<double>((v1 - v0) * (h1 - h0)) : 1.0;
      out[to++] = static_cast<float>(sum * scale / cells);
    }
  }
}

/// Extremes of a whole field; NaN if any cell is NaN.
struct Extent {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double min_positive = 0.0;  // 0 if no value is positive
};

template <typename T>
Extent extent(const Field<T>& field) {
  Extent out;
  double positive = std::numeric_limits<double>::infinity();
  bool known = true;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    const double value = field.at(i);
    known = known && !std::isnan(value);
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    if (value > 0.0) positive = std::min(positive, value);
  }
  if (!known) out.min = out.max = std::numeric_limits<double>::quiet_NaN();
  if (std::isfinite(positive)) out.min_positive = positive;
  return out;
}

}  // namespace bb::engine
