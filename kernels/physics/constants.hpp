#pragma once

// Constants of nature, CODATA 2018 rounded to the digits that matter here.
namespace bb::physics {

inline constexpr double kProtonMass_MeV = 938.272;

/// 4π N_A r_e² (m_e c²)² per (Z/A): Bohr's straggling constant, MeV² cm²/g.
inline constexpr double kBohr_MeV2_cm2_g = 0.1569;

/// Scattering energy of Rossi's and of Gottschalk's differential formula, MeV.
inline constexpr double kScatteringEnergy_MeV = 15.0;

/// Highland's scattering energy for the plane angle, MeV.
inline constexpr double kHighlandEnergy_MeV = 14.1;

}  // namespace bb::physics
