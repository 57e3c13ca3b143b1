#pragma once

#include <optional>
#include <string>

#include "physics/stopping.hpp"
#include "transport/model/problem.hpp"
#include "transport/run/run.hpp"

// Problems for the C++ tests, with materials from assets/materials.
namespace bb::test {

/// A material with the stopping power table assets/materials/stopping/<name>-<table>.csv, and `density_scale` times its
/// density. Throws std::runtime_error for an unknown name.
transport::Material material(const std::string& name, double density_scale = 1.0, const std::string& table = "icru49");

/// Enables nuclear reactions by ICRU 63, with the tables of assets/nuclear.
void follow_reactions(transport::Problem& problem);

/// Stopping powers of water by ICRU 49.
const physics::StoppingTable& water();

struct Lengths {
  double width, depth;  // mm
  double dx, dz;        // mm
};

/// A pencil beam on the axis of water, in FP64. `lengths` has the depth and the step dz. θ extends to `theta_max` rad
/// in steps of `dtheta`; the range grid has the spacing dz.
transport::Problem water_problem(double energy, const Lengths& lengths, double theta_max, double dtheta);

/// Fills x0 … x1, z0 … z1 (mm, x from the axis) of the map with material `index`.
void fill_region(transport::Problem& problem, int index, double x0, double x1, double z0, double z1);

/// Mean path along the beam's axis at which protons stop, mm. Near the end, from nine tenths of `longest` on, it
/// integrates the fluence without protons that are lost further on. Empty if the beam did not end inside the grid, or
/// is tilted too far for planes to measure it. Also empty if a side of the grid or an end of the angles removes part of
/// a tilted beam. The remaining protons then lean to one side and reach further along the axis.
std::optional<double> mean_range(const transport::Problem& problem, const transport::Tables& tables,
                                 const engine::RunResult& result, double longest);

/// Longest path of a beam's protons along its axis, mm, averaged over their energies. It is the CSDA range without
/// deflection through the lightest material of each row of cells. For a tilted beam, it is the range in the lightest of
/// all materials. Infinite if the grid ends earlier.
double longest_path(const transport::Problem& problem);

/// Returns an error message if the mean range exceeds the longest path, which is impossible; otherwise "". Without
/// scattering both are equal, within the 0.1 % of the gates on the CSDA range. If a run reports a spread of range from
/// its bins and steps, 3 % of that spread is tolerated.
std::string longest_path_error(const transport::Problem& problem, const transport::Tables& tables,
                               const engine::RunResult& result);

}  // namespace bb::test
