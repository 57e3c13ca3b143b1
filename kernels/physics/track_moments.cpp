#include "track_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace bb::physics {
namespace {

constexpr double kLowest = 1e-4, kHighest = 1000.0;  // MeV
constexpr int kPerDecade = 24;

// Five-point Gauss-Legendre on [0, 1].
constexpr std::array<double, 5> kFivePoint = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                              0.953089922969332};
constexpr std::array<double, 5> kFiveWeight = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                               0.239314335249683, 0.118463442528095};

}  // namespace

TrackMoments::TrackMoments(const StoppingTable& water, const StoppingTable& medium, double density)
    : water_(water), medium_(medium), density_(density), mesh_{0.0} {
  const int cells = static_cast<int>(std::lround(kPerDecade * std::log10(kHighest / kLowest)));
  for (int i = 0; i <= cells; ++i) mesh_.push_back(kLowest * std::pow(kHighest / kLowest, 1.0 * i / cells));
  for (int k = 0; k < kCount; ++k) {
    moments_[k].push_back(0.0);
    for (std::size_t i = 1; i < mesh_.size(); ++i) {
      moments_[k].push_back(moments_[k].back() + within(k, mesh_[i - 1], mesh_[i]));
    }
  }
}

double TrackMoments::per_energy(int k, double energy) const {
  const double let = 0.1 * water_.stopping(energy);
  return std::pow(let, k) / (0.1 * density_ * medium_.stopping(energy));
}

double TrackMoments::within(int k, double from, double to) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < kFivePoint.size(); ++i) {
    sum += kFiveWeight[i] * (to - from) * per_energy(k, from + (to - from) * kFivePoint[i]);
  }
  return sum;
}

double TrackMoments::at(int k, double energy) const {
  if (!(energy > 0.0)) return 0.0;
  const auto above = std::ranges::upper_bound(mesh_, energy) - mesh_.begin();
  const std::size_t low = static_cast<std::size_t>(above) - 1;
  return moments_[k][low] + within(k, mesh_[low], energy);
}

}  // namespace bb::physics
