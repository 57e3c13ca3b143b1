#pragma once

#include <functional>
#include <vector>

#include "transport/model/energy_grid.hpp"

namespace bb::transport {

/// Energy spectrum of a beam by bin, at the first node of the grid.
struct BeamEnergies {
  std::vector<double> share;    // [bins], sums to 1
  double mean_at_entrance = 0;  // MeV, mean over the protons that are not cut off
};

/// Spectrum of a Gaussian with mean `energy` and standard deviation `sigma` > 0 (MeV) at the entrance, integrated over
/// each bin. The bins' energies have the mean and the variance of the Gaussian, or only its mean if bins are too wide.
/// Protons below the cutoff or above the last bin are removed, and the rest is scaled to 1. `node_energy` converts an
/// energy at the entrance to one at the first node; `entrance_energy` is its inverse.
BeamEnergies beam_energies(const EnergyGrid& grid, double energy, double sigma,
                           const std::function<double(double)>& node_energy,
                           const std::function<double(double)>& entrance_energy);

/// Spectrum of the single energy `energy` (MeV, at the first node): one bin if it is at a bin centre, as for the
/// fastest spot; otherwise two bins with the same mean.
std::vector<double> one_energy(const EnergyGrid& grid, double energy);

}  // namespace bb::transport
