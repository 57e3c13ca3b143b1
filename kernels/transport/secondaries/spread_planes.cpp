#include "spread_planes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

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

namespace {

/// Dose by row and column of the reaction grid, MeV.
struct ByRow {
  std::vector<double> values;            // [z][column]
  std::vector<bool> uniform;             // [z] whether the row has one material
  std::vector<std::int32_t> first_cell;  // [columns + 1]
};

/// Distributes the dose of planes over their rows.
ByRow spread_in_depth(const Tables& t, const std::vector<double>& planes, std::span<const double> stopping) {
  const ReactionGrid& g = t.reactions;
  const std::size_t nz = u(t.nz), nx = u(t.nx), columns = u(g.columns);
  std::vector<double> totals(u(g.planes)), widths(nz), rows(nz);
  ByRow out{std::vector<double>(nz * columns), std::vector<bool>(nz), {}};
  // Rows of one material need no sums over their cells.
  for (std::size_t z = 0; z < nz; ++z) {
    const std::uint8_t* row = &t.map[z * nx];
    out.uniform[z] = std::equal(row + 1, row + nx, row);
  }
  const auto stopping_at = [&](std::size_t z, std::size_t x) { return stopping[t.origin[t.map[z * nx + x]]]; };
  for (int column = 0; column <= g.columns; ++column) out.first_cell.push_back(std::min(t.nx, column * g.cells));
  const bool layered = std::ranges::all_of(out.uniform, std::identity());
  std::optional<GroupSpread> in_depth;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = u(out.first_cell[column]), end = u(out.first_cell[column + 1]);
    if (!layered || !in_depth) {
      for (std::size_t z = 0; z < nz; ++z) {
        widths[z] = out.uniform[z] ? static_cast<double>(end - first) * stopping_at(z, first) : 0.0;
        for (std::size_t x = first; x < end && !out.uniform[z]; ++x) widths[z] += stopping_at(z, x);
      }
      in_depth.emplace(widths, g.first_row);
    }
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] = planes[k * columns + column];
    (*in_depth)(totals, rows);
    for (std::size_t z = 0; z < nz; ++z) out.values[z * columns + column] = rows[z];
  }
  return out;
}

/// Dose of layers by row and column.
class ColumnRows final : public DoseRows {
 public:
  ColumnRows(ByRow by_row, std::size_t rows, std::size_t cells) : by_row_(std::move(by_row)), cells_(cells) {
    for (std::size_t z = 0; z < rows; ++z) sums_.push_back(std::reduce(of(z).begin(), of(z).end()));
  }

  std::span<const double> sums() const override { return sums_; }

  void add(int z, std::span<double> cells) const override {
    const std::span<const double> from = of(u(z));
    std::vector<double> row(from.begin(), from.end());
    if (from.size() < cells_) {
      row.resize(cells_);
      GroupSpread(std::vector<double>(cells_, 1.0), by_row_.first_cell)(from, row);
    }
    for (std::size_t x = 0; x < cells_; ++x) cells[x] += row[x];
  }

 private:
  std::span<const double> of(std::size_t z) const {
    const std::size_t columns = by_row_.first_cell.size() - 1;
    return std::span(by_row_.values).subspan(z * columns, columns);
  }

  ByRow by_row_;
  std::size_t cells_;
  std::vector<double> sums_;
};

}  // namespace

std::shared_ptr<const DoseRows> rows_of_planes(const Tables& t, const std::vector<double>& planes,
                                               std::span<const double> stopping) {
  return std::make_shared<const ColumnRows>(spread_in_depth(t, planes, stopping), u(t.nz), u(t.nx));
}

std::vector<double> spread_planes(const Tables& t, const std::vector<double>& planes,
                                  std::span<const double> stopping) {
  const std::size_t nz = u(t.nz), nx = u(t.nx), columns = u(t.reactions.columns);
  ByRow by_row = spread_in_depth(t, planes, stopping);
  if (columns == nx) return std::move(by_row.values);
  std::vector<double> dose(nz * nx), across(nx, 1.0);
  GroupSpread in_uniform(across, by_row.first_cell);
  for (std::size_t z = 0; z < nz; ++z) {
    const auto of = std::span<const double>(by_row.values).subspan(z * columns, columns);
    if (std::ranges::all_of(of, [](double each) { return each == 0.0; })) continue;
    const auto to = std::span(dose).subspan(z * nx, nx);
    if (by_row.uniform[z]) {
      in_uniform(of, to);
      continue;
    }
    for (std::size_t x = 0; x < nx; ++x) across[x] = stopping[t.origin[t.map[z * nx + x]]];
    spread_groups(of, across, by_row.first_cell, to);
  }
  return dose;
}

}  // namespace bb::transport
