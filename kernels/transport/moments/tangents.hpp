#pragma once

#include <span>
#include <string>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Inputs of a beam in layers by which its dose is differentiated. The last five belong to one layer.
enum class Input {
  kEnergy,          // MeV, of all spots
  kEnergySpread,    // MeV, of all spots; the derivative is 0 at a spread of 0
  kWidth,           // mm, standard deviation of x at the entrance
  kAngularSpread,   // rad, standard deviation of the plane angle at the entrance
  kMeanExcitation,  // relative change of the layer's mean excitation energy (Bethe's formula)
  kStopping,        // relative change of the layer's stopping power
  kDensity,         // relative change of the layer's density
  kThickness,       // mm; what lies behind the layer moves
  kScattering,      // relative change of the layer's scattering power
};

struct Direction {
  Input input = Input::kEnergy;
  int layer = 0;  // of layers_of()
};

/// A dose integrated across the beam and its width, with their derivatives by some inputs.
struct DoseTangents {
  std::vector<double> depth_dose;  // [nz] MeV in a row
  std::vector<double> x_sigma;     // [nz] mm, in the middle of a row; 0 where no proton arrives
  std::vector<double> dose_by;     // [directions][nz] MeV per unit of the input
  std::vector<double> x_sigma_by;  // [directions][nz] mm per unit of the input
  double energy_in = 0;            // MeV
  std::vector<double> energy_by;   // [directions] of the energy that enters
};

/// Why a problem has no tangents, as "field = value: reason; allowed: …"; "" where it has them.
std::string tangents_refusal(const Problem& problem);

/// Marches the moments of a beam through layers as March does in FP64, on numbers that carry their derivatives (forward
/// mode of automatic differentiation). Steps, bins and windows are those of the inputs as they are. `offsets`, one for
/// each direction, changes the inputs by that much on the same steps: differences of such doses are free of the jumps
/// that a change of grid makes. Throws ProblemError where tangents_refusal() has a reason.
DoseTangents dose_tangents(const Problem& problem, std::span<const Direction> directions,
                           std::span<const double> offsets = {});

}  // namespace bb::transport
