#pragma once

namespace bb::physics {

/// Square of the classical electron radius, m²: forward scattering of one electron, per sr.
inline constexpr double kElectronRadius2_m2 = 7.94079248018965e-30;

// Liquid water at 25 °C and 1 bar.
inline constexpr double kWaterTemperature_K = 298.15;
/// Molecules per m³: 997.047 kg/m³ (Kell, J. Chem. Eng. Data 20 (1975) 97) · N_A / (18.01528 g/mol).
inline constexpr double kWaterMolecules_m3 = 997047.0 * 6.02214076e23 / 18.01528;
/// Isothermal compressibility, 1/Pa, from Kell as well.
inline constexpr double kWaterCompressibility_Pa = 4.5247e-10;
inline constexpr double kWaterElectrons = 10;
inline constexpr double kBoltzmann_J_K = 1.380649e-23;

/// F² of a water molecule for forward scattering in the liquid, where its electrons scatter in phase. Density
/// fluctuations leave the fraction S(0) = n k_B T κ_T (Guinier & Fournet, Small-Angle Scattering of X-rays, 1955,
/// §2.3). 6.21 = 2.49². The differential cross section is 1.643/m; 1.632/m was measured at 20 °C (Orthaber, Bergmann &
/// Glatter, J. Appl. Cryst. 33 (2000) 218). nanoBragg uses 2.57², 6 % more. At wide angles water scatters more, with a
/// ring at 3.2 Å, which is neglected here.
inline constexpr double kWaterF2 = kWaterElectrons * kWaterElectrons * kWaterMolecules_m3 * kBoltzmann_J_K *
                                   kWaterTemperature_K * kWaterCompressibility_Pa;

/// Σ F² of the molecules in a cube of water with edge `edge_m` in metres.
inline double water_scattering(double edge_m) { return kWaterF2 * kWaterMolecules_m3 * edge_m * edge_m * edge_m; }

}  // namespace bb::physics
