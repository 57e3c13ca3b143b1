#include "step_spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include "solver.hpp"

namespace bb::engine {
namespace {

constexpr double kWhole = 1e-9;  // cells: a step that crosses a border by less than this ends on the border

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Adds the positions at which a step of `cells` enters another cell, in units of the step and relative to its middle.
void add_borders(double cells, std::vector<double>& borders) {
  const double reach = 0.5 * std::abs(cells) - kWhole;
  for (int k = 0; k + 0.5 < reach; ++k) {
    borders.push_back((k + 0.5) / std::abs(cells));
    borders.push_back(-(k + 0.5) / std::abs(cells));
  }
}

}  // namespace

StepSpread::StepSpread(const transport::Problem& p, const transport::Tables& tables) : tables_(tables) {
  if (p.filled || p.stepping == transport::Stepping::kDepth) return;
  const double along = p.step * std::cos(p.beam.angle) / tables.dz;
  const double aside = p.step * std::sin(p.beam.angle) / tables.dx;
  std::vector<double> borders{-0.5, 0.5};
  add_borders(along, borders);
  add_borders(aside, borders);
  if (borders.size() == 2) return;
  std::ranges::sort(borders);
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const double share = borders[i + 1] - borders[i];
    if (share < kWhole) continue;
    const double middle = 0.5 * (borders[i] + borders[i + 1]);
    parts_.push_back({static_cast<int>(std::lround(middle * along)), static_cast<int>(std::lround(middle * aside)),
                      share, middle * aside * tables.dx});
  }
}

void StepSpread::dose(std::vector<double>& dose) const {
  if (parts_.empty()) return;
  const int nx = tables_.nx;
  // The dose of the entry path belongs to no step, so it stays where it is.
  const std::span entry(tables_.start.entry_dose);
  const std::size_t first = at(tables_.start.entry_z) * at(nx);
  for (std::size_t x = 0; x < entry.size(); ++x) dose[first + x] -= entry[x];
  field(dose);
  for (std::size_t x = 0; x < entry.size(); ++x) dose[first + x] += entry[x];
}

void StepSpread::field(std::span<double> field) const {
  if (parts_.empty()) return;
  const int nz = tables_.nz, nx = tables_.nx;
  std::vector<double> spread(field.size(), 0.0);
  for (const Part& part : parts_) {
    for (int z = 0; z < nz; ++z) {
      const std::size_t to = at(std::clamp(z + part.z, 0, nz - 1)) * at(nx);
      for (int x = 0; x < nx; ++x) {
        spread[to + at(std::clamp(x + part.x, 0, nx - 1))] += part.share * field[at(z) * at(nx) + at(x)];
      }
    }
  }
  std::ranges::copy(spread, field.begin());
}

void StepSpread::crossing(std::vector<double>& crossing) const {
  if (parts_.empty()) return;
  using C = Crossing;
  std::vector<double> spread(crossing.size(), 0.0);
  for (const Part& part : parts_) {
    for (int z = 0; z < tables_.nz; ++z) {
      const int to = z + part.z;
      if (to < 0 || to >= tables_.nz) continue;  // the crossing is outside the grid
      const double* from = &crossing[at(z) * C::kCount];
      const double moved = part.aside;
      const std::array<double, C::kCount> carried = {from[C::kN],
                                                     from[C::kX] + moved * from[C::kN],
                                                     from[C::kXX] + moved * (2.0 * from[C::kX] + moved * from[C::kN]),
                                                     from[C::kTheta],
                                                     from[C::kThetaTheta],
                                                     from[C::kXTheta] + moved * from[C::kTheta]};
      for (std::size_t i = 0; i < carried.size(); ++i) spread[at(to) * C::kCount + i] += part.share * carried[i];
    }
  }
  crossing = std::move(spread);
}

void centre_angles(const transport::Problem& p, const transport::Tables& t, std::vector<double>& crossing) {
  constexpr double kMinShare = 1e-6;  // share of the beam, below which the ratio of sums is rounding error
  const double lag = p.stepping == transport::Stepping::kDepth ? 1.0 : p.step * std::cos(p.beam.angle) / t.dz;
  const auto mean_square = [&](int z) -> std::optional<double> {
    if (z < 0 || z >= t.nz) return std::nullopt;
    const double* c = &crossing[static_cast<std::size_t>(z) * Crossing::kCount];
    if (c[Crossing::kN] <= kMinShare * t.start.number_in) return std::nullopt;
    return c[Crossing::kThetaTheta] / c[Crossing::kN];
  };
  // In ascending z, a plane reads only itself and planes that this loop has not changed yet.
  for (int z = 0; z < t.nz; ++z) {
    const int whole = static_cast<int>(std::floor(lag));
    const auto here = mean_square(z);
    const auto near = mean_square(z + whole);
    const auto far = mean_square(z + whole + 1);
    if (!here || !near) continue;
    const double ahead = *near + (lag - whole) * (far ? *far - *near : 0.0);
    double* c = &crossing[static_cast<std::size_t>(z) * Crossing::kCount];
    c[Crossing::kThetaTheta] = 0.5 * (*here + ahead) * c[Crossing::kN];
  }
}

}  // namespace bb::engine
