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
constexpr int kParts = 4;     // of a bin, for the quadrature

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

/// Mean value with the shares of bin k; bins below the first count as well.
double mean_value(const RangeBins& bins, int k, const Value& value, double last_range) {
  const double centre = bins.first + k * bins.step;
  double sum = 0.0;
  for (int side = -kReach; side < kReach; ++side) {
    const double low = std::max(centre + side * bins.step, last_range);
    const double width = centre + (side + 1) * bins.step - low;
    if (width <= 0.0) continue;
    for (int part = 0; part < kParts; ++part) {
      for (std::size_t i = 0; i < kNode.size(); ++i) {
        const double u = (part + kNode[i]) / kParts;  // range = low + width u²: no singularity at 0
        const double range = low + width * u * u;
        sum += kWeight[i] / kParts * 2.0 * u * width / bins.step * value(range) *
               cubic_share((range - centre) / bins.step);
      }
    }
  }
  return sum;
}

bool ascends(const std::vector<double>& values, int last) {
  double before = 0.0;
  for (int k = 0; k <= last; ++k) {
    if (values[at(k)] < before) return false;
    before = values[at(k)];
  }
  return true;
}

}  // namespace

std::vector<double> held_energies(const RangeBins& bins, const physics::StoppingTable& water, double last_range) {
  return held_values(bins, [&](double range) { return water.energy_at(range); }, last_range);
}

std::vector<double> held_values(const RangeBins& bins, const Value& value, double last_range) {
  std::vector<double> centres;
  for (int k = 0; k < bins.size; ++k) centres.push_back(value(bins.first + k * bins.step));
  const int count = std::min(kMostBins, bins.size / 2);
  if (count < 3) return centres;

  std::vector<double> means = centres;
  for (int k = 0; k < count; ++k) means[at(k)] = mean_value(bins, k, value, last_range);
  // What bins below the first would hold goes to the first ones; by the number of protons that a straight line or a
  // parabola through them gives there.
  std::vector<double> line = means, parabola = means;
  for (int m = 1; m <= kReach; ++m) {
    const double beyond = mean_value(bins, -m, value, last_range);
    line[0] += (1 + m) * beyond;
    line[1] -= m * beyond;
    parabola[0] += 0.5 * (m + 1) * (m + 2) * beyond;
    parabola[1] -= m * (m + 2) * beyond;
    parabola[2] += 0.5 * m * (m + 1) * beyond;
  }
  // As much of the better one as leaves them ascending: no step may take more energy than there is.
  constexpr int kTrials = 20;
  for (const auto& [from, to] : {std::pair{&line, &parabola}, std::pair{&centres, &line}}) {
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
