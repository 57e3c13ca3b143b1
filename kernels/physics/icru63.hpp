#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace bb::physics {

/// An element by its symbol, with the standard atomic weight (IUPAC 2021, rounded).
struct Element {
  const char* symbol;
  int z;
  double weight;  // g/mol
};

/// Throws std::invalid_argument unless `symbol` is one of the first 92 elements.
const Element& element(const std::string& symbol);

// Nuclear reactions of protons: non-elastic ones from the evaluated spectra of ICRU Report 63, elastic scattering
// beyond 5 degrees, and proton-proton scattering. Energies in MeV, cross sections in barn.

/// Number of energies at which spectra are tabulated: u = 0, 1/40 … 1 of the proton's energy.
inline constexpr int kEmissionPoints = 41;
using Spectrum = std::array<double, kEmissionPoints>;

/// Bounds in degrees (laboratory frame) of the classes for deflected protons. Smaller angles count as straight ahead.
/// Elastically scattered protons always belong to a class, to the first if their laboratory angle is below its bound.
/// Protons beyond the last bound are not transported.
inline constexpr std::array<double, 9> kAngleBounds{5, 7.5, 10, 15, 20, 30, 45, 60, 75};
inline constexpr int kAngleClasses = static_cast<int>(kAngleBounds.size()) - 1;

/// Mean emission per non-elastic reaction.
struct Emission {
  double cross_section = 0;
  Spectrum deuterons{};                         // number per reaction and unit of u
  Spectrum ahead{}, wide{};                     // protons within the first and beyond the last bound
  std::array<Spectrum, kAngleClasses> aside{};  // protons by class
  double alphas = 0, recoils = 0;               // shares of the proton's energy
};

/// Elastic scattering beyond 5 degrees, by class; the last entry holds angles beyond the last bound.
struct Deflection {
  double cross_section = 0;
  std::array<double, kAngleClasses + 1> share{};   // share of the cross section
  std::array<double, kAngleClasses + 1> recoil{};  // share of the proton's energy that goes to the nucleus
};

/// Tables of one element, read from a text as in assets/nuclear.
class NuclearTable {
 public:
  /// `name` identifies the text in messages. Throws std::invalid_argument with line and position.
  NuclearTable(const std::string& text, const std::string& name);

  const Element& of() const { return *element_; }
  /// Emission interpolated between the tabulated energies: zero below the lowest, constant above the highest.
  Emission emission(double energy) const;
  Deflection deflection(double energy) const;
  double nonelastic(double energy) const;  // cross sections, barn
  double elastic(double energy) const;

 private:
  struct Reaction {
    double energy = 0;
    Emission emission;
  };
  struct Scattering {
    double energy = 0;
    Deflection deflection;
  };

  const Element* element_ = nullptr;
  std::vector<Reaction> reactions_;
  std::vector<Scattering> scattering_;
};

/// Laboratory angle in degrees after an elastic collision of a proton of `energy` (MeV) with a proton at rest. It is
/// the angle of the proton with the fraction `share` of the energy.
double collision_angle(double energy, double share);

/// Elastic scattering of protons by the hydrogen in water, cm² per gram of water: 0.315 E^-1.126 + 3.78e-6 E above 10
/// MeV (M. Fippel and M. Soukup, Med. Phys. 31 (2004) 2263).
double water_proton_proton(double energy);

}  // namespace bb::physics
