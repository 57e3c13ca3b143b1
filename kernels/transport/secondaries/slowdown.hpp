#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "physics/remap.hpp"
#include "sweep_matter.hpp"
#include "sweep_ops.hpp"

namespace bb::transport {

/// Beams with a common path length per mm of depth, of one kind of particle.
struct BeamGroup {
  double length = 0;  // mm per mm of depth
  bool deuterons = false;

  bool operator==(const BeamGroup&) const = default;
};

/// Slowing down and reactions of the content of one column in a plane, for each BeamGroup. One thread uses it.
struct Motion {
  struct SlowingDown {
    bool same_whole = true;  // equal in all bins
    std::vector<int> whole;
    std::array<std::vector<double>, physics::kRemapTaps> flux;
    std::vector<double> spread;  // half of the variance, bins²
  };
  struct GroupMotion {
    SlowingDown plane, half;     // half: for products emitted in the middle of the plane
    std::vector<double> reacts;  // fraction that reacts in the plane
  };

  std::vector<double> thickness;  // [materials] mm, for which these values were computed
  TrackMoments moments;
  std::vector<GroupMotion> groups;
  int pad = 0;                        // number of bins below the lowest that a step can reach
  std::vector<double> before, after;  // content of a row before and after a step, padded on both sides
};

/// Computes the Motion of columns from the thickness of each material, and moves content by it.
class Slowdown {
 public:
  Slowdown(const SweptMatter& matter, const std::vector<BeamGroup>& groups, int bins, bool tracks)
      : matter_(matter.materials), groups_(groups), bins_(bins), tracks_(tracks) {}

  /// Fills `motion` for a column with a thickness of each material in mm, unless it is filled for these.
  void prepare(std::vector<double> thickness, Motion& motion) const;

  /// Moves the lowest `n` bins of one column to lower ranges.
  void apply(const Motion::SlowingDown& slowing, double* p, int n, Motion& motion) const;

 private:
  int slowing(const std::vector<double>& shift, const std::vector<double>& spread, double part,
              Motion::SlowingDown& to) const;
  int fill(const BeamGroup& group, const std::vector<double>& thickness, Motion::GroupMotion& to) const;
  void mix_moments(const std::vector<double>& thickness, TrackMoments& out) const;

  const SweepOps& ops_ = sweep_ops();
  const std::vector<SweptMaterial>& matter_;
  const std::vector<BeamGroup>& groups_;
  Fluxes fluxes_;
  int bins_;
  bool tracks_;
};

}  // namespace bb::transport
