#include "problems.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "held_run.hpp"
#include "physics/stopping.hpp"

namespace bb::test {
namespace {

struct Constants {
  double density, z_over_a, x0, xs;  // g/cm³, -, g/cm², g/cm²
};

// Constants of test/physics/gold.md.
const std::map<std::string, Constants> kMaterials = {
    {"water", {1.000, 0.5551, 36.08, 46.88}},          {"air", {0.00120479, 0.4992, 36.62, 46.76}},
    {"aluminium", {2.699, 0.4818, 24.01, 28.75}},      {"lead", {11.35, 0.3958, 6.37, 6.63}},
    {"copper", {8.96, 0.4564, 12.86, 14.62}},          {"bone-compact-icru", {1.85, 0.5301, 30.49, 38.13}},
    {"muscle-skeletal", {1.05, 0.5500, 36.81, 47.95}}, {"pmma", {1.19, 0.5394, 40.55, 53.76}},
};

// Mass fractions from assets/materials.
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
  const char* elsewhere = std::getenv("BRAGGBENCH_ASSETS");  // set if the build was moved to another machine
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
    problem.nuclear_texts.push_back({path, std::make_shared<const std::string>(text.str())});
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

void fill_region(transport::Problem& p, int index, double x0, double x1, double z0, double z1) {
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

namespace {

using namespace transport;

constexpr double kTrackEnd = 0.9;  // protons stop beyond this share of the longest path
// Share of protons at the last plane, or in flight, above which the beam counts as leaving the grid. For a tilted beam,
// also the share lost at the sides or at the ends of the angles.
constexpr double kMaxShareLeft = 0.01;
constexpr double kMinCosine = 0.5;        // lower limit for the cosine of the axis
constexpr double kCsdaTolerance = 1e-3;   // tolerance of the gates on the CSDA range
constexpr double kRounding = 1e-6;        // part of a step: planes are at the beginnings of steps
constexpr double kReportedSpread = 0.03;  // share of the spread of range that the run reports for its bins and steps
constexpr int kSigmaReach = 5,
              kSigmaParts = 20;  // energy spread: standard deviations that count, and parts of each

struct Matter {
  double density;
  physics::StoppingTable table;
};

/// Longest path of protons of one energy. `rows` lists the materials in each row of cells.
double longest_path_at(double energy, const Problem& p, const std::vector<Matter>& matter,
                       const std::vector<std::set<int>>& rows) {
  const double cosine = std::cos(p.beam.angle);
  double way = 0.0;
  for (auto z = static_cast<std::size_t>(p.beam.z / p.grid.dz); z < rows.size(); ++z) {
    const double from = std::max(p.beam.z, static_cast<double>(z) * p.grid.dz);
    const double path = (static_cast<double>(z + 1) * p.grid.dz - from) / cosine;
    // Residual range in the row's lightest material, mm, and energy behind the row, MeV.
    double left = 0.0, after = 0.0;
    for (const int m : rows[z]) {
      const auto& [density, table] = matter[static_cast<std::size_t>(m)];
      const double range = table.range(energy);
      left = std::max(left, 10.0 * range / density);
      after = std::max(after, table.energy_at(range - path * density / 10.0));
    }
    if (left <= path) return way + left;
    way += path;
    energy = after;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> mean_range(const Problem& p, const Tables& t, const engine::RunResult& r, double longest) {
  const double cosine = std::cos(p.beam.angle);
  if (r.cancelled || r.failure || r.number.empty()) return {};
  const double stopped = r.number.back().stopped;
  if (p.filled || cosine < kMinCosine || !std::isfinite(longest) || !(stopped > 0.0)) return {};
  if (r.number.back().in_flight > kMaxShareLeft * stopped) return {};
  const double aside = r.number.back().escaped_x() + r.number.back().escaped_theta();
  if (p.beam.angle != 0.0 && aside > kMaxShareLeft * stopped) return {};
  const auto crossed = [&](int z) { return r.crossing[static_cast<std::size_t>(z) * engine::Crossing::kCount]; };
  const int from = static_cast<int>(std::ceil((p.beam.z + kTrackEnd * longest * cosine) / t.dz - 0.5));
  if (from >= t.nz || crossed(t.nz - 1) > kMaxShareLeft * stopped) return {};
  // Subtracts protons that cross a plane but are lost further on. The plane counts protons before its step removes any,
  // so losses of that step and of all later steps are included.
  const auto lost = [&](double step) {
    const double row_before = std::floor(step + kRounding) - 1.0;
    const auto row = static_cast<std::size_t>(std::clamp(row_before, 0.0, static_cast<double>(r.number.size() - 1)));
    return r.number[row].escaped_all() + r.number[row].nuclear + r.number[row].skipped;
  };
  const double rows_per_step = p.stepping == Stepping::kDepth ? 1.0 : p.step * cosine / t.dz;
  const double all_lost = lost(static_cast<double>(r.number.size()) + 1.0);
  double depth = from * t.dz - p.beam.z;
  for (int z = from; z < t.nz; ++z) {
    const double stops = crossed(z) - (all_lost - lost((z - t.start.z) / rows_per_step));
    depth += std::clamp(stops / stopped, 0.0, 1.0) * t.dz;
  }
  return depth / cosine - t.end_excess_mm;
}

double longest_path(const Problem& p) {
  std::vector<Matter> matter;
  for (const Material& m : p.materials) {
    matter.push_back({m.density, physics::StoppingTable(m.energies, m.stopping)});
  }
  std::vector<std::set<int>> rows(static_cast<std::size_t>(p.grid.nz));
  const std::set<int> all(p.map.begin(), p.map.end());
  for (std::size_t z = 0; z < rows.size(); ++z) {
    const auto begin = p.map.begin() + static_cast<std::ptrdiff_t>(z) * p.grid.nx;
    rows[z] = p.beam.angle == 0.0 ? std::set<int>(begin, begin + p.grid.nx) : all;
  }
  double longest = 0.0;
  for (const Beam& spot : spots_of(p)) {
    if (spot.energy_sigma == 0.0) {
      longest = std::max(longest, longest_path_at(spot.energy, p, matter, rows));
      continue;
    }
    double sum = 0.0, weights = 0.0;
    for (int i = -kSigmaReach * kSigmaParts; i <= kSigmaReach * kSigmaParts; ++i) {
      const double sigmas = static_cast<double>(i) / kSigmaParts, energy = spot.energy + sigmas * spot.energy_sigma;
      if (energy <= p.grid.cutoff) continue;
      const double weight = std::exp(-0.5 * sigmas * sigmas);
      sum += weight * longest_path_at(energy, p, matter, rows);
      weights += weight;
    }
    longest = std::max(longest, sum / weights);
  }
  return longest;
}

std::string longest_path_error(const Problem& p, const Tables& t, const engine::RunResult& r) {
  if (p.filled) return {};
  const double longest = longest_path(p);
  const std::optional<double> mean = mean_range(p, t, r, longest);
  const double most = (p.scattering == Scattering::kOff ? (1.0 + kCsdaTolerance) * longest : longest) +
                      kReportedSpread * t.extra_straggling_mm;
  if (!mean || *mean < most) return {};
  return "a beam of " + show(p.beam.energy) + " MeV under " + show(p.beam.angle) + " rad has a mean range of " +
         show(*mean) + " mm; its protons come no further than " + show(most) + " mm";
}

void check_longest_path(const Problem& p, const Tables& t, const engine::RunResult& r) {
  const std::string beyond = longest_path_error(p, t, r);
  if (!beyond.empty()) fail(__FILE__, __LINE__, beyond);
}

}  // namespace bb::test
