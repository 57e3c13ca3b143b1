#include "energy_grid.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "held_energy.hpp"

namespace bb::transport {
namespace {

constexpr double kRounding = 1e-9;  // bins or bins²: less is rounding
constexpr double kLowest = 1e-6;    // MeV: 0 for the tables, whose axis is a logarithm

}  // namespace

EnergyGrid::EnergyGrid(const GridSpec& spec, const physics::StoppingTable& water, double start_energy,
                       double top_energy, int guard)
    : water_(water), kind_(spec.energy_kind), cutoff_(spec.cutoff) {
  int count = 0;
  if (kind_ == EnergyGridKind::kRange) {
    step_ = spec.energy_step * 0.1;  // mm of water to g/cm²
    const double start = water.range(start_energy);
    const double last = water.range(cutoff_);
    // A bin stands for half a step on either side, and holds protons as long as there is range left.
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
    held_ = held_energies({bottom_, step_, count}, energies_, water, water.range(cutoff_));
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
  return held_values({bottom_, step_, size()}, out, at_range, water_.range(cutoff_));
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
  // The earlier solver's split over two bins, with the straggling on top: its own variance f(1-f)
  // stays, and is reported.
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
