#include "held_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace bb::transport {
namespace {

constexpr int kReach = 2;     // bins on either side that a bin's share reaches: cubic interpolation
constexpr int kMostBins = 8;  // further up the mean and the centre differ by less than 1e-5
constexpr int kParts = 4;     // for the quadrature of a bin next to the end of the range; further up one will do

// Five-point Gauss-Legendre on [0, 1].
constexpr std::array<double, 5> kNode = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                         0.953089922969332};
constexpr std::array<double, 5> kWeight = {0.118463442528095, 0.239314335249683, 0.284444444444444, 0.239314335249683,
                                           0.118463442528095};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Weight that cubic interpolation between equal bins gives to the one that is `distance` bins away.
double cubic_share(double distance) {
  const double t = std::abs(distance);
  if (t < 1.0) return (1.0 - t * t) * (2.0 - t) / 2.0;
  return t < 2.0 ? (1.0 - t) * (2.0 - t) * (3.0 - t) / 6.0 : 0.0;
}

using Value = std::function<double(double range)>;

/// Means of a value over the ranges that bins stand for. Each interval between two centres is integrated once: the bins
/// whose shares reach it differ in their weights alone.
class Means {
 public:
  Means(const RangeBins& bins, const Value& value, double last_range, int count) : bins_(bins) {
    for (int k = kFirst; k < count + kReach; ++k) {
      Interval& interval = intervals_.emplace_back();
      const double end = bins.first + (k + 1) * bins.step, low = std::max(end - bins.step, last_range);
      const double width = end - low;
      if (width <= 0.0) continue;
      const int parts = low < width ? kParts : 1;
      for (int part = 0; part < parts; ++part) {
        for (std::size_t i = 0; i < kNode.size(); ++i) {
          const double u = (part + kNode[i]) / parts;  // range = low + width u²: no singularity at 0
          const double range = low + width * u * u;
          interval.push_back({range, kWeight[i] / parts * 2.0 * u * width / bins.step * value(range)});
        }
      }
    }
  }

  /// With the shares of bin k; bins below the first count as well.
  double of(int k) const {
    const double centre = bins_.first + k * bins_.step;
    double sum = 0.0;
    for (int side = -kReach; side < kReach; ++side) {
      for (const auto& [range, part] : intervals_[at(k + side - kFirst)]) {
        sum += part * cubic_share((range - centre) / bins_.step);
      }
    }
    return sum;
  }

 private:
  static constexpr int kFirst = -2 * kReach;  // the interval above the centre of this bin
  struct Point {
    double range, part;
  };
  using Interval = std::vector<Point>;

  RangeBins bins_;
  std::vector<Interval> intervals_;
};

bool ascends(const std::vector<double>& values, int last) {
  double before = 0.0;
  for (int k = 0; k <= last; ++k) {
    if (values[at(k)] < before) return false;
    before = values[at(k)];
  }
  return true;
}

}  // namespace

std::vector<double> held_energies(const RangeBins& bins, const std::vector<double>& centres,
                                  const physics::StoppingTable& water, double last_range) {
  return held_values(bins, centres, [&](double range) { return water.energy_at(range); }, last_range);
}

std::vector<double> held_values(const RangeBins& bins, const std::vector<double>& centres, const Value& value,
                                double last_range) {
  const int count = std::min(kMostBins, bins.size / 2);
  if (count < 3) return centres;

  std::vector<double> means = centres;
  const Means mean(bins, value, last_range, count);
  for (int k = 0; k < count; ++k) means[at(k)] = mean.of(k);
  // The share of bins below the first goes to the first ones: the number of protons that a straight line or a parabola
  // through them gives there.
  std::vector<double> line = means, parabola = means;
  for (int m = 1; m <= kReach; ++m) {
    const double beyond = mean.of(-m);
    line[0] += (1 + m) * beyond;
    line[1] -= m * beyond;
    parabola[0] += 0.5 * (m + 1) * (m + 2) * beyond;
    parabola[1] -= m * (m + 2) * beyond;
    parabola[2] += 0.5 * m * (m + 1) * beyond;
  }
  // As much of the better one as leaves them ascending: no step may take more energy than there is.
  constexpr int kTrials = 20;
  using Pair = std::pair<const std::vector<double>*, const std::vector<double>*>;
  for (const auto& [from, to] : {Pair{&line, &parabola}, Pair{&centres, &line}}) {
    for (int share = kTrials; share >= 0; --share) {
      std::vector<double> held = centres;
      const double part = static_cast<double>(share) / kTrials;
      for (int k = 0; k < count; ++k) held[at(k)] = (1.0 - part) * (*from)[at(k)] + part * (*to)[at(k)];
      if (ascends(held, count)) return held;
    }
  }
  return centres;
}

}  // namespace bb::transport
