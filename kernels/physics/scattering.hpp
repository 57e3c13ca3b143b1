#pragma once

#include <cmath>

#include "hd.hpp"
#include "kinematics.hpp"

// Scattering power T = d<θ²>/ds of the plane angle, rad² per (g/cm²).
namespace bb::physics {

/// Gottschalk's nonlocal correction as `constant` + `per_lg` lg pv, with pv in MeV.
struct GottschalkTerms {
  double constant, per_lg;
};

/// f_dM of "On the scattering power of radiotherapy protons", arXiv 0908.1413, eq. 15. `lg_loss` is
/// lg(1 - (pv / p1v1)²), with p1v1 at the entrance.
BB_HD constexpr GottschalkTerms gottschalk_terms(double lg_loss) {
  return {0.5244 + 0.1975 * lg_loss, 0.2320 - 0.0098 * lg_loss};
}

/// Gottschalk's correction, clamped to f >= 0: where the energy loss vanishes, its logarithm would make f negative.
/// pv_here and pv_entrance in MeV.
BB_HD inline double gottschalk_correction(double pv_here, double pv_entrance) {
  const double ratio = pv_here / pv_entrance;
  const double loss = 1.0 - ratio * ratio;
  if (loss <= 0.0) return 0.0;
  const GottschalkTerms terms = gottschalk_terms(log10(loss));
  const double f = terms.constant + terms.per_lg * log10(pv_here);
  return f > 0.0 ? f : 0.0;
}

/// Differential Molière scattering power with scattering length `x_s` (g/cm²).
BB_HD inline double gottschalk_power(double energy, double entrance_energy, double x_s) {
  const double p = pv(energy);
  const double e = kScatteringEnergy_MeV / p;
  return gottschalk_correction(p, pv(entrance_energy)) * e * e / x_s;
}

/// Scattering power of Fermi and Rossi, with radiation length `x_0` (g/cm²).
BB_HD inline double fermi_rossi_power(double energy, double x_0) {
  const double e = kScatteringEnergy_MeV / pv(energy);
  return e * e / x_0;
}

/// The Highland formula per step, with the logarithm of the total thickness: `radiation_lengths` crossed since the
/// entrance. Not additive; zero while the logarithm is negative.
BB_HD inline double highland_power(double energy, double radiation_lengths, double x_0) {
  if (radiation_lengths <= 0.0) return 0.0;
  const double correction = 1.0 + log10(radiation_lengths) / 9.0;
  if (correction <= 0.0) return 0.0;
  const double e = kHighlandEnergy_MeV / pv(energy) * correction;
  return e * e / x_0;
}

}  // namespace bb::physics
