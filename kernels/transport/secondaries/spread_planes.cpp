#include "spread_planes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

void spread_groups(std::span<const double> totals, std::span<const double> widths, std::span<const std::int32_t> first,
                   std::span<double> cells) {
  const std::size_t n = totals.size();
  std::vector<double> width(n, 0.0), density(n), slope(n + 1, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = u(first[k]); i < u(first[k + 1]); ++i) width[k] += widths[i];
  }
  for (std::size_t k = 0; k < n; ++k) density[k] = totals[k] / width[k];
  for (std::size_t k = 1; k < n; ++k) slope[k] = between(density[k - 1], density[k], width[k - 1], width[k]);
  slope.front() = density.front();
  slope.back() = density.back();
  for (std::size_t k = 0; k < n; ++k) {
    const double steepest = 3.0 * density[k];
    const double m0 = std::min(slope[k], steepest) * width[k], m1 = std::min(slope[k + 1], steepest) * width[k];
    const std::size_t end = u(first[k + 1]);
    double last = 0.0, passed = 0.0;
    for (std::size_t i = u(first[k]); i < end; ++i) {
      passed += widths[i] / width[k];
      const double s = i + 1 == end ? 1.0 : passed, s2 = s * s, s3 = s2 * s;
      const double sum = (s3 - 2 * s2 + s) * m0 + (3 * s2 - 2 * s3) * totals[k] + (s3 - s2) * m1;
      cells[i] = sum - last;
      last = sum;
    }
  }
}

std::vector<double> spread_planes(const Tables& t, const std::vector<double>& planes,
                                  std::span<const double> stopping) {
  const ReactionGrid& g = t.reactions;
  const std::size_t nz = u(t.nz), nx = u(t.nx), columns = u(g.columns);
  std::vector<double> totals(u(g.planes)), widths(nz), rows(nz), by_row(nz * columns);
  std::vector<std::int32_t> first_cell;
  for (int column = 0; column <= g.columns; ++column) first_cell.push_back(std::min(t.nx, column * g.cells));
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = u(first_cell[column]), end = u(first_cell[column + 1]);
    for (std::size_t z = 0; z < nz; ++z) {
      widths[z] = 0.0;
      for (std::size_t x = first; x < end; ++x) widths[z] += stopping[t.origin[t.map[z * nx + x]]];
    }
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] = planes[k * columns + column];
    spread_groups(totals, widths, g.first_row, rows);
    for (std::size_t z = 0; z < nz; ++z) by_row[z * columns + column] = rows[z];
  }
  if (columns == nx) return by_row;
  std::vector<double> dose(nz * nx), across(nx);
  for (std::size_t z = 0; z < nz; ++z) {
    for (std::size_t x = 0; x < nx; ++x) across[x] = stopping[t.origin[t.map[z * nx + x]]];
    spread_groups(std::span(by_row).subspan(z * columns, columns), across, first_cell,
                  std::span(dose).subspan(z * nx, nx));
  }
  return dose;
}

}  // namespace bb::transport
