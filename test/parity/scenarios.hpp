#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::test {

struct ParityScenario {
  std::string name;
  transport::Problem problem;  // path stepping; parity.cpp sets variant, precision and stepping
  bool path_only = false;      // angles beyond what depth stepping allows
};

/// Small problems that together use every branch of the operators: filled states and beams, heterogeneous media, both
/// energy grids, both remaps, every scattering model, nuclear losses.
const std::vector<ParityScenario>& parity_scenarios();

/// The same scenarios with longer beams, more angles and more steps: ten times the cells.
const std::vector<ParityScenario>& fine_parity_scenarios();

}  // namespace bb::test
