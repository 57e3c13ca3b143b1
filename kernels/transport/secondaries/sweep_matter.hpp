#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "physics/remap.hpp"
#include "physics/stopping.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "yields.hpp"

namespace bb::transport {

/// Directions of a cone about the beam, projected into the plane, at equal steps of azimuth. Their sideways parts are the
/// nodes of Gauss-Chebyshev quadrature. Two of them, at the root mean square, put a fifth too much dose far to the side.
inline constexpr int kAzimuths = 6;
inline constexpr double kNothingLeft = 1e-10;  // of the protons: a bin that holds less is deposited on the spot
inline constexpr double kFewReact = 1e-8;     // of the protons: products of fewer that react in a bin go straight ahead
inline constexpr double kWidestSpread = 0.9;  // bins²: the straggling of a step has three points

/// Moments of a track to its end, by bins.
using TrackMoments = std::array<std::vector<double>, TrackScores::kMoments>;

/// A material as a sweep of secondaries sees it, by bins.
struct SweptMaterial {
  TrackMoments moments;               // of protons; empty where tracks are not scored
  MomentTable::Moments to_water{};    // of short tracks, over those in water
  std::vector<double> slowing[2];     // bins per mm of path, of protons and of deuterons
  std::vector<double> straggling[2];  // bins² per mm
  std::vector<double> removal;        // of protons per mm
  std::vector<double> elastic;        // share of it
  std::vector<Yield> yields;          // by node
  std::vector<Scattered> scattered;
};

/// The matter of a problem on the bins of its reaction grid.
struct SweptMatter {
  SweptMatter(const Problem& problem, const Tables& tables, const Tasks& tasks);

  physics::StoppingTable water;
  SecondaryEnergies energies;
  std::vector<int> nodes;               // bins
  std::vector<std::size_t> node_below;  // [bins] the node below, and the share of the one above
  std::vector<double> node_share;
  std::vector<SweptMaterial> materials;
  std::vector<double> stopping;  // [materials], of fast protons, in units that they share
};

/// The same; that of the last problem is cached, and serves those that differ in nothing it follows from.
std::shared_ptr<const SweptMatter> swept_matter(const Problem& problem, const Tables& tables, const Tasks& tasks);

/// The part of a remap's donor that moves on, for any shift: its weights are polynomials of the fraction.
class Fluxes {
 public:
  Fluxes();
  void weights(double fraction, double* c) const;

 private:
  static constexpr int kSteps = 512;
  std::array<std::array<double, physics::kRemapTaps>, kSteps + 1> weights_;
};

}  // namespace bb::transport
