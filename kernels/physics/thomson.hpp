#pragma once

namespace bb::physics {

/// The square of the classical electron radius, m²: scattering of one electron into the forward direction, per sr.
inline constexpr double kElectronRadius2_m2 = 7.94079248018965e-30;

/// Electrons of a water molecule that scatter as one, on average over the angles of a diffraction pattern; the
/// value that simulations of diffuse background from amorphous water use (Holton et al., FEBS J. 281 (2014) 4046).
inline constexpr double kWaterElectrons = 2.57;

/// Molecules of water per m³: 10⁶ g/m³ · N_A / (18.015 g/mol).
inline constexpr double kWaterMolecules_m3 = 1e6 * 6.02214076e23 / 18.015;

/// Σ F² of the molecules in a cube of water of this edge in metres: they scatter independently.
inline double water_scattering(double edge_m) {
  return kWaterElectrons * kWaterElectrons * kWaterMolecules_m3 * edge_m * edge_m * edge_m;
}

}  // namespace bb::physics
