#include <cmath>
#include <vector>

#include "../problems.hpp"
#include "check.hpp"
#include "physics/kinematics.hpp"
#include "physics/stopping.hpp"
#include "physics/straggling.hpp"
#include "quadrature.hpp"

using namespace bb::physics;

TEST("kinematics: pv agrees with test/physics/gold.md") {
  const double table[][2] = {{10, 19.895}, {70, 135.14}, {100, 190.37}, {150, 279.33}, {200, 364.86}, {250, 447.40}};
  for (const auto& [energy, wanted] : table) CHECK_NEAR(pv(energy), wanted, 0.005);
}

TEST("kinematics: gamma and beta agree with pv = p c beta") {
  for (const double energy : {0.5, 3.0, 70.0, 250.0}) {
    const double momentum = std::sqrt(energy * (energy + 2.0 * kProtonMass_MeV));
    CHECK_REL(pv(energy), momentum * std::sqrt(beta_squared(energy)), 1e-12);
    CHECK_REL(bb::physics::gamma(energy), 1.0 / std::sqrt(1.0 - beta_squared(energy)), 1e-12);
  }
}

using bb::physics::StoppingTable;
using bb::test::material;

namespace {

StoppingTable table_of(const char* name, const char* source = "icru49") {
  const auto m = material(name, 1.0, source);
  return {m.energies, m.stopping};
}

struct PstarEntry {
  double energy, stopping;  // MeV, MeV cm²/g
};

// NIST PSTAR (SRD 124) at energies between those of the shipped tables.
const PstarEntry kWater[] = {{1.25, 222.9}, {1.75, 174.9}, {2.25, 145.4}, {2.5, 134.4}, {2.75, 125.1}, {3.5, 104.2},
                             {4.5, 85.86},  {5.5, 73.43},  {6.0, 68.58},  {6.5, 64.38}, {8.0, 54.60},  {9.0, 49.69},
                             {9.5, 47.59},  {27.5, 20.13}, {35, 16.56},   {45, 13.54},  {55, 11.54},   {65, 10.13},
                             {75, 9.063},   {85, 8.236},   {90, 7.888},   {95, 7.573},  {275, 3.698}};
const PstarEntry kAluminium[] = {{1.25, 149.5}, {1.75, 119.9}, {2.25, 101.0}, {2.5, 93.83}, {3.5, 73.88},
                                 {4.5, 61.54},  {6.0, 49.73},  {8.0, 40.04},  {9.5, 35.12}, {27.5, 15.32},
                                 {35, 12.68},   {45, 10.41},   {55, 8.911},   {65, 7.838},  {75, 7.031},
                                 {85, 6.401},   {90, 6.135},   {95, 5.895},   {275, 2.911}};

// Energy, stopping power and range of ICRU 90, from test/physics/gold.md.
const double kIcru90[][3] = {{1, 257.6, 0.00249}, {2, 157.0, 0.00764}, {3, 116.1, 0.0152},  {5, 78.47, 0.0366},
                             {7, 60.26, 0.0659},  {10, 45.35, 0.1240}, {15, 32.71, 0.256},  {20, 25.90, 0.429},
                             {30, 18.65, 0.891},  {40, 14.80, 1.498},  {50, 12.39, 2.240},  {60, 10.72, 3.110},
                             {70, 9.510, 4.103},  {80, 8.582, 5.212},  {90, 7.848, 6.432},  {100, 7.253, 7.759},
                             {125, 6.162, 11.52}, {150, 5.419, 15.86}, {175, 4.880, 20.73}, {200, 4.472, 26.09},
                             {225, 4.151, 31.90}, {250, 3.894, 38.12}};
// Energy and range of PSTAR, from test/physics/gold.md.
const double kRanges[][2] = {{1, 0.002458}, {2, 0.007555}, {3, 0.01499}, {5, 0.03623}, {7, 0.06537}, {10, 0.1230},
                             {15, 0.2539},  {20, 0.4260},  {30, 0.8853}, {40, 1.489},  {50, 2.227},  {60, 3.093},
                             {70, 4.080},   {80, 5.184},   {90, 6.398},  {100, 7.718}, {125, 11.46}, {150, 15.77},
                             {175, 20.62},  {200, 25.96},  {225, 31.74}, {250, 37.94}};

}  // namespace

