#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

// A plan of DCPT, for which several Monte Carlo codes have published doses and LET (assets/reference/dcpt-plan02*.csv).
namespace bb::test {

/// mm from the isocentre: where the phantom begins.
inline constexpr double kPlanSurface = -22.5;

/// 160.36 MeV (sigma 0.72 MeV) in solid water with 5 mm of PMMA, behind 477.5 mm of air; nuclear reactions are followed.
transport::Problem dcpt_plan();

/// Columns of a file of assets/reference, behind its comments and its line of names.
std::vector<std::vector<double>> reference_columns(const std::string& file);

}  // namespace bb::test
