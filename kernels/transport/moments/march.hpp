#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "layers.hpp"
#include "march_ops.hpp"
#include "transport/model/energy_grid.hpp"
#include "transport/model/medium.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/track_scores.hpp"

namespace bb::transport {

/// Additional moments of a tilted beam: number times the means of u and x. All its moments are relative to the axis.
inline constexpr int kMeanU = kMoments, kMeanX = kMeanU + 1, kTiltedMoments = kMeanX + 1;

/// Sums over the bins between two steps. Deposits and losses are sums since the entrance.
struct MarchPlane {
  double z = 0;                     // mm
  std::array<double, 4> deposit{};  // MeV, then MeV times powers 1 to 3 of the variance of x (mm²)
  double passed = 0;                // protons in flight, integrated over depth: protons times mm
  double lost = 0, lost_energy = 0, stopped = 0;
  std::array<std::array<double, 4>, TrackScores::kMoments> tracks{};  // moments of tracks, like `deposit`
  double energy = 0;                                                  // MeV in flight
  std::array<double, kMoments> state{};                               // protons in flight, by Moment
  double mean_u = 0, mean_x = 0;                                      // protons times the means, of a tilted beam
};

/// Scores of one step by bin, for an observer of run().
struct MarchView {
  double z = 0, dz = 0;                     // mm
  double middle = 0;                        // bins from the range at the start of the step to that in its middle
  int low = 0;                              // first bin of the following lists
  std::vector<double> lost, lost_energy;    // protons removed by reactions, MeV per proton
  std::vector<double> variance;             // variance of x in the step, mm²
  std::vector<std::vector<double>> tracks;  // moments of tracks, the first in mm of path, if they are scored
  // For a tilted beam: mean x in the middle of the step, from that at the entrance (mm), its change per mm of depth, and
  // the deposit (MeV).
  std::vector<double> mean, rate, deposit;
};

/// March of the moments of one kind of spot through layers. The protons are in bins of residual range in water. Each
/// bin has N, N<u²>, N<xu> and N<x²>, which layered materials transport without a grid in x and angle. Scattering and
/// streaming act on these moments exactly (Fermi and Eyges). Slowing down and straggling move them to lower bins by
/// taps of correct mean, variance, skewness and kurtosis.
class March {
 public:
  /// `spot` represents all spots that differ only in x and weight; it has one proton at x = 0. Protons below
  /// `least_reacting` MeV do not react.
  March(const Problem& problem, std::span<const Medium> media, std::span<const Layer> layers, const Beam& spot,
        double least_reacting);
  ~March();

  const EnergyGrid& grid() const { return *grid_; }
  /// Energy per proton at the entrance, MeV.
  double energy_in() const { return energy_in_; }
  /// Planes between the steps of each layer. The plane between two layers is stored twice.
  const std::vector<MarchPlane>& planes() const { return planes_; }
  /// Index of each layer's first plane in planes(), then the number of planes.
  const std::vector<std::size_t>& layer_begin() const { return layer_begin_; }
  bool scores_tracks() const { return problem_.track_scores; }
  double bin_steps() const { return bin_steps_; }
  double state_bytes() const { return state_bytes_; }
  double min_over_max() const { return min_over_max_; }

  const Beam& spot() const { return spot_; }
  /// Tangent of the beam's axis; 0 for a beam along z.
  double slope() const { return slope_; }

  /// Planes of a march that was computed elsewhere.
  struct Outcome {
    std::vector<MarchPlane> planes;
    std::vector<std::size_t> layer_begin;
    double bin_steps = 0, min_over_max = 0;
  };
  /// Stores `outcome` in place of run(). state() is then empty.
  void take(Outcome outcome);

  /// Marches to `depth` mm, or until no protons are left. `look`, if set, receives the scores of every step.
  void run(double depth, const std::function<void(const MarchView&)>& look = {});
  /// [bins·kMoments] of the last plane of run(); `first` is set to its first bin.
  std::vector<double> state(int& first) const;
  /// [bins][2] protons times the means of u and x, with the bins of state(); empty for a beam along z.
  const std::vector<double>& state_means() const { return last_means_; }

 private:
  template <typename T>
  class Work;

  template <typename T>
  void run_in(double depth, const std::function<void(const MarchView&)>& look);

  const Problem& problem_;
  std::span<const Medium> media_;
  std::span<const Layer> layers_;
  Beam spot_;
  double slope_;
  double least_reacting_;
  std::unique_ptr<EnergyGrid> grid_;
  std::vector<double> start_;  // [bins] share of the protons at the entrance
  double energy_in_ = 0;
  std::vector<MarchPlane> planes_;
  std::vector<std::size_t> layer_begin_;
  double bin_steps_ = 0, state_bytes_ = 0, min_over_max_ = 0;
  std::vector<double> last_, last_means_;
  int last_first_ = 0;
};

/// Values of a march at `depths`, interpolated by fifth-order polynomials through the nearest planes of the same layer,
/// because the dose jumps between layers. All values use the same weights, so sums that are correct at planes are
/// correct everywhere. Values are constant before the first plane and after the last.
std::vector<MarchPlane> planes_at(const March& march, std::span<const double> depths);

}  // namespace bb::transport
