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

/// Directions of a cone around the beam, projected into the plane, at equal steps of azimuth. Their sideways components
/// are the nodes of a Gauss-Chebyshev quadrature. Only two directions, at the root mean square, would give a fifth too
/// much dose far to the side.
inline constexpr int kAzimuths = 6;
inline constexpr double kNothingLeft = 1e-10;  // share of the protons: bins with less are deposited in place
inline constexpr double kFewReact = 1e-8;  // share of protons that react in a bin, below which products go straight on
inline constexpr double kWidestSpread = 0.9;  // bins²: maximum variance of a step, which has three points

/// Moments of the rest of a track, by bin.
using TrackMoments = std::array<std::vector<double>, TrackScores::kMoments>;

/// A material in a sweep of secondaries, by bin.
struct SweptMaterial {
  TrackMoments moments;               // of proton tracks; empty if tracks are not scored
  MomentTable::Moments to_water{};    // ratio to water for short tracks
  std::vector<double> slowing[2];     // bins per mm of path, for protons and for deuterons
  std::vector<double> straggling[2];  // bins² per mm
  std::vector<double> removal;        // reactions of protons per mm
  std::vector<double> elastic;        // elastic share of `removal`
  std::vector<Yield> yields;          // by node
  std::vector<ElasticProducts> scattered;
};

/// The materials of a problem on the bins of its reaction grid.
struct SweptMatter {
  SweptMatter(const Problem& problem, const Tables& tables, const Tasks& tasks);

  physics::StoppingTable water;
  SecondaryEnergies energies;
  std::vector<int> nodes;               // bins
  std::vector<std::size_t> node_below;  // [bins] the node below, and the share of the node above
  std::vector<double> node_share;
  std::vector<SweptMaterial> materials;
  std::vector<double> stopping;  // [materials] for fast protons, in a common unit
};

/// Returns a SweptMatter. The last one is cached and reused for problems with the same inputs.
std::shared_ptr<const SweptMatter> swept_matter(const Problem& problem, const Tables& tables, const Tasks& tasks);

/// Flux weights of a remap for any shift, from a table over the fraction.
class Fluxes {
 public:
  Fluxes();
  void weights(double fraction, double* c) const;

 private:
  static constexpr int kSteps = 512;
  std::array<std::array<double, physics::kRemapTaps>, kSteps + 1> weights_;
};

}  // namespace bb::transport
