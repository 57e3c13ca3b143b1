#include "mean_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "check.hpp"
#include "held_run.hpp"
#include "physics/stopping.hpp"

namespace bb::test {
namespace {

using namespace transport;

constexpr double kTrackEnd = 0.9;        // protons stop behind this share of the longest way
constexpr double kMostLeft = 0.01;       // more than this share at the last plane, or in flight, and the beam leaves;
                                         // of a tilted beam, also through the sides or an end of the angles
constexpr double kLeastCosine = 0.5;     // of the axis
constexpr double kCsdaTolerance = 1e-3;  // of the gates on the CSDA range
constexpr double kRounding = 1e-6;       // of a step: planes lie on the beginnings of steps
constexpr double kSaidSpread = 0.03;     // of the spread of range that the run says its bins and steps add
constexpr int kSigmaReach = 5,
              kSigmaParts = 20;  // of an energy spread: to how many standard deviations, cut in how many each

struct Matter {
  double density;
  physics::StoppingTable table;
};

/// The same for protons of one energy. `rows` lists the matter of each row of cells.
double way_at(double energy, const Problem& p, const std::vector<Matter>& matter,
              const std::vector<std::set<int>>& rows) {
  const double cosine = std::cos(p.beam.angle);
  double way = 0.0;
  for (auto z = static_cast<std::size_t>(p.beam.z / p.grid.dz); z < rows.size(); ++z) {
    const double from = std::max(p.beam.z, static_cast<double>(z) * p.grid.dz);
    const double path = (static_cast<double>(z + 1) * p.grid.dz - from) / cosine;
    double left = 0.0, after = 0.0;  // mm of range in the row's lightest matter, MeV behind the row
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
  if (p.filled || cosine < kLeastCosine || !std::isfinite(longest) || !(stopped > 0.0)) return {};
  if (r.number.back().in_flight > kMostLeft * stopped) return {};
  const double aside = r.number.back().escaped_x() + r.number.back().escaped_theta();
  if (p.beam.angle != 0.0 && aside > kMostLeft * stopped) return {};
  const auto crossed = [&](int z) { return r.crossing[static_cast<std::size_t>(z) * engine::Crossing::kCount]; };
  const int from = static_cast<int>(std::ceil((p.beam.z + kTrackEnd * longest * cosine) / t.dz - 0.5));
  if (from >= t.nz || crossed(t.nz - 1) > kMostLeft * stopped) return {};
  // Some that cross a plane are lost behind it: as many as in the step that begins there, which counts it before it
  // loses any, and in those behind that.
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

double longest_way(const Problem& p) {
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
      longest = std::max(longest, way_at(spot.energy, p, matter, rows));
      continue;
    }
    double sum = 0.0, weights = 0.0;
    for (int i = -kSigmaReach * kSigmaParts; i <= kSigmaReach * kSigmaParts; ++i) {
      const double sigmas = static_cast<double>(i) / kSigmaParts, energy = spot.energy + sigmas * spot.energy_sigma;
      if (energy <= p.grid.cutoff) continue;
      const double weight = std::exp(-0.5 * sigmas * sigmas);
      sum += weight * way_at(energy, p, matter, rows);
      weights += weight;
    }
    longest = std::max(longest, sum / weights);
  }
  return longest;
}

std::string beyond_longest_way(const Problem& p, const Tables& t, const engine::RunResult& r) {
  if (p.filled) return {};
  const double longest = longest_way(p);
  const std::optional<double> mean = mean_range(p, t, r, longest);
  const double most = (p.scattering == Scattering::kOff ? (1.0 + kCsdaTolerance) * longest : longest) +
                      kSaidSpread * t.extra_straggling_mm;
  if (!mean || *mean < most) return {};
  return "a beam of " + show(p.beam.energy) + " MeV under " + show(p.beam.angle) + " rad has a mean range of " +
         show(*mean) + " mm; its protons come no further than " + show(most) + " mm";
}

void hold_to_longest_way(const Problem& p, const Tables& t, const engine::RunResult& r) {
  const std::string beyond = beyond_longest_way(p, t, r);
  if (!beyond.empty()) fail(__FILE__, __LINE__, beyond);
}

}  // namespace bb::test
