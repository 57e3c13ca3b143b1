#include "dcpt_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "../kernels/problems.hpp"
#include "physics/kinematics.hpp"

namespace bb::test {
namespace {

using namespace transport;

}  // namespace

/// Solid water as in the input files of the plan. Stopping powers follow Bethe's formula, scaled to the table of water.
Material dcpt_solid_water(double excitation_eV, const char* water_table) {
  const Material water = material("water", 1.0, water_table);
  const double of_water_eV = std::string_view(water_table) == "icru90" ? 78.0 : 75.0;
  Material m = water;
  m.name = "solid water";
  m.density = 1.032;
  m.z_over_a = 0.5390;
  m.x0 = 41.4;
  m.xs = 54.7;
  m.elements = {{"H", 0.079994}, {"C", 0.672956}, {"N", 0.023894}, {"O", 0.198689}, {"Cl", 0.001383}, {"Ca", 0.023084}};
  const auto bethe = [](double energy, double excitation_eV) {
    const double beta2 = physics::beta_squared(energy), gamma = physics::gamma(energy);
    return std::log(1.022e6 * beta2 * gamma * gamma / excitation_eV) - beta2;
  };
  for (std::size_t i = 0; i < m.energies.size(); ++i) {
    const double energy = std::max(m.energies[i], 1.0);  // below that, Bethe's formula fails and ranges are negligible
    m.stopping[i] *= m.z_over_a / water.z_over_a * bethe(energy, excitation_eV) / bethe(energy, of_water_eV);
  }
  return m;
}

Problem dcpt_plan(double excitation_eV) {
  // The beam passes 477.5 mm of air from the nozzle's reference plane to the phantom.
  const Material air = material("air");
  const physics::StoppingTable in_air(air.energies, air.stopping);
  const double energy = in_air.energy_at(in_air.range(160.36) - 47.75 * air.density);
  Problem p = water_problem(energy, {240.0, 200.0, 4.0, 0.5}, 0.3, 0.01);
  p.beam.energy_sigma = 0.72;
  p.grid.cutoff = 0.5;
  p.materials.push_back(dcpt_solid_water(excitation_eV, "icru49"));
  p.materials.push_back(material("pmma"));
  fill_region(p, 1, -120.0, 120.0, 0.0, 200.0);
  fill_region(p, 2, -120.0, 120.0, 20.0, 25.0);
  p.stepping = Stepping::kDepth;
  p.precision = Precision::kFp32;
  p.variant = "depth";
  follow_reactions(p);
  return p;
}

std::vector<std::vector<double>> reference_columns(const std::string& name) {
  const char* elsewhere = std::getenv("BRAGGBENCH_ASSETS");
  std::ifstream file(std::string(elsewhere != nullptr ? elsewhere : BB_ASSETS) + "/reference/" + name);
  std::vector<std::vector<double>> columns;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::vector<double> values;
    double value = 0.0;
    for (char comma = 0; fields >> value; fields >> comma) values.push_back(value);
    if (values.empty()) continue;
    columns.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
  }
  return columns;
}

}  // namespace bb::test
