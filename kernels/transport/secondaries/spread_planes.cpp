#include "spread_planes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>

#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

/// Slope between two secants by the formula of Fritsch and Butland; 0 if one secant is not positive.
double between(double before, double after, double width_before, double width_after) {
  if (!(before > 0.0) || !(after > 0.0)) return 0.0;
  const double w1 = 2.0 * width_after + width_before, w2 = width_after + 2.0 * width_before;
  return (w1 + w2) / (w1 / before + w2 / after);
}

}  // namespace

GroupSpread::GroupSpread(std::span<const double> widths, std::span<const std::int32_t> first)
    : first_(first.begin(), first.end()) {
  for (std::size_t k = 0; k + 1 < first_.size(); ++k) {
    const std::size_t begin = u(first_[k]), end = u(first_[k + 1]);
    double width = 0.0, passed = 0.0;
    for (std::size_t i = begin; i < end; ++i) width += widths[i];
    for (std::size_t i = begin; i < end; ++i) {
      passed += widths[i] / width;
      const double s = i + 1 == end ? 1.0 : passed, s2 = s * s, s3 = s2 * s;
      shares_.push_back({s3 - 2 * s2 + s, 3 * s2 - 2 * s3, s3 - s2});
    }
    width_.push_back(width);
    per_width_.push_back(1.0 / width);
  }
  density_.resize(width_.size());
  slope_.resize(width_.size() + 1);
}

void GroupSpread::operator()(std::span<const double> totals, std::span<double> cells) {
  const std::size_t n = totals.size();
  for (std::size_t k = 0; k < n; ++k) density_[k] = totals[k] * per_width_[k];
  for (std::size_t k = 1; k < n; ++k) slope_[k] = between(density_[k - 1], density_[k], width_[k - 1], width_[k]);
  slope_.front() = density_.front();
  slope_.back() = density_.back();
  for (std::size_t k = 0; k < n; ++k) {
    const double steepest = 3.0 * density_[k];
    const double m0 = std::min(slope_[k], steepest) * width_[k], m1 = std::min(slope_[k + 1], steepest) * width_[k];
    double last = 0.0;
    for (std::size_t i = u(first_[k]); i < u(first_[k + 1]); ++i) {
      const auto& [start, all, end] = shares_[i];
      const double sum = start * m0 + all * totals[k] + end * m1;
      cells[i] = sum - last;
      last = sum;
    }
  }
}

void spread_groups(std::span<const double> totals, std::span<const double> widths, std::span<const std::int32_t> first,
                   std::span<double> cells) {
  GroupSpread(widths, first)(totals, cells);
}

std::vector<double> spread_planes(const Tables& t, const std::vector<double>& planes,
                                  std::span<const double> stopping) {
  const ReactionGrid& g = t.reactions;
  const std::size_t nz = u(t.nz), nx = u(t.nx), columns = u(g.columns);
  std::vector<double> totals(u(g.planes)), widths(nz), rows(nz), by_row(nz * columns);
  std::vector<std::int32_t> first_cell;
  // Rows of one material need no sums over their cells.
  std::vector<bool> uniform(nz);
  for (std::size_t z = 0; z < nz; ++z) {
    const std::uint8_t* row = &t.map[z * nx];
    uniform[z] = std::equal(row + 1, row + nx, row);
  }
  const auto stopping_at = [&](std::size_t z, std::size_t x) { return stopping[t.origin[t.map[z * nx + x]]]; };
  for (int column = 0; column <= g.columns; ++column) first_cell.push_back(std::min(t.nx, column * g.cells));
  const bool layered = std::ranges::all_of(uniform, std::identity());
  std::optional<GroupSpread> in_depth;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = u(first_cell[column]), end = u(first_cell[column + 1]);
    if (!layered || !in_depth) {
      for (std::size_t z = 0; z < nz; ++z) {
        widths[z] = uniform[z] ? static_cast<double>(end - first) * stopping_at(z, first) : 0.0;
        for (std::size_t x = first; x < end && !uniform[z]; ++x) widths[z] += stopping_at(z, x);
      }
      in_depth.emplace(widths, g.first_row);
    }
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] = planes[k * columns + column];
    (*in_depth)(totals, rows);
    for (std::size_t z = 0; z < nz; ++z) by_row[z * columns + column] = rows[z];
  }
  if (columns == nx) return by_row;
  std::vector<double> dose(nz * nx), across(nx, 1.0);
  GroupSpread in_uniform(across, first_cell);
  for (std::size_t z = 0; z < nz; ++z) {
    const auto of = std::span<const double>(by_row).subspan(z * columns, columns);
    if (std::ranges::all_of(of, [](double each) { return each == 0.0; })) continue;
    const auto to = std::span(dose).subspan(z * nx, nx);
    if (uniform[z]) {
      in_uniform(of, to);
      continue;
    }
    for (std::size_t x = 0; x < nx; ++x) across[x] = stopping_at(z, x);
    spread_groups(of, across, first_cell, to);
  }
  return dose;
}

}  // namespace bb::transport
