#include "energy_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace bb::transport {
namespace {

constexpr int kReach = 2;  // bins on either side with a share of a bin, for cubic interpolation
// Number of lowest bins whose values are means. In higher bins, the mean energy and the energy at the centre differ by
// less than 1e-5.
constexpr int kMaxBins = 8;
// Number of parts of the integration interval next to the end of the range. Other intervals are not divided.
constexpr int kParts = 4;

// Five-point Gauss-Legendre on [0, 1].
constexpr std::array<double, 5> kNode = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                         0.953089922969332};
constexpr std::array<double, 5> kWeight = {0.118463442528095, 0.239314335249683, 0.284444444444444, 0.239314335249683,
                                           0.118463442528095};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Weight of a bin that is `distance` bins away, in cubic interpolation between equal bins.
double cubic_weight(double distance) {
  const double t = std::abs(distance);
  if (t < 1.0) return (1.0 - t * t) * (2.0 - t) / 2.0;
  return t < 2.0 ? (1.0 - t) * (2.0 - t) * (3.0 - t) / 6.0 : 0.0;
}

using Value = std::function<double(double range)>;

/// Means of a value over the ranges of bins. Each interval between two centres is integrated once for all bins whose
/// shares reach it, because only the weights differ.
class BinMeans {
 public:
  BinMeans(const RangeBins& bins, const Value& value, double last_range, int count) : bins_(bins) {
    for (int k = kFirst; k < count + kReach; ++k) {
      Interval& interval = intervals_.emplace_back();
      const double end = bins.first + (k + 1) * bins.step, low = std::max(end - bins.step, last_range);
      const double width = end - low;
      if (width <= 0.0) continue;
      const int parts = low < width ? kParts : 1;
      for (int part = 0; part < parts; ++part) {
        for (std::size_t i = 0; i < kNode.size(); ++i) {
          const double u = (part + kNode[i]) / parts;  // range = low + width u², without singularity at 0
          const double range = low + width * u * u;
          interval.push_back({range, kWeight[i] / parts * 2.0 * u * width / bins.step * value(range)});
        }
      }
    }
  }

  /// Mean over the share of bin k, which may be below the first bin.
  double of(int k) const {
    const double centre = bins_.first + k * bins_.step;
    double sum = 0.0;
    for (int side = -kReach; side < kReach; ++side) {
      for (const auto& [range, part] : intervals_[at(k + side - kFirst)]) {
        sum += part * cubic_weight((range - centre) / bins_.step);
      }
    }
    return sum;
  }

