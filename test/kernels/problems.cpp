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
    {"water", {1.000, 0.5551, 36.08, 46.88}},
    {"air", {0.00120479, 0.4992, 36.62, 46.76}},
    {"aluminium", {2.699, 0.4818, 24.01, 28.75}},
    {"lead", {11.35, 0.3958, 6.37, 6.63}},
    {"bone-compact-icru", {1.85, 0.5301, 30.49, 38.13}},
    {"muscle-skeletal", {1.05, 0.5500, 36.81, 47.95}},
    {"pmma", {1.19, 0.5394, 40.55, 53.76}},
};

}  // namespace

transport::Material material(const std::string& name, double density_scale, const std::string& table) {
  const Constants& c = kMaterials.at(name);
  transport::Material m{name, c.density * density_scale, c.z_over_a, c.x0, c.xs, {}, {}};
  const char* elsewhere = std::getenv("BRAGGBENCH_ASSETS");  // of a build that was carried to another machine
  const std::string path =
      std::string(elsewhere != nullptr ? elsewhere : BB_ASSETS) + "/materials/stopping/" + name + "-" + table + ".csv";
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
