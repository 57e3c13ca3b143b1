#include "problems.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace bb::test {
namespace {

struct Constants {
  double density, z_over_a, x0, xs;  // g/cm³, -, g/cm², g/cm²
};

// Those of test/physics/gold.md.
const std::map<std::string, Constants> kMaterials = {
    {"water", {1.000, 0.5551, 36.08, 46.88}},          {"air", {0.00120479, 0.4992, 36.62, 46.76}},
    {"aluminium", {2.699, 0.4818, 24.01, 28.75}},      {"lead", {11.35, 0.3958, 6.37, 6.63}},
    {"copper", {8.96, 0.4564, 12.86, 14.62}},          {"bone-compact-icru", {1.85, 0.5301, 30.49, 38.13}},
    {"muscle-skeletal", {1.05, 0.5500, 36.81, 47.95}}, {"pmma", {1.19, 0.5394, 40.55, 53.76}},
};

// Mass fractions of assets/materials.
const std::map<std::string, std::vector<transport::ElementShare>> kCompositions = {
    {"water", {{"H", 0.111894}, {"O", 0.888106}}},
    {"air", {{"C", 0.000124}, {"N", 0.755267}, {"O", 0.231781}, {"Ar", 0.012827}}},
    {"aluminium", {{"Al", 1.0}}},
    {"lead", {{"Pb", 1.0}}},
    {"bone-compact-icru",
     {{"H", 0.063984},
      {"C", 0.278},
      {"N", 0.027},
      {"O", 0.410016},
      {"Mg", 0.002},
      {"P", 0.07},
      {"S", 0.002},
      {"Ca", 0.147}}},
    {"muscle-skeletal",
     {{"H", 0.102},
      {"C", 0.143},
      {"N", 0.034},
      {"O", 0.71},
      {"Na", 0.001},
      {"P", 0.002},
      {"S", 0.003},
      {"Cl", 0.001},
      {"K", 0.004}}},
    {"pmma", {{"H", 0.080538}, {"C", 0.599848}, {"O", 0.319614}}},
    {"copper", {{"Cu", 1.0}}},
};

std::string asset(const std::string& path) {
  const char* elsewhere = std::getenv("BRAGGBENCH_ASSETS");  // of a build that was carried to another machine
  return std::string(elsewhere != nullptr ? elsewhere : BB_ASSETS) + "/" + path;
}

}  // namespace

transport::Material material(const std::string& name, double density_scale, const std::string& table) {
  const Constants& c = kMaterials.at(name);
  transport::Material m{name, c.density * density_scale, c.z_over_a, c.x0, c.xs, {}, {}, kCompositions.at(name)};
  const std::string path = asset("materials/stopping/" + name + "-" + table + ".csv");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    double energy = 0.0, stopping = 0.0;
    char comma = 0;
    if (fields >> energy >> comma >> stopping) {
      m.energies.push_back(energy);
      m.stopping.push_back(stopping);
    }
  }
  return m;
}

void follow_reactions(transport::Problem& problem) {
  problem.nuclear = transport::Nuclear::kIcru63;
  for (const char* element : {"carbon", "nitrogen", "oxygen", "calcium"}) {
    const std::string path = asset(std::string("nuclear/") + element + ".csv");
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::ostringstream text;
    text << file.rdbuf();
    problem.nuclear_texts.push_back({path, text.str()});
  }
}

const physics::StoppingTable& water() {
  static const auto m = material("water");
  static const physics::StoppingTable table(m.energies, m.stopping);
  return table;
}

transport::Problem water_problem(double energy, const Lengths& l, double theta_max, double dtheta) {
  transport::Problem p;
  p.beam.energy = energy;
  p.grid.nx = static_cast<int>(std::lround(l.width / l.dx));
  p.grid.nz = static_cast<int>(std::lround(l.depth / l.dz));
  p.grid.ntheta = 2 * static_cast<int>(std::lround(theta_max / dtheta)) + 1;
  p.grid.dx = l.dx;
  p.grid.dz = l.dz;
  p.grid.dtheta = dtheta;
  p.grid.energy_step = l.dz;
  p.grid.cutoff = 2.0;
  p.materials = {material("water")};
  p.map.assign(static_cast<std::size_t>(p.grid.nx) * static_cast<std::size_t>(p.grid.nz), 0);
  p.step = l.dz;
  p.precision = transport::Precision::kFp64;
  p.keyframes = 0;
  return p;
}

void paint(transport::Problem& p, int index, double x0, double x1, double z0, double z1) {
  for (int z = 0; z < p.grid.nz; ++z) {
    const double depth = (z + 0.5) * p.grid.dz;
    for (int x = 0; x < p.grid.nx; ++x) {
      const double across = (x + 0.5 - 0.5 * p.grid.nx) * p.grid.dx;
      if (depth > z0 && depth < z1 && across > x0 && across < x1) {
        p.map[static_cast<std::size_t>(z) * static_cast<std::size_t>(p.grid.nx) + static_cast<std::size_t>(x)] =
            static_cast<std::uint8_t>(index);
      }
    }
  }
}

}  // namespace bb::test
