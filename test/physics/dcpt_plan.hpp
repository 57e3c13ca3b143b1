#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

// A treatment plan of DCPT with published doses and LET from several Monte Carlo codes
// (assets/reference/dcpt-plan02*.csv).
namespace bb::test {

/// Front of the phantom, mm from the isocentre along the beam.
inline constexpr double kPlanSurface = -22.5;

/// Mean excitation energy of the plan's solid water, which the plan does not state, by Bragg's rule. Calculated with
/// ICRU Report 37's values for compounds, and with those of the pure elements.
inline constexpr double kExcitationOfCompounds_eV = 70.4, kExcitationOfElements_eV = 68.8;

/// The plan's beam of 160.36 MeV (sigma 0.72 MeV) in solid water with 5 mm of PMMA, behind 477.5 mm of air. Products of
/// nuclear reactions are transported.
transport::Problem dcpt_plan(double excitation_eV = kExcitationOfCompounds_eV);

/// The plan's solid water, with stopping powers scaled to a table of water.
transport::Material dcpt_solid_water(double excitation_eV, const char* water_table);

/// Columns of numbers in a file of assets/reference, without its comments and its header line.
std::vector<std::vector<double>> reference_columns(const std::string& file);

}  // namespace bb::test
