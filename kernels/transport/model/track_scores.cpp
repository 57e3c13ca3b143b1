#include "track_scores.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "index.hpp"
#include "tables.hpp"

namespace bb::transport {
namespace {

using Moments = physics::TrackMoments;

/// Contribution to each moment per energy loss on the entry paths, averaged over the spots with their losses as
/// weights.
std::array<double, Moments::kCount> entry_per_energy(const Problem& p, std::span<const Medium> media,
                                                     std::span<const Entry> entries) {
  std::array<double, Moments::kCount> sum{};
  double lost = 0.0;
  const std::span<const Beam> spots = spots_of(p);
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const Medium& medium = *entries[i].medium;
    const double loss = spots[i].weight * (spots[i].energy - entries[i].energy);
    if (!(loss > 0.0)) continue;
    lost += loss;
    const Moments moments(media[0].table, medium.table, medium.material.density);
    for (int k = 0; k < Moments::kCount; ++k) {
      sum[u(k)] += loss * moments.per_energy(k, 0.5 * (spots[i].energy + entries[i].energy));
    }
  }
  for (double& each : sum) each = lost > 0.0 ? each / lost : 0.0;
  return sum;
}

}  // namespace

std::vector<int> spectrum_rows(const Problem& p) {
  std::vector<int> rows;
  // Steps longer than cells skip rows, and the spectra of skipped rows would be empty.
  if (!p.spectra.empty() && p.stepping == Stepping::kPath && p.step > 1.001 * p.grid.dz) {
    throw ProblemError("invalid", "output.spectra_mm: the steps of " + std::to_string(p.step) +
                                      " mm are longer than cells in depth; solver.step_mm must be at most "
                                      "grid.dz_mm = " +
                                      std::to_string(p.grid.dz));
  }
  for (const double depth : p.spectra) {
    const int row = static_cast<int>(std::floor(depth / p.grid.dz));
    if (!(depth >= 0.0) || row >= p.grid.nz) {
      throw ProblemError("invalid", "output.spectra_mm: " + std::to_string(depth) + " mm; allowed: 0 to below " +
                                        std::to_string(p.grid.nz * p.grid.dz));
    }
    rows.push_back(row);
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

std::size_t TrackScores::spectrum(int z, int e) const {
  const auto found = std::ranges::find(rows, z);
  return found == rows.end() ? size() : kMoments * plane + u(static_cast<int>(found - rows.begin())) * ne + u(e);
}

void TrackScores::add(double* scored, int e, int a, int m, int z, int x, std::size_t nx, double number) const {
  const double protons = number * way[u(a)];
  const std::size_t cell = u(z) * nx + u(x), row = u(m) * ne + u(e), bin = spectrum(z, e);
  for (std::size_t k = 0; k < kMoments; ++k) scored[k * plane + cell] += protons * moment[k][row];
  if (bin < size()) scored[bin] += protons * moment[0][row];
}

TrackScores track_axes(const Problem& p, const Medium& water, const EnergyGrid& grid, const Tables& t) {
  TrackScores s;
  if (!p.track_scores) return s;
  s.plane = t.plane();
  s.ne = u(t.ne);
  s.rows = spectrum_rows(p);
  for (const double energy : grid.energies()) {
    s.at.push_back(energy > 0.0 ? water.table.energy_at(water.table.range(energy) - 0.05 * t.path_step) : 0.0);
  }
  s.way.assign(u(t.ntheta), 1.0);
  for (std::vector<double>& each : s.entry) each.assign(u(t.nx), 0.0);
  return s;
}

TrackScores track_scores(const Problem& p, std::span<const Medium> media, const EnergyGrid& grid,
                         std::span<const Entry> entries, const Tables& t, int along) {
  TrackScores s = track_axes(p, media[0], grid, t);
  if (!s.on()) return s;
  const physics::StoppingTable& water = media[0].table;
  const double beam_angle = t.theta[u(along)];
  for (std::size_t a = 0; t.classes > 1 && a < s.way.size(); ++a)
    s.way[a] = std::cos(beam_angle) / std::cos(t.theta[a]);
  const int row_class = t.classes == 1 ? 0 : along;
  for (int k = 0; k < Moments::kCount; ++k) {
    std::vector<double>& out = s.moment[u(k)];
    out.resize(u(t.materials) * u(t.ne));
    for (int m = 0; m < t.materials; ++m) {
      const Medium& medium = media[u(m)];
      const Moments moments(water, medium.table, medium.material.density);
      // The quantity of a proton in each bin before the step. A step scores its difference before and after.
      const std::vector<double> held = grid.held([&](double energy) { return moments.at(k, energy); });
      for (int e = 0; e < t.ne; ++e) {
        const std::size_t row = t.row(row_class, m, e);
        out[u(m) * u(t.ne) + u(e)] += held[u(e)] - t.nuclear[row] * moments.at(k, s.at[u(e)]);
        for (int i = t.gather_begin[row]; i < t.gather_begin[row + 1]; ++i) {
          out[u(m) * u(t.ne) + u(t.gather_source[u(i)])] -= t.gather_weight[u(i)] * held[u(e)];
        }
      }
    }
  }
  const auto entry = entry_per_energy(p, media, entries);
  for (int k = 0; k < Moments::kCount; ++k) {
    for (std::size_t x = 0; x < t.start.entry_dose.size(); ++x) s.entry[u(k)][x] = t.start.entry_dose[x] * entry[u(k)];
  }
  return s;
}

}  // namespace bb::transport
