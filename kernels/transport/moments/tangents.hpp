#pragma once

#include <span>
#include <string>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Inputs of a beam in layers by which its dose can be differentiated. The last five belong to one layer.
enum class Input {
  kEnergy,          // MeV, of all spots
  kEnergySpread,    // MeV, of all spots; the derivative is 0 at a spread of 0
  kWidth,           // mm, standard deviation of x at the entrance
  kAngularSpread,   // rad, standard deviation of the plane angle at the entrance
  kMeanExcitation,  // relative change of the layer's mean excitation energy (Bethe's formula)
  kStopping,        // relative change of the layer's stopping power
  kDensity,         // relative change of the layer's density
  kThickness,       // mm; everything behind the layer moves
  kScattering,      // relative change of the layer's scattering power
};

struct Direction {
  Input input = Input::kEnergy;
  int layer = 0;  // index in layers_of()
};

/// Depth dose and width of a beam, and their derivatives by some inputs.
struct DoseTangents {
  std::vector<double> depth_dose;  // [nz] MeV in a row
  std::vector<double> x_sigma;     // [nz] mm, in the middle of a row; 0 where no proton arrives
  std::vector<double> dose_by;     // [directions][nz] derivative of depth_dose, MeV per unit of the input
  std::vector<double> x_sigma_by;  // [directions][nz] derivative of x_sigma, mm per unit of the input
  double energy_in = 0;            // MeV
  std::vector<double> energy_by;   // [directions] derivative of the energy that enters
};

/// Returns the reason why a problem has no tangents, as "field = value: reason; allowed: …"; "" if it has them.
std::string tangents_refusal(const Problem& problem);

/// Marches the moments of a beam through layers, as March does in FP64, on numbers with derivatives (forward-mode
/// automatic differentiation). Steps, bins and windows are those of the unchanged inputs. `offsets`, one per direction,
/// are added to the inputs without changing the steps. Differences between such doses have no jumps from a changed
/// grid. Throws ProblemError if tangents_refusal() returns a reason.
DoseTangents dose_tangents(const Problem& problem, std::span<const Direction> directions,
                           std::span<const double> offsets = {});

}  // namespace bb::transport
