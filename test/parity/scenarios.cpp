#include "scenarios.hpp"

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>

#include "../kernels/problems.hpp"

namespace bb::test {
namespace {

using namespace transport;

/// Water with a slab of bone, a box of air on one side, and muscle of lung's density on the other.
void heterogeneous(Problem& p) {
  p.materials = {material("water"), material("bone-compact-icru"), material("air"), material("muscle-skeletal", 0.25)};
  const double width = p.grid.nx * p.grid.dx;
  const double depth = p.grid.nz * p.grid.dz;
  fill_region(p, 1, -width, width, 0.3 * depth, 0.5 * depth);
  fill_region(p, 2, 0.1 * width, 0.3 * width, 0.1 * depth, 0.8 * depth);
  fill_region(p, 3, -width, -0.2 * width, 0.6 * depth, depth);
}

/// Imitates a CT: each cell has one of two hundred materials, most neighbours differ, and there is tissue on either
/// side.
void many_media(Problem& p) {
  const char* names[] = {"muscle-skeletal", "pmma", "bone-compact-icru", "water", "air"};
  p.materials = {material("water")};
  for (const char* name : names) {
    for (int i = 0; i < 40; ++i) p.materials.push_back(material(name, 0.25 + 0.02 * i));
  }
  std::mt19937_64 random(7);
  for (auto& m : p.map) m = static_cast<std::uint8_t>(random() % p.materials.size());
}

/// Size of the scenarios: a few cells, or ten times as many, through the same code.
struct Size {
  double beam_energy, beam_depth, beam_angle_step, filled_angle_step;
  double linear_bins;  // the bins must not spread a tenth of the range
  int filled_steps, random_steps;
};

constexpr Size kSmall{14.0, 3.2, 0.05, 0.1, 0.065, 4, 6};
constexpr Size kFine{20.0, 6.4, 0.025, 0.05, 0.13, 12, 20};

Problem filled_state(const Size& size, std::uint64_t seed, int max_steps) {
  Problem p = water_problem(25.0, {7.0, 8.0, 0.5, 0.4}, 0.45, size.filled_angle_step);
  p.filled = true;
  p.seed = seed;
  p.max_steps = std::min(max_steps, size.filled_steps);
  return p;
}

Problem beam_in_water(const Size& size) {
  Problem p = water_problem(size.beam_energy, {9.0, size.beam_depth, 0.45, 0.2}, 0.4, size.beam_angle_step);
  p.max_steps = 400;
  return p;
}

void uniform(Problem& p, double step, double lowest) {
  p.grid.energy_kind = EnergyGridKind::kUniform;
  p.grid.energy_step = step;
  p.grid.energy_min = lowest;
}

/// A problem with random values of all settings.
Problem random_problem(const Size& size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto real = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const auto whole = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  Problem p = water_problem(real(12.0, 30.0), {1.0, 1.0, 1.0, 1.0}, 0.4, 0.1);
  p.grid.nx = whole(1, 37);
  p.grid.nz = whole(2, 23);
  p.grid.ntheta = 2 * whole(0, 9) + 1;
  p.grid.dx = real(0.2, 1.0);
  p.grid.dz = real(0.2, 0.6);
  p.grid.dtheta = real(0.01, 0.06);
  p.grid.theta_centre = p.beam.angle = real(-0.4, 0.4);
  p.step = p.grid.dz * real(0.4, 1.6);
  p.grid.energy_step = real(0.15, 0.5);
  if (whole(0, 1) == 1) uniform(p, real(0.4, 1.0), real(0.5, 1.5));
  const char* names[] = {"bone-compact-icru", "air", "lead", "pmma", "aluminium"};
  for (int i = whole(0, 4); i > 0; --i) p.materials.push_back(material(names[whole(0, 4)], real(0.3, 1.2)));
  p.map.assign(static_cast<std::size_t>(p.grid.nx) * static_cast<std::size_t>(p.grid.nz), 0);
  for (auto& m : p.map) m = static_cast<std::uint8_t>(whole(0, static_cast<int>(p.materials.size()) - 1));
  p.scattering = static_cast<Scattering>(whole(0, 3));
  p.straggling = static_cast<Straggling>(whole(0, 1));
  p.nuclear = static_cast<Nuclear>(whole(0, 1));
  p.remap = static_cast<Remap>(whole(0, 1));
  p.beam.x = real(-0.3, 0.3) * p.grid.nx * p.grid.dx;
  p.beam.x_sigma = whole(0, 1) * real(0.2, 1.5);
  p.beam.energy_sigma = whole(0, 1) * real(0.1, 0.6);
  p.beam.angle_sigma = whole(0, 1) * real(0.005, 0.05);
  p.beam.weight = real(0.1, 100.0);
  p.filled = whole(0, 1) == 1;
  p.seed = seed;
  p.max_steps = std::min(whole(3, 20), size.random_steps);
  return p;
}

std::vector<ParityScenario> make(const Size& size) {
  std::vector<ParityScenario> all;
  const auto filled = [&](std::uint64_t seed, int max_steps = 20) { return filled_state(size, seed, max_steps); };
  const auto beam = [&] { return beam_in_water(size); };
  const auto add = [&](const char* name, Problem p) { all.push_back({name, std::move(p)}); };

  for (const std::uint64_t seed : {1u, 2u}) add("filled water", filled(seed));
  Problem p = filled(3);
  heterogeneous(p);
  add("filled, heterogeneous", p);
  p.remap = Remap::kLinear;
  add("filled, heterogeneous, linear remap", p);
  p = filled(4);
  uniform(p, 0.5, 1.0);
  heterogeneous(p);
  p.nuclear = Nuclear::kAttenuation;
  add("filled, uniform energy grid, nuclear", p);
  p = filled(5, 8);
  p.grid.theta_centre = p.beam.angle = 0.5;
  p.step = 1.9;  // several cells in x and z at once
  heterogeneous(p);
  add("filled, long steps off the axis", p);

  add("beam to its end", beam());
  p = beam();
  heterogeneous(p);
  p.nuclear = Nuclear::kAttenuation;
  add("beam through heterogeneous media, nuclear", p);
  p = beam();
  many_media(p);
  add("beam through a CT of two hundred media", p);
  p = beam();
  p.scattering = Scattering::kHighland;
  heterogeneous(p);
  add("beam, highland", p);
  p = beam();
  p.scattering = Scattering::kFermiRossi;
  uniform(p, 0.25, 1.0);
  add("beam, fermi-rossi, uniform energy grid", p);
  p = beam();
  p.scattering = Scattering::kOff;
  p.straggling = Straggling::kOff;
  add("beam, no scattering, no straggling", p);
  p = beam();
  p.grid.theta_centre = p.beam.angle = 0.5;
  p.beam.x = -2.3;
  p.beam.x_sigma = 0.7;
  p.beam.energy_sigma = 0.2;
  p.beam.angle_sigma = 0.01;
  p.beam.weight = 1e9;
  heterogeneous(p);
  add("wide beam, tilted, off the axis", p);
  p = beam();
  p.beam.x = 3.9;
  p.remap = Remap::kLinear;
  p.grid.energy_step = size.linear_bins;
  p.step = 0.31;
  add("beam at the edge, linear remap, odd steps", p);

  // Uses row lengths that are multiples of four and others. The beam leaves through either end.
  for (const int nx : {20, 19, 18, 17}) {
    for (const double side : {-1.0, 1.0}) {
      p = water_problem(size.beam_energy, {0.45 * nx, size.beam_depth, 0.45, 0.2}, 0.4, size.beam_angle_step);
      p.max_steps = 400;
      p.beam.x = side * (0.5 * 0.45 * nx - 0.2);
      p.beam.x_sigma = 0.6;
      p.beam.angle = p.grid.theta_centre = nx == 18 ? 0.2 * side : 0.0;
      if (nx == 19) heterogeneous(p);
      const std::string where = side < 0.0 ? "low" : "high";
      add(("beam along the " + where + " side, " + std::to_string(nx) + " cells across").c_str(), p);
    }
  }

  p = beam();
  heterogeneous(p);
  follow_reactions(p);
  add("beam through heterogeneous media, reactions followed", p);
  p = beam();
  follow_reactions(p);
  p.beam.x_sigma = 0.7;
  p.grid.dx = 0.3;  // several cells per column of reactions
  add("beam in water, reactions followed", p);

  p = beam();
  p.beam.z = 1.3;  // the entrance is inside the grid
  p.nuclear = Nuclear::kAttenuation;
  add("beam that starts inside the grid", p);
  p = filled(6, 6);
  p.beam.z = 1.3;
  add("filled, beam inside the grid", p);

  p = filled(7, 6);
  p.grid.ntheta = 15;
  p.grid.dtheta = 0.28;  // to 2 rad on either side: some protons go backwards, and leave through every face
  p.grid.theta_centre = p.beam.angle = 0.1;
  all.push_back({"filled, angles that go backwards", p, true});

  p = beam();
  for (const double energy : {size.beam_energy, 0.9 * size.beam_energy, 0.75 * size.beam_energy}) {
    for (const double x : {-2.0, 1.3}) {
      Beam spot = p.beam;
      spot.energy = energy;
      spot.energy_sigma = x > 0.0 ? 0.2 : 0.0;
      spot.x = x;
      spot.x_sigma = 0.8;
      spot.angle = 0.02 * x;
      spot.weight = 2.0 * energy + x;
      p.spots.push_back(spot);
    }
  }
  heterogeneous(p);
  add("spots of three energies at two places", p);
  p.beam.z = 0.9;  // their paths to the first node differ
  p.spots.resize(3);
  add("spots that start inside the grid", p);

  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    all.push_back({"random " + std::to_string(seed), random_problem(size, seed)});
  }
  return all;
}

}  // namespace

const std::vector<ParityScenario>& parity_scenarios() {
  static const std::vector<ParityScenario> all = make(kSmall);
  return all;
}

const std::vector<ParityScenario>& fine_parity_scenarios() {
  static const std::vector<ParityScenario> all = make(kFine);
  return all;
}

}  // namespace bb::test
