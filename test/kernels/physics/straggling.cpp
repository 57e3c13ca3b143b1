#include "physics/straggling.hpp"

#include <cmath>

#include "../problems.hpp"
#include "check.hpp"
#include "quadrature.hpp"

using namespace bb::physics;

TEST("gate, straggling: range spread in water of test/physics/gold.md") {
  const auto water = bb::test::material("water");
  const StoppingTable table(water.energies, water.stopping);
  const double wanted[][2] = {{70, 0.469}, {100, 0.860}, {150, 1.695}, {200, 2.712}, {250, 3.873}};  // MeV, mm
  for (const auto& [energy, sigma] : wanted) {
    const double variance = bb::test::along(table, energy, table.range(energy), [&](double e, double) {
      const double s = table.stopping(e);
      return bohr_straggling(e, water.z_over_a) / (s * s);
    });
    CHECK_REL(10.0 * std::sqrt(variance), sigma, 0.005);
  }
}

TEST("straggling: Bohr's constant at rest, the relativistic factor above") {
  CHECK_REL(bohr_straggling(0.0, 0.5551), 0.1569 * 0.5551, 1e-12);
  CHECK_REL(bohr_straggling(200.0, 0.5), 0.1569 * 0.5 * 1.21317 * 1.21317 * (1.0 - 0.5 * 0.320550), 1e-4);
}
