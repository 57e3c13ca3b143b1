#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "elements.hpp"

// Reactions of protons with nuclei: non-elastic ones by the evaluated spectra of ICRU Report 63, elastic scattering
// beyond 5 degrees, and proton-proton scattering. Energies in MeV, cross sections in barn.
namespace bb::physics {

/// Energies of emitted particles are tabulated at u = 0, 1/40 … 1 of the proton's energy.
inline constexpr int kEmissionPoints = 41;
using Spectrum = std::array<double, kEmissionPoints>;

/// Bounds, in degrees of the laboratory, of the classes that deflected protons are sorted into. What is nearer to the axis
/// goes straight ahead, but for elastically scattered ones, which the change of frame alone brings there: they are of the
/// first class. What is beyond the last bound stays where it is.
inline constexpr std::array<double, 9> kAngleBounds{5, 7.5, 10, 15, 20, 30, 45, 60, 75};
inline constexpr int kAngleClasses = static_cast<int>(kAngleBounds.size()) - 1;

/// Mean emission of a non-elastic reaction.
struct Emission {
  double cross_section = 0;
  Spectrum deuterons{};                         // number per reaction and unit of u
  Spectrum ahead{}, wide{};                     // of protons: within the first bound, and beyond the last one
  std::array<Spectrum, kAngleClasses> aside{};  // of protons, by class
  double alphas = 0, recoils = 0;               // shares of the proton's energy
};

/// Elastic scattering beyond 5 degrees, by classes; the last entry is what lies beyond them.
struct Deflection {
  double cross_section = 0;
  std::array<double, kAngleClasses + 1> share{};   // of the cross section
  std::array<double, kAngleClasses + 1> recoil{};  // share of the proton's energy that the nucleus takes
};

/// The tables of one element: a text as in assets/nuclear.
class NuclearTable {
 public:
  /// `name` is the text's in messages. Throws std::invalid_argument with line and place.
  NuclearTable(const std::string& text, const std::string& name);

  const Element& of() const { return *element_; }
  /// Interpolated between the tabulated energies, 0 below the lowest, as at the highest above it.
  Emission emission(double energy) const;
  Deflection deflection(double energy) const;
  double nonelastic(double energy) const;  // cross sections
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

/// Angle, degrees of the laboratory, under which a proton of energy `energy` scatters off one at rest that keeps the share
/// 1 - `share` of it.
double collision_angle(double energy, double share);

/// Elastic scattering of protons by the hydrogen of water, cm² per gram of water: 0.315 E^-1.126 + 3.78e-6 E above
/// 10 MeV (M. Fippel and M. Soukup, Med. Phys. 31 (2004) 2263).
double water_proton_proton(double energy);

}  // namespace bb::physics
