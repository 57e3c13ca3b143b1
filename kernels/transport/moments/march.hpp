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
#include "transport/model/matter/medium.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/track_scores.hpp"

namespace bb::transport {

/// State between two steps, summed over the bins; what was left so far is summed from the entrance on.
struct MarchPlane {
  double z = 0;                     // mm
  std::array<double, 4> deposit{};  // MeV so far, and MeV times powers 1 to 3 of the variance of x (mm²)
  double passed = 0;                // protons in flight, summed over the way: protons times mm
  double lost = 0, lost_energy = 0, stopped = 0;
  std::array<std::array<double, 4>, TrackScores::kMoments> tracks{};  // likewise, of the moments of tracks
  double energy = 0;                                                  // MeV in flight
  std::array<double, kMoments> state{};                               // protons in flight, by Moment
};

/// One step as it is seen while it lasts: what each of its bins leaves behind.
struct MarchView {
  double z = 0, dz = 0;                   // mm
  double middle = 0;                      // bins from a bin's own range to that in the middle of the step
  int low = 0;                            // first bin
  std::vector<double> lost, lost_energy;  // protons removed by reactions, MeV of each
  std::vector<double> variance;           // mm², of x in the step
  std::vector<double> track;              // mm of path, where tracks are scored
};

/// Moments of one kind of spot marched through layers. The protons are in bins of residual range in water. Each bin
/// holds N, N<u²>, N<xu> and N<x²>, which layered matter transports without a grid in x and angle. Scattering and
/// streaming act on them exactly (Fermi and Eyges). Slowing down and straggling move them to lower bins by taps of the
/// right mean, variance, skewness and kurtosis.
class March {
 public:
  /// `spot` stands for all spots that differ from it in x and weight alone; it has one proton at x = 0. Protons of less
  /// than `least_reacting` MeV do not react.
  March(const Problem& problem, std::span<const Medium> media, std::span<const Layer> layers, const Beam& spot,
        double least_reacting);
  ~March();

  const EnergyGrid& grid() const { return *grid_; }
  /// MeV that enters, per proton.
  double energy_in() const { return energy_in_; }
  /// Planes of each layer's steps; neighbouring layers share the plane between them, which is there twice.
  const std::vector<MarchPlane>& planes() const { return planes_; }
  /// First plane of each layer in planes(), and their number at the end.
  const std::vector<std::size_t>& layer_begin() const { return layer_begin_; }
  bool scores_tracks() const { return problem_.track_scores; }
  double bin_steps() const { return bin_steps_; }
  double state_bytes() const { return state_bytes_; }
  double min_over_max() const { return min_over_max_; }

  const Beam& spot() const { return spot_; }

  /// Planes that a march elsewhere came to.
  struct Outcome {
    std::vector<MarchPlane> planes;
    std::vector<std::size_t> layer_begin;
    double bin_steps = 0, min_over_max = 0;
  };
  /// Takes them in place of run(); state() has nothing then.
  void take(Outcome outcome);

  /// Marches to `depth` mm, or until nothing is left. `look` is called in every step, where there is one.
  void run(double depth, const std::function<void(const MarchView&)>& look = {});
  /// [bins·kMoments] of the last plane of run(), and the first bin of it.
  std::vector<double> state(int& first) const;

 private:
  template <typename T>
  class Work;

  template <typename T>
  void run_in(double depth, const std::function<void(const MarchView&)>& look);

  const Problem& problem_;
  std::span<const Medium> media_;
  std::span<const Layer> layers_;
  Beam spot_;
  double least_reacting_;
  std::unique_ptr<EnergyGrid> grid_;
  std::vector<double> start_;  // [bins] share of the protons
  double energy_in_ = 0;
  std::vector<MarchPlane> planes_;
  std::vector<std::size_t> layer_begin_;
  double bin_steps_ = 0, state_bytes_ = 0, min_over_max_ = 0;
  std::vector<double> last_;
  int last_first_ = 0;
};

}  // namespace bb::transport
