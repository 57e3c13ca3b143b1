#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

// A plan of DCPT, for which several Monte Carlo codes have published doses and LET (assets/reference/dcpt-plan02*.csv).
namespace bb::test {

/// mm from the isocentre: where the phantom begins.
inline constexpr double kPlanSurface = -22.5;

/// Mean excitation energy of its solid water, which the plan does not state, by Bragg's rule: with the values for compounds of
/// ICRU Report 37, and with those of the elements by themselves.
inline constexpr double kExcitationOfCompounds_eV = 70.4, kExcitationOfElements_eV = 68.8;

/// 160.36 MeV (sigma 0.72 MeV) in solid water with 5 mm of PMMA, behind 477.5 mm of air; nuclear reactions are followed.
transport::Problem dcpt_plan(double excitation_eV = kExcitationOfCompounds_eV);

/// Its solid water, with stopping powers scaled to a table of water.
transport::Material dcpt_solid_water(double excitation_eV, const char* water_table);

/// Columns of a file of assets/reference, behind its comments and its line of names.
std::vector<std::vector<double>> reference_columns(const std::string& file);

}  // namespace bb::test
