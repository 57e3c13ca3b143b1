#pragma once

#include <cmath>

#include "physics/stopping.hpp"

// Integrals along a beam's path by the midpoint rule, independent of the solver.
namespace bb::test {

/// ∫ f(E(u), u) du over u = 0 … depth (g/cm²), where E(u) is the energy of a proton that starts with `energy`.
template <typename F>
double along(const physics::StoppingTable& table, double energy, double depth, F&& f, int parts = 4000) {
  const double range = table.range(energy);
  double sum = 0.0;
  for (int i = 0; i < parts; ++i) {
    const double u = depth * (i + 0.5) / parts;
    sum += f(table.energy_at(range - u), u);
  }
  return sum * depth / parts;
}

/// Fermi-Eyges moments A_n = ∫ T(u) (depth - u)^n du, for `power(energy)` in rad² per g/cm².
template <typename F>
double fermi_eyges(const physics::StoppingTable& table, double energy, double depth, int n, F&& power) {
  return along(table, energy, depth, [&](double e, double u) { return power(e) * std::pow(depth - u, n); });
}

}  // namespace bb::test
