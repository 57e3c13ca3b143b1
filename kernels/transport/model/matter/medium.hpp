#pragma once

#include <memory>

#include "physics/stopping.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// Residual range and energy of a proton in one material, for paths in mm. `material` must outlive it. A material may
/// be several media, by the path so far.
class Medium {
 public:
  explicit Medium(const Material& m, const PathSoFar& so_far = {});

  /// A path as mass per area, g/cm².
  double thickness(double path_mm) const { return path_mm * 0.1 * material.density; }
  /// Energy of a proton of `energy` behind a path; 0 where it is longer than its range.
  double energy_after(double energy, double path_mm) const {
    return table.energy_at(table.range(energy) - thickness(path_mm));
  }
  /// Path that a proton of `energy` has left; 0 for none.
  double range_mm(double energy) const { return energy > 0.0 ? table.range(energy) / (0.1 * material.density) : 0.0; }
  /// Energy `path_mm` before a proton had `energy`.
  double energy_before(double energy, double path_mm) const {
    return table.energy_at(table.range(energy) + thickness(path_mm));
  }

  const Material& material;
  const PathSoFar so_far;
  const std::shared_ptr<const physics::StoppingTable> kept;  // shared by all media of the same content
  const physics::StoppingTable& table;
};

/// The problem's model of scattering; `water` is the table of the first material.
ScatteringModel scattering_model(const Problem& problem, const physics::StoppingTable& water);

/// Scattering power of the problem's model at `energy`, rad² per g/cm²; `water` is the table of the first material.
double scattering_power(const Problem& problem, const Material& material, const physics::StoppingTable& water,
                        double energy);

/// Variance (MeV²) of the energy after a step of `path_mm` at whose middle a proton has `middle` and behind it `after`.
double straggling_variance(const Problem& problem, const Medium& medium, double middle, double after, double path_mm);

}  // namespace bb::transport
