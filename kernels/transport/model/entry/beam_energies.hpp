#pragma once

#include <functional>
#include <vector>

#include "transport/model/energy_grid.hpp"

namespace bb::transport {

/// A beam's spectrum on the bins, at the first node of the grid.
struct BeamEnergies {
  std::vector<double> share;    // [bins], sums to 1
  double mean_at_entrance = 0;  // MeV, of the protons that remain
};

/// A Gaussian in energy of mean `energy` and standard deviation `sigma` > 0 (MeV) at the entrance, integrated over each
/// bin. Mean and variance of the energies that the bins hold are those of the Gaussian, but for bins too wide for its
/// variance: then only the mean. What lies below the cutoff or above the last bin is cut off, and the rest scaled to 1.
///
/// `node_energy` is the energy at the first node by the one at the entrance, `entrance_energy` its inverse.
BeamEnergies beam_energies(const EnergyGrid& grid, double energy, double sigma,
                           const std::function<double(double)>& node_energy,
                           const std::function<double(double)>& entrance_energy);

/// The one energy `energy` (MeV, at the first node) on the bins: one bin where it lies on its centre, as that of the
/// fastest spot does, else two that hold its mean.
std::vector<double> one_energy(const EnergyGrid& grid, double energy);

}  // namespace bb::transport