 private:
  static constexpr int kFirst = -2 * kReach;  // this bin's centre is the start of the first interval
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

std::vector<double> bin_mean_energies(const RangeBins& bins, const std::vector<double>& centres,
                                      const physics::StoppingTable& water, double last_range) {
  return bin_means(bins, centres, [&](double range) { return water.energy_at(range); }, last_range);
}

std::vector<double> bin_means(const RangeBins& bins, const std::vector<double>& centres, const Value& value,
                              double last_range) {
  const int count = std::min(kMaxBins, bins.size / 2);
  if (count < 3) return centres;

  std::vector<double> means = centres;
  const BinMeans mean(bins, value, last_range, count);
  for (int k = 0; k < count; ++k) means[at(k)] = mean.of(k);
  // The share of bins below the first is assigned to the first bins. A straight line or a parabola through these
  // extrapolates the number of protons.
  std::vector<double> line = means, parabola = means;
  for (int m = 1; m <= kReach; ++m) {
    const double beyond = mean.of(-m);
    line[0] += (1 + m) * beyond;
    line[1] -= m * beyond;
    parabola[0] += 0.5 * (m + 1) * (m + 2) * beyond;
    parabola[1] -= m * (m + 2) * beyond;
    parabola[2] += 0.5 * m * (m + 1) * beyond;
  }
  // Mixes in as much of the better version as possible while the values still ascend. Otherwise a step would remove
  // more energy than a bin has.
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

namespace {

constexpr double kRounding = 1e-9;  // bins or bins²; smaller values are rounding errors
constexpr double kLowest = 1e-6;    // MeV; counts as 0 in the tables, whose axis is logarithmic

}  // namespace

EnergyGrid::EnergyGrid(const GridSpec& spec, const physics::StoppingTable& water, double start_energy,
                       double top_energy, int guard)
    : water_(water), kind_(spec.energy_kind), cutoff_(spec.cutoff) {
  int count = 0;
  if (kind_ == EnergyGridKind::kRange) {
    step_ = spec.energy_step * 0.1;  // from mm of water to g/cm²
    const double start = water.range(start_energy);
    const double last = water.range(cutoff_);
    // A bin extends half a step to either side. It contains protons as long as any part of it has a positive range.
    const double lowest = std::max(last - 0.5 * step_, kRounding * step_);
    const int below = static_cast<int>(std::floor((start - lowest) / step_));
    if (below < 1) {
      throw ProblemError("invalid", "grid.energy.step_mm = " + std::to_string(spec.energy_step) +
                                        ": the beam must have at least two bins above the cutoff of " +
                                        std::to_string(cutoff_) + " MeV");
    }
    bottom_ = start - below * step_;
    const int above = static_cast<int>(std::ceil((water.range(top_energy) - start) / step_ - 1e-9));
    count = below + 1 + above + guard;
  } else {
    step_ = spec.energy_step;
    bottom_ = spec.energy_min;
    count = static_cast<int>(std::ceil((top_energy - bottom_) / step_ - 1e-9)) + 1 + guard;
    if (count < 3) {
      throw ProblemError("invalid", "grid.energy: the beam must have at least two bins above min_MeV = " +
                                        std::to_string(spec.energy_min));
    }
  }
  for (int i = 0; i < count; ++i) {
    const double value = bottom_ + i * step_;
    energies_.push_back(kind_ == EnergyGridKind::kRange ? water.energy_at(value) : value);
  }
  if (kind_ == EnergyGridKind::kRange) {
    held_ = bin_mean_energies({bottom_, step_, count}, energies_, water, water.range(cutoff_));
    return;
  }
  held_ = energies_;
  while (first_alive_ < count && energies_[static_cast<std::size_t>(first_alive_)] < cutoff_) ++first_alive_;
}

std::vector<double> EnergyGrid::held(const std::function<double(double energy)>& value) const {
  std::vector<double> out;
  for (const double energy : energies_) out.push_back(value(energy));
  if (kind_ != EnergyGridKind::kRange) return out;
  const auto at_range = [&](double range) { return value(water_.energy_at(range)); };
  return bin_means({bottom_, step_, size()}, out, at_range, water_.range(cutoff_));
}

double EnergyGrid::energy_at(double bin) const {
  const double value = bottom_ + bin * step_;
  return kind_ == EnergyGridKind::kRange ? std::copysign(water_.energy_at(std::abs(value)), value) : value;
}

double EnergyGrid::index_of(double energy) const {
  const double value = kind_ == EnergyGridKind::kRange ? water_.range(energy) : energy;
  return (value - bottom_) / step_;
}

double EnergyGrid::variance_in_bins(double energy, double variance) const {
  const double per_bin = kind_ == EnergyGridKind::kRange ? step_ * water_.stopping(energy) : step_;
  return variance / (per_bin * per_bin);
}

physics::MomentKernel EnergyGrid::kernel(double energy, double variance) const {
  if (kind_ == EnergyGridKind::kRange) return physics::moment_kernel(range_axis().taps(energy, variance));
  if (energy <= 0.0) return {-1, {1.0}};
  double index = index_of(energy);
  if (std::abs(index - std::round(index)) < 1e-7) index = std::round(index);
  // Splits the content over two bins, as the earlier solver did, and adds straggling. The variance f(1-f) of the split
  // is not removed; excess_variance() reports it.
  return physics::convolve(physics::two_point_kernel(index),
                           physics::moment_kernel(0.0, variance_in_bins(energy, variance)));
}

bool EnergyGrid::stops(double energy) const {
  return kind_ == EnergyGridKind::kUniform && energy < cutoff_ &&
         index_of(std::max(energy, kLowest)) < first_alive_ - 0.5;
}

double EnergyGrid::excess_variance(double energy, double variance) const {
  const physics::MomentKernel k = kernel(energy, variance);
  double mean = 0.0, second = 0.0;
  for (std::size_t i = 0; i < k.weights.size(); ++i) {
    const double bin = k.first + static_cast<double>(i);
    mean += k.weights[i] * bin;
    second += k.weights[i] * bin * bin;
  }
  const double bins = second - mean * mean - variance_in_bins(energy, variance);
  const double range_per_bin = kind_ == EnergyGridKind::kRange ? step_ : step_ / water_.stopping(energy);
  return bins < kRounding ? 0.0 : bins * range_per_bin * range_per_bin * 100.0;
}

}  // namespace bb::transport
