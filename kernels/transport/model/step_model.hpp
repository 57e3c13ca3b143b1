#pragma once

#include "physics/moment_taps.hpp"
#include "physics/nuclear.hpp"
#include "physics/scattering.hpp"
#include "physics/stopping_view.hpp"
#include "physics/straggling.hpp"

// Effect of a step on a proton of one energy bin, computed on the host or on a device.
namespace bb::transport {

enum class Scattering { kOff, kGottschalk, kFermiRossi, kHighland };
enum class Straggling { kOff, kBohr };
enum class Nuclear { kOff, kAttenuation, kIcru63 };

/// Interval of water (g/cm²) that the beam has crossed before the steps that start in certain rows of the map.
/// Scattering models depend on it. It is unknown (the default) where bins of residual range resolve the path so far,
/// which then follows from the energy.
struct PathSoFar {
  double from = 0.0, to = 0.0;
  double least = 0.0;  // g/cm² of water: minimum residual range of the protons in these rows

  BB_HD bool known() const { return to > from; }
};

/// Scattering power in the model of a problem, rad² per g/cm², of a material with radiation length `x0` and scattering
/// length `xs`.
struct ScatteringModel {
  Scattering kind;
  double beam_energy;           // MeV
  physics::StoppingView water;  // the first material; water_x0 is its radiation length
  double water_x0;              // g/cm²

  /// Power for a beam of one initial energy. The water crossed so far follows from the energy.
  BB_HD double power(double energy, double x0, double xs) const {
    return power(energy, beam_energy, water.range(beam_energy) - water.range(energy), x0, xs);
  }
  /// Mean power over an interval of the path so far. Each proton's initial energy follows from its energy and path.
  BB_HD double power(double energy, double x0, double xs, const PathSoFar& so_far) const {
    if (!so_far.known() || (kind != Scattering::kGottschalk && kind != Scattering::kHighland)) {
      return power(energy, x0, xs);
    }
    constexpr int kParts = 4;
    const double range = water.range(energy);
    if (range < so_far.least) return power(energy, x0, xs);
    double sum = 0.0;
    for (int i = 0; i < kParts; ++i) {
      const double crossed = so_far.from + (so_far.to - so_far.from) * (i + 0.5) / kParts;
      sum += power(energy, water.energy_at(range + crossed), crossed, x0, xs);
    }
    return sum / kParts;
  }

 private:
  BB_HD double power(double energy, double entrance_energy, double crossed, double x0, double xs) const {
    switch (kind) {
      case Scattering::kGottschalk:
        return physics::gottschalk_power(energy, entrance_energy, xs);
      case Scattering::kFermiRossi:
        return physics::fermi_rossi_power(energy, x0);
      case Scattering::kHighland:
        return physics::highland_power(energy, crossed / water_x0, x0);
      case Scattering::kOff:
        break;
    }
    return 0.0;
  }
};

/// Variance (MeV²) of the energy after `thickness` g/cm². The proton has the energy `middle` halfway and `after` at the
/// end.
BB_HD inline double straggling_variance(Straggling kind, const physics::StoppingView& table, double z_over_a,
                                        double middle, double after, double thickness) {
  if (kind == Straggling::kOff || after <= 0.0) return 0.0;
  const double gained = physics::bohr_straggling(middle, z_over_a) * thickness;
  // The spread accumulated up to the middle of the step grows by dE'/dE = S(E')/S(E) of the medium on the path to the
  // end.
  const double stretch = table.stopping(after) / table.stopping(middle);
  return gained * stretch * stretch;
}

/// Bins of a range grid, uniform in residual range in water.
struct RangeAxis {
  physics::StoppingView water;
  double bottom, step;  // g/cm²

  BB_HD double index_of(double energy) const { return (water.range(energy) - bottom) / step; }
  /// Weights of the bins for content that ends at `energy` with spread `variance` (MeV²).
  BB_HD physics::MomentTaps taps(double energy, double variance) const {
    if (energy <= 0.0) return physics::MomentTaps(-1.0, 0.0);
    double index = index_of(energy);
    const double near = index - round(index);
    if ((near < 0.0 ? -near : near) < 1e-7) index = round(index);
    const double per_bin = step * water.stopping(energy);
    return physics::MomentTaps(index, variance / (per_bin * per_bin));
  }
  /// Weights of the bins for content with a residual range (g/cm² of water) of 0 or less, after a step longer than the
  /// residual path. Bins extend half a step to either side, so the first bin may still receive a part of the content.
  BB_HD physics::MomentTaps taps_beyond(double range) const {
    return physics::MomentTaps((range - bottom) / step, 0.0);
  }
};

/// A material in which steps are taken.
struct StepMatter {
  physics::StoppingView table;
  double density, z_over_a, x0, xs;
  const double* range;  // [ne] ranges at the bins' energies, g/cm²
  PathSoFar so_far;

  BB_HD double thickness(double path_mm) const { return path_mm * 0.1 * density; }
};

/// Parameters of the steps of a problem on a range grid, if reactions are not followed.
struct StepModel {
  ScatteringModel scattering;
  Straggling straggling;
  Nuclear nuclear;
  RangeAxis axis;
  double dtheta;              // rad
  double beam_range;          // range of the beam in water, g/cm²
  const double* water_range;  // [ne] range in water, g/cm²

  /// Share of the protons of a bin lost to reactions in a step, after which they have `after` MeV.
  BB_HD double lost(int e, double after) const {
    if (nuclear != Nuclear::kAttenuation) return 0.0;
    return physics::nuclear_loss(water_range[e], after > 0.0 ? axis.water.range(after) : 0.0);
  }
  /// Energy, MeV, carried away by the share `lost` of protons with energy `held`.
  BB_HD double escape(int e, double lost, double held) const {
    if (!(lost > 0.0)) return 0.0;
    const double gone = beam_range - water_range[e];
    return (1.0 - physics::nuclear_deposited_share(gone < 0.0 ? 0.0 : gone)) * lost * held;
  }
  /// Weights of the bins for the protons of a bin after a step of `path_mm`, at the end of which they have `after` MeV.
  BB_HD physics::MomentTaps landing(const StepMatter& matter, double path_mm, int e, double after) const {
    const double range = matter.range[e], thickness = matter.thickness(path_mm);
    // The range in water is negative if the path exceeds the residual range.
    if (!(after > 0.0)) return axis.taps_beyond((range - thickness) * water_range[e] / range);
    const double middle = matter.table.energy_at(range - 0.5 * thickness);
    return axis.taps(after, straggling_variance(straggling, matter.table, matter.z_over_a, middle, after, thickness));
  }
  /// Weights of the angles, in cells, for protons that are in bin `e` at the end of a step.
  BB_HD physics::MomentTaps angles(const StepMatter& matter, double path_mm, int e) const {
    const double thickness = matter.thickness(path_mm);
    const double before = matter.table.energy_at(matter.range[e] + 0.5 * thickness);
    const double power = scattering.power(before, matter.x0, matter.xs, matter.so_far);
    return physics::MomentTaps(0.0, power * thickness / (dtheta * dtheta));
  }
};

}  // namespace bb::transport
