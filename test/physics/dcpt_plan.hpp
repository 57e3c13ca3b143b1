#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

// A treatment plan of DCPT with published doses and LET from several Monte Carlo codes
// (assets/reference/dcpt-plan02*.csv).
namespace bb::test {

/// Front of the phantom, mm from the isocentre along the beam.
inline constexpr double kPlanSurface = -22.5;

/// Mean excitation energy of the plan's solid water by Bragg's rule; the plan does not state it. Calculated with the
/// values of ICRU Report 37 for compounds, and with those for the pure elements.
inline constexpr double kExcitationOfCompounds_eV = 70.4, kExcitationOfElements_eV = 68.8;

/// The plan's beam of 160.36 MeV (sigma 0.72 MeV) in solid water with 5 mm of PMMA, behind 477.5 mm of air. Products of
/// nuclear reactions are transported.
transport::Problem dcpt_plan(double excitation_eV = kExcitationOfCompounds_eV);

/// The plan's solid water. Stopping powers are scaled to a table of water.
transport::Material dcpt_solid_water(double excitation_eV, const char* water_table);

/// Columns of numbers in a file of assets/reference, without comments and the header line.
std::vector<std::vector<double>> reference_columns(const std::string& file);

}  // namespace bb::test
