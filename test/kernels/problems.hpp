#pragma once

#include <string>

#include "physics/stopping.hpp"
#include "transport/model/problem.hpp"

// Problems for the C++ tests, with the materials of assets/materials.
namespace bb::test {

/// A material with the stopping power table assets/materials/stopping/<name>-<table>.csv, at
/// `density_scale` times its density. Throws std::runtime_error for a name that is not there.
transport::Material material(const std::string& name, double density_scale = 1.0, const std::string& table = "icru49");

/// Sets nuclear reactions to ICRU 63 with the tables of assets/nuclear.
void follow_reactions(transport::Problem& problem);

/// Stopping powers of water by ICRU 49.
const physics::StoppingTable& water();

struct Lengths {
  double width, depth;  // mm
  double dx, dz;        // mm
};

/// A pencil beam on the axis of water: depth and step dz, θ up to `theta_max` rad in steps of
/// `dtheta`, range grid with spacing dz, FP64.
transport::Problem water_problem(double energy, const Lengths& lengths, double theta_max, double dtheta);

/// Fills x0 … x1, z0 … z1 (mm, x from the axis) of the map with material `index`.
void paint(transport::Problem& problem, int index, double x0, double x1, double z0, double z1);

}  // namespace bb::test
