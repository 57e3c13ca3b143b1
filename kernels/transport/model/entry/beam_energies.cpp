#include "beam_energies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace bb::transport {
namespace {

constexpr double kNarrow = 0.8;       // bins; narrower Gaussians get few_bins()
constexpr double kFar = 9.0;          // standard deviations, beyond which the Gaussian counts as zero
constexpr int kGaussianParts = 2000;  // intervals of the integrals over the Gaussian

std::size_t nth(int i) { return static_cast<std::size_t>(i); }

/// Share of a normal distribution below `t` standard deviations.
double below(double t) { return 0.5 * std::erfc(-t / std::numbers::sqrt2); }

/// Moments of a Gaussian in energy, truncated to `low` … `high` standard deviations.
struct Moments {
  double at_entrance, mean, variance;  // MeV; MeV and MeV² at the first node
};

Moments moments(double energy, double sigma, double low, double high, const std::function<double(double)>& node) {
  const double from = std::max(low, -kFar), step = (std::min(high, kFar) - from) / kGaussianParts;
  const double centre = node(energy);
  double number = 0.0, entrance = 0.0, first = 0.0, second = 0.0;
  for (int i = 0; i <= kGaussianParts; ++i) {
    const double t = from + i * step;
    const double weight = std::exp(-0.5 * t * t) * (i == 0 || i == kGaussianParts ? 1.0
                                                    : i % 2 == 1                  ? 4.0
                                                                                  : 2.0);  // Simpson
    const double off = node(energy + sigma * t) - centre;
    number += weight;
    entrance += weight * t;
    first += weight * off;
    second += weight * off * off;
  }
  const double mean = first / number;
  return {energy + sigma * entrance / number, centre + mean, second / number - mean * mean};
}

/// Distributes the protons to three bins, or to two if a third would need a negative weight.
std::vector<double> few_bins(const std::vector<double>& held, int first, const Moments& m) {
  std::vector<double> share(held.size());
  const int last = static_cast<int>(held.size()) - 1;
  const auto above = static_cast<int>(std::ranges::upper_bound(held, m.mean) - held.begin());
  int middle = std::clamp(above, first + 1, last);
  if (m.mean - held[nth(middle - 1)] < held[nth(middle)] - m.mean) --middle;
  if (middle > first && middle < last) {
    const double a = held[nth(middle - 1)] - m.mean, b = held[nth(middle)] - m.mean, c = held[nth(middle + 1)] - m.mean;
    const std::array three = {(m.variance + b * c) / ((a - b) * (a - c)), (m.variance + a * c) / ((b - a) * (b - c)),
                              (m.variance + a * b) / ((c - a) * (c - b))};
    if (std::ranges::all_of(three, [](double w) { return w >= 0.0; })) {
      for (int i = 0; i < 3; ++i) share[nth(middle - 1 + i)] = three[nth(i)];
      return share;
    }
  }
  const int low = std::clamp(above - 1, first, last - 1);
  const double part = std::clamp((m.mean - held[nth(low)]) / (held[nth(low + 1)] - held[nth(low)]), 0.0, 1.0);
  share[nth(low)] = 1.0 - part;
  share[nth(low + 1)] = part;
  return share;
}

/// Corrects the mean and the variance of `share` to those of `m` by a factor that is a parabola in energy. If a weight
/// would be negative, a straight line corrects the mean alone; if this fails too, `share` is unchanged.
void correct(std::vector<double>& share, const std::vector<double>& held, const Moments& m) {
  std::array<double, 5> power{};  // sums of share · dⁿ, d in standard deviations
  const double sigma = std::sqrt(m.variance);
  const auto off = [&](std::size_t i) { return (held[i] - m.mean) / sigma; };
  for (std::size_t i = 0; i < share.size(); ++i) {
    double term = share[i];
    for (double& sum : power) {
      sum += term;
      term *= off(i);
    }
  }
  const auto apply = [&](const std::array<double, 3>& c) {
    std::vector<double> changed = share;
    for (std::size_t i = 0; i < share.size(); ++i) {
      const double d = off(i);
      changed[i] *= c[0] + d * (c[1] + d * c[2]);
      if (changed[i] < 0.0) return false;
    }
    share = std::move(changed);
    return true;
  };
  const auto& p = power;
  const auto determinant = [](const std::array<double, 3>& a, const std::array<double, 3>& b,
                              const std::array<double, 3>& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
  };
  const std::array<double, 3> a = {p[0], p[1], p[2]}, b = {p[1], p[2], p[3]}, c = {p[2], p[3], p[4]};
  const std::array<double, 3> wanted = {1.0, 0.0, 1.0};
  const double whole = determinant(a, b, c);
  if (whole != 0.0 && apply({determinant(wanted, b, c) / whole, determinant(a, wanted, c) / whole,
                             determinant(a, b, wanted) / whole})) {
    return;
  }
  const double line = p[0] * p[2] - p[1] * p[1];
  if (line != 0.0) apply({p[2] / line, -p[1] / line, 0.0});
}

}  // namespace

BeamEnergies beam_energies(const EnergyGrid& grid, double energy, double sigma,
                           const std::function<double(double)>& node_energy,
                           const std::function<double(double)>& entrance_energy) {
  const int first = grid.first_alive(), last = grid.size() - 1;
  const auto in_sigmas = [&](double bin) {
    return (entrance_energy(bin < first ? grid.cutoff() : grid.energy_at(bin)) - energy) / sigma;
  };
  const double low = in_sigmas(first - 0.5), high = in_sigmas(last + 0.5);
  const Moments m = moments(energy, sigma, low, high, node_energy);
  const double middle = grid.index_of(m.mean);
  const double width = grid.energy_at(middle + 0.5) - grid.energy_at(middle - 0.5);
  if (m.variance < kNarrow * kNarrow * width * width) return {few_bins(grid.held(), first, m), m.at_entrance};

  // Assigning protons to bins adds the variance of a uniform distribution over one bin.
  const double narrower = std::sqrt(1.0 - width * width / (12.0 * m.variance));
  std::vector<double> share(grid.held().size());
  double sum = 0.0, before = below(low / narrower);
  for (int bin = first; bin <= last; ++bin) {
    const double after = below(in_sigmas(bin + 0.5) / narrower);
    share[nth(bin)] = after - before;
    sum += after - before;
    before = after;
  }
  for (double& one : share) one /= sum;
  correct(share, grid.held(), m);
  return {std::move(share), m.at_entrance};
}

std::vector<double> one_energy(const EnergyGrid& grid, double energy) {
  const physics::MomentKernel kernel = grid.kernel(energy, 0.0);
  const int first = grid.first_alive(), last = grid.size() - 1;
  // On a range grid, the kernel's bins would preserve the mean range, not the mean energy.
  if (kernel.weights.size() > 1 && grid.kind() == EnergyGridKind::kRange) {
    return few_bins(grid.held(), first, {energy, energy, 0.0});
  }
  std::vector<double> share(grid.held().size());
  for (std::size_t i = 0; i < kernel.weights.size(); ++i) {
    share[nth(std::clamp(kernel.first + static_cast<int>(i), first, last))] += kernel.weights[i];
  }
  return share;
}

}  // namespace bb::transport