TEST("gate, tabulated S: within 0.15 % of PSTAR between the table's energies, above 1 MeV") {
  const StoppingTable water = table_of("water");
  for (const PstarEntry& e : kWater) CHECK_REL(water.stopping(e.energy), e.stopping, 0.0015);
  const StoppingTable aluminium = table_of("aluminium");
  for (const PstarEntry& e : kAluminium) CHECK_REL(aluminium.stopping(e.energy), e.stopping, 0.0015);
}

TEST("stopping power: reproduces its own entries") {
  for (const char* name : {"water", "air", "lead", "bone-compact-icru"}) {
    const auto m = material(name);
    const StoppingTable table(m.energies, m.stopping);
    for (std::size_t i = 0; i < m.energies.size(); ++i) CHECK_REL(table.stopping(m.energies[i]), m.stopping[i], 1e-12);
  }
}

TEST("ranges in water, PSTAR: within 0.1 % of test/physics/gold.md, plus 0.7 µm below the table") {
  const StoppingTable water = table_of("water");
  // Below 0.1 MeV, outside the table, the calculated range is 0.6 µm shorter than PSTAR's.
  for (const auto& [energy, range] : kRanges) CHECK_NEAR(water.range(energy), range, 0.001 * range + 7e-5);
}

TEST("ICRU 90 water: S within 0.15 % and ranges within 0.2 % of test/physics/gold.md, half a per cent above PSTAR") {
  const StoppingTable icru90 = table_of("water", "icru90");
  const StoppingTable pstar = table_of("water");
  for (const auto& [energy, stopping, range] : kIcru90) {
    CHECK_REL(icru90.stopping(energy), stopping, 0.0015);
    // For some energies the range column has only three digits; 7e-5 g/cm² is the tolerance explained above.
    CHECK_NEAR(icru90.range(energy), range, 0.002 * range + 7e-5 + 5e-5);
  }
  for (const double energy : {70.0, 150.0, 250.0}) {
    CHECK_NEAR(icru90.range(energy) / pstar.range(energy), 1.005, 0.001);
  }
}

TEST("range: its slope is 1/S, its inverse is exact") {
  for (const char* name : {"water", "lead"}) {
    const StoppingTable table = table_of(name);
    for (double energy = 0.02; energy < 400.0; energy *= 1.13) {
      CHECK_REL(table.energy_at(table.range(energy)), energy, 1e-12);
      const double h = 1e-4 * energy;
      // Below the table the range follows S ∝ T^-p down to zero energy, so its slope must be 1/S there too.
      CHECK_REL((table.range(energy + h) - table.range(energy - h)) / (2.0 * h) * table.stopping(energy), 1.0, 1e-5);
    }
    CHECK_EQ(table.range(0.0), 0.0);
    CHECK_EQ(table.energy_at(0.0), 0.0);
    CHECK_EQ(table.energy_at(-1.0), 0.0);
  }
}

TEST("stopping table: invalid tables are rejected, and the entry is named") {
  const auto build = [](std::vector<double> energies, std::vector<double> stopping) {
    return StoppingTable(energies, stopping);
  };
  CHECK_THROWS(build({1, 2, 3}, {3, 2, 1}), "at least 4 pairs, got 3");
  CHECK_THROWS(build({1, 2, 3, 4}, {3, 2, 1}), "4 energies and 3 values");
  CHECK_THROWS(build({1, 2, 2, 4}, {4, 3, 2, 1}), "entry 2");
  CHECK_THROWS(build({1, 2, 3, 4}, {4, -3, 2, 1}), "entry 1");
  CHECK_THROWS(build({0, 2, 3, 4}, {4, 3, 2, 1}), "entry 0");
  CHECK_THROWS(build({1, 2, 3, INFINITY}, {4, 3, 2, 1}), "entry 3");
  CHECK_THROWS(build({1, 2, 3, 4}, {4, 3, 2, NAN}), "entry 3");
}

TEST("gate, straggling: range spread in water as in test/physics/gold.md") {
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

TEST("straggling: Bohr's constant at rest, with the relativistic factor at higher energies") {
  CHECK_REL(bohr_straggling(0.0, 0.5551), 0.1569 * 0.5551, 1e-12);
  CHECK_REL(bohr_straggling(200.0, 0.5), 0.1569 * 0.5 * 1.21317 * 1.21317 * (1.0 - 0.5 * 0.320550), 1e-4);
}
