#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "energy_grid.hpp"
#include "index.hpp"
#include "medium.hpp"
#include "physics/moment_kernel.hpp"
#include "row_drift.hpp"
#include "step_operators.hpp"

namespace bb::transport {
namespace {

// Variance, in cells², that thin rows of a tilted beam gain along and across it before they are wide enough for the
// remap. Mean over falloffs of 70 and 120 MeV at 20 and 37 degrees, in cells one to eight times as wide as deep; the
// values scatter by 0.15. test/physics/row-gain.ts repeats the measurement.
constexpr double kRowGain = 0.62;
constexpr double kDepthAngleLimit = std::numbers::pi / 3.0;
constexpr int kGuardBins = 2;
constexpr std::size_t kMaxMaterials = 255;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void check(const Problem& p) {
  const auto refuse = [](const std::string& what) { throw ProblemError("invalid", what); };
  if (p.grid.nx < 1 || p.grid.nz < 1 || p.grid.ntheta < 1) refuse("grid: every axis needs at least one cell");
  if (p.materials.empty()) refuse("materials: the list is empty; its first entry must be water");
  if (p.materials.size() > kMaxMaterials)
    refuse("materials: " + std::to_string(p.materials.size()) + "; allowed: at most " + std::to_string(kMaxMaterials));
  const std::size_t cells = static_cast<std::size_t>(p.grid.nz) * static_cast<std::size_t>(p.grid.nx);
  if (p.map.size() != cells) {
    refuse("map: " + std::to_string(p.map.size()) + " cells, but the grid has " + std::to_string(cells));
  }
  for (const std::uint8_t m : p.map) {
    if (m >= p.materials.size())
      refuse("map: material index " + std::to_string(m) + " is not in the list of " +
             std::to_string(p.materials.size()) + " materials");
  }
  if (!(p.beam.energy > p.grid.cutoff)) {
    refuse("beam.energy_MeV = " + std::to_string(p.beam.energy) +
           ": must be above grid.cutoff_MeV = " + std::to_string(p.grid.cutoff));
  }
  for (const Beam& spot : p.spots) {
    if (!(spot.energy > p.grid.cutoff && spot.energy <= p.beam.energy)) {
      refuse("beam.spots: " + std::to_string(spot.energy) + " MeV; allowed: above the cutoff, up to the beam's " +
             std::to_string(p.beam.energy) + " MeV");
    }
    if (!(spot.weight >= 0.0))
      refuse("beam.spots: a weight of " + std::to_string(spot.weight) + "; allowed: 0 or more");
  }
  for (const Beam& spot : spots_of(p)) {
    const double least = std::abs(spot.focus) * spot.angle_sigma;
    if (spot.x_sigma < least * (1.0 - 1e-9)) {
      refuse("beam.focus_mm = " + std::to_string(spot.focus) + ": with this angular spread the beam is " +
             std::to_string(least) + " mm wide at the entrance; beam.x_sigma_mm = " + std::to_string(spot.x_sigma) +
             " must be at least that");
    }
  }
  if (std::ranges::none_of(spots_of(p), [](const Beam& spot) { return spot.weight > 0.0; })) {
    refuse("beam: all spots have zero weight; allowed: at least one above 0");
  }
  spectrum_rows(p);
  if (!(p.step > 0.0)) refuse("solver.step_mm = " + std::to_string(p.step) + ": must be positive");
  const double widest = std::abs(p.grid.theta_centre) + 0.5 * p.grid.dtheta * (p.grid.ntheta - 1);
  if (p.stepping == Stepping::kDepth && widest > kDepthAngleLimit) {
    throw ProblemError("unsupported", "solver.stepping = depth: the angle grid reaches " +
                                          std::to_string(widest * 180.0 / std::numbers::pi) +
                                          " degrees, but depth stepping allows 60; use solver.stepping = path");
  }
}

/// Whether shifts in z at angle `theta` use a first-order remap. A beam along z whose steps are whole cells stays
/// narrower than the high-order remap resolves. The clamp then suppresses a sixth of the detour, and R80 is up to 0.07
/// mm too deep (300 MeV). A first-order remap preserves the mean exactly, so it is used for angles that lag by less
/// than kSmallLag of a cell per step. Over the whole range, it adds the detour times the cell to the variance: at most
/// 1 % of W80-20, the limit for any grid. The wider rows need a third more cells, so they are used only if the range
/// would change by more than kMinRangeShift.
bool needs_first_order_remap(const Problem& p, double detour_mm, double theta) {
  constexpr double kSmallLag = 0.05, kRounding = 1e-9, kShare = 1.0 / 6.0, kMinRangeShift = 0.015;  // mm
  const double cells = p.step / p.grid.dz;
  const bool ahead = std::abs(std::sin(p.beam.angle)) < kRounding && std::abs(cells - std::round(cells)) < kRounding;
  return ahead && kShare * detour_mm > kMinRangeShift && cells * (1.0 - std::cos(theta)) < kSmallLag;
}

void build_streaming(const Problem& p, double detour_mm, Tables& t) {
  const bool depth = p.stepping == Stepping::kDepth;
  const bool high = p.remap == Remap::kHighOrder;
  for (const double theta : t.theta) {
    const double sx = depth ? p.grid.dz * std::tan(theta) : p.step * std::sin(theta);
    const double sz = depth ? p.grid.dz : p.step * std::cos(theta);
    const bool high_z = high && !needs_first_order_remap(p, detour_mm, theta);
    for (const auto& [length, cell, order, shifts, fluxes] :
         {std::tuple{sx, p.grid.dx, high, &t.shift_x, &t.flux_x},
          std::tuple{sz, p.grid.dz, high_z, &t.shift_z, &t.flux_z}}) {
      const physics::RemapShift shift = physics::split_shift(length / cell);
      std::array<double, physics::kRemapTaps> c{};
      physics::remap_weights(shift.fraction, order, c.data());
      shifts->push_back(shift);
      fluxes->push_back(c);
    }
    t.plane_weight.push_back(depth ? 1.0 : sz / p.grid.dz);
  }
}

/// A proton on a straight path along the beam axis, without straggling.
struct AxisProton {
  int steps = 0;  // number of steps until the proton stops or leaves the grid
  /// Variance of the range, mm² of water, that bins add if they cannot represent the mean and the variance of a step with
  /// weights >= 0.
  double added_variance = 0;
  double detour = 0;  // mean excess of the path over the depth, mm, over the angles of scattering
};

// Medians of nine equally likely intervals of a normal distribution.
constexpr std::array<double, 9> kNormalParts = {-1.5932, -0.9674, -0.5895, -0.2822, 0.0,
                                                0.2822,  0.5895,  0.9674,  1.5932};

AxisProton follow_axis(const Problem& p, const Beam& beam, const std::vector<Medium>& media, const EnergyGrid& grid,
                       double start_energy, const Tables& t, const InParallel& in_parallel) {
  const bool depth = p.stepping == Stepping::kDepth;
  const double path = depth ? p.grid.dz / std::cos(beam.angle) : p.step;
  struct Step {
    const Medium* medium;
    double centre;  // MeV
    double sigma;   // standard deviation of the angle, rad
  };
  std::vector<Step> steps;
  double detour = 0.0, theta_squared = beam.angle_sigma * beam.angle_sigma;
  double energy = start_energy;
  int step = 0;
  for (; energy > p.grid.cutoff; ++step) {
    const double way = step * path;
    const std::optional<std::size_t> cell = cell_on_axis(p, beam, t, way);
    if (!cell) break;
    const Medium& medium = media[p.map[*cell]];
    // Steps start at the centre of a bin, so its energy is used instead of the energy on the axis.
    const int bin = std::clamp(static_cast<int>(std::lround(grid.index_of(energy))), 0, grid.size() - 1);
    const double centre = grid.energies()[at(bin)];
    if (medium.energy_after(centre, path) <= p.grid.cutoff) break;
    const double range = medium.table.range(energy);
    steps.push_back({&medium, centre, std::sqrt(theta_squared)});
    const double middle = medium.table.energy_at(range - medium.thickness(0.5 * path));
    const double power = scattering_power(p, medium.material, media[0].table, std::max(middle, p.grid.cutoff));
    theta_squared += power * path * 0.1 * medium.material.density;
    detour += 0.5 * theta_squared * path;
    energy = medium.table.energy_at(range - medium.thickness(path));
  }

  const auto excess = [&](const Medium& medium, double range, double length) {
    const double after = medium.table.energy_at(range - medium.thickness(length));
    if (after <= p.grid.cutoff) return 0.0;
    const double middle = medium.table.energy_at(range - medium.thickness(0.5 * length));
    return grid.excess_variance(after, straggling_variance(p, medium, middle, after, length));
  };
  std::vector<double> added(steps.size());
  const auto add = [&](int i) {
    const Step& s = steps[at(i)];
    const double range = s.medium->table.range(s.centre);
    if (!depth) {
      added[at(i)] = excess(*s.medium, range, path);
      return;
    }
    // With depth stepping, paths are longer at larger angles, so not all of them are whole numbers of bins.
    constexpr std::size_t kParts = kNormalParts.size();
    std::array<double, kParts> lengths{}, variances{};
    for (std::size_t k = 0; k < kParts; ++k) {
      const double theta = std::clamp(beam.angle + kNormalParts[k] * s.sigma, t.theta.front(), t.theta.back());
      lengths[k] = p.grid.dz / std::cos(theta);
      // If the beam is along z, the paths at opposite angles are equal.
      const std::size_t mirrored = kParts - 1 - k;
      const bool known = mirrored < k && lengths[mirrored] == lengths[k];
      variances[k] = known ? variances[mirrored] : excess(*s.medium, range, lengths[k]);
      added[at(i)] += variances[k] / static_cast<double>(kParts);
    }
  };
  in_parallel(static_cast<int>(steps.size()), add);
  return {step, std::accumulate(added.begin(), added.end(), 0.0), detour};
}

/// Class of steps in the beam's direction.
int class_along(const Problem& p, const Beam& beam, const Tables& t) {
  if (t.classes == 1) return 0;
  return std::clamp(static_cast<int>(std::lround((beam.angle - t.theta.front()) / p.grid.dtheta)), 0, t.ntheta - 1);
}

/// Excess of the scored path of protons along the axis over their actual path, in mm; the last step is scored in full.
/// It is a mean over protons that stop. The beam's energies are advanced through the steps, without angles.
double end_excess(const Problem& p, const Beam& beam, const Tables& t, const Start& start) {
  constexpr double kNothing = 1e-12;  // share of the beam that does not affect the mean
  const int along = class_along(p, beam, t);
  const double path = t.classes == 1 ? t.path_step : t.path_step / std::cos(t.theta[at(along)]);
  std::vector<double> now = start.spectrum(), next(now.size());
  const double least = kNothing * std::accumulate(now.begin(), now.end(), 0.0);
  double stopped = 0.0, gone = 0.0;
  int low = 0, high = t.ne - 1;
  for (int step = 0; step < p.max_steps; ++step) {
    while (low <= high && now[at(low)] <= least) ++low;
    while (high >= low && now[at(high)] <= least) --high;
    const double way = step * path;
    const std::optional<std::size_t> cell = cell_on_axis(p, beam, t, way);
    if (low > high || !cell) break;
    const int m = t.map[*cell];
    for (int e = low; e <= high; ++e) {
      const std::size_t row = t.row(along, m, e);
      stopped += now[at(e)] * t.stopped[row];
      gone += now[at(e)] * t.stopped_path[row];
    }
    // Only the bins low … high contain protons, and only bins within their reach can receive some.
    const int first = std::max(0, low - t.reach_up), last = std::min(t.ne - 1, high - t.reach_down);
    std::ranges::fill(next, 0.0);
    for (int e = first; e <= last; ++e) {
      const std::size_t row = t.row(along, m, e);
      for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
        next[at(e)] += t.gather_weight[at(k)] * now[at(t.gather_source[at(k)])];
      }
    }
    now.swap(next);
    low = first;
    high = last;
  }
  return stopped > 0.0 ? path - gone / stopped : 0.0;
}

/// Contribution of thin rows to the range spread of a tilted beam, mm. Steps that are not whole cells in depth widen
/// the rows by more than the part in depth. Only the part across the beam then remains.
double row_spread(const Problem& p, const Beam& beam, const RowDrift& drift) {
  const double sine = std::abs(std::sin(beam.angle));
  if (!is_tilted(beam)) return 0.0;
  const bool narrow = width_of_direction(beam) < narrowest_cells(beam) * p.grid.dx;
  const double across = narrow ? p.grid.dx * sine : 0.0;
  // The beam's steps are whole cells in depth, but those of neighbouring angles differ by the sine of the tilt.
  const double deep = p.stepping == Stepping::kPath && drift.variance == 0.0 ? p.grid.dz * sine : 0.0;
  return std::sqrt(kRowGain) * std::hypot(across, deep);
}

// Rows are split until the beam has crossed kSplitBins bins. They form groups whose ends have the ratio kSplitRatio.
// The scattering power varies with the logarithm of the path, so a group uses the mean of its rows.
constexpr double kSplitBins = 30.0, kSplitRatio = 1.25, kFirstSplit = 0.01;
// Lower limit for the share of the residual range after these rows, valid for all protons despite straggling.
constexpr double kMinRangeLeft = 0.8;

/// In thin material, protons stay in a bin of residual range for many rows. Then their energy does not resolve the path
/// so far, on which scattering models depend. Groups of such rows therefore get separate media with their path so far.
void split_thin_rows(const Problem& p, const EnergyGrid& grid, std::span<const AxisRow> axis,
                     std::vector<Medium>& media, Tables& t) {
  if (p.scattering != Scattering::kGottschalk && p.scattering != Scattering::kHighland) return;
  const double bin = grid.kind() == EnergyGridKind::kRange
                         ? 0.1 * p.grid.energy_step
                         : p.grid.energy_step / media[0].table.stopping(p.beam.energy);
  if (axis.size() < 2 || axis[1].crossed - axis[0].crossed > 0.99 * bin) return;
  const auto past = std::ranges::find_if(axis, [&](const AxisRow& row) { return row.crossed >= kSplitBins * bin; });
  const std::size_t rows = std::min(axis.size() - 1, static_cast<std::size_t>(past - axis.begin()));
  const auto slowest = std::ranges::min_element(spots_of(p), {}, &Beam::energy);
  const double least = kMinRangeLeft * (media[0].table.range(slowest->energy) - axis[rows].crossed);
  double end = kFirstSplit * axis[rows].crossed;
  for (std::size_t first = 0; first < rows;) {
    std::size_t last = first + 1;
    while (last < rows && axis[last].crossed < end) ++last;
    end = kSplitRatio * axis[last].crossed;
    std::map<std::uint8_t, std::uint8_t> copies;  // copies of media, by material
    for (std::size_t row = first; row < last && media.size() < kMaxMaterials; ++row) {
      const auto [copy, is_new] = copies.emplace(axis[row].material, static_cast<std::uint8_t>(media.size()));
      if (!is_new) continue;
      t.origin.push_back(axis[row].material);
      media.emplace_back(p.materials[axis[row].material], PathSoFar{axis[first].crossed, axis[last].crossed, least});
    }
    const auto cells = std::span(t.map).subspan((at(t.start.z) + first) * at(t.nx), (last - first) * at(t.nx));
    for (std::uint8_t& cell : cells) {
      if (const auto found = copies.find(cell); found != copies.end()) cell = found->second;
    }
    first = last;
  }
  t.materials = static_cast<int>(media.size());
}

/// Sums a filled state, which has no entry path.
void fill_start(const Problem& p, const InParallel& in_parallel, Tables& t) {
  Start& s = t.start;
  s.missed = s.missed_energy = {};
  s.entry_deposit = s.x_variance = 0.0;
  s.entry_dose.assign(at(t.nx), 0.0);
  s.z = 0;
  s.number_in = s.energy_in = 0.0;
  const std::size_t slice = t.cells() / at(t.ne) / (p.stepping == Stepping::kDepth ? at(t.nz) : 1);
  std::vector<double> numbers(at(t.ne));
  in_parallel(t.ne, [&](int e) {
    double number = 0.0;
    for (std::size_t i = 0; i < slice; ++i) number += filled_value(p.seed, at(e) * slice + i);
    numbers[at(e)] = number;
  });
  for (int e = 0; e < t.ne; ++e) {
    s.number_in += numbers[at(e)];
    s.energy_in += numbers[at(e)] * t.energy[at(e)];
  }
}

}  // namespace

/// Quantities that determine the sizes of a problem, and the beam at the first node.
class TableBuilder::Layout {
 public:
  Layout(const Problem& p, const InParallel& in_parallel, StepSource stepper);

  const Problem& problem;
  std::vector<Medium> media;
  Tables tables;               // sizes, axes and the entry path; no operators yet
  std::vector<Entry> entries;  // one per spot
  std::vector<double> longer;  // detours; empty if reactions are not followed
  double detour_mm = 0;
  RowDrift drift;
  std::optional<EnergyGrid> grid;

  double water_range(double energy) const { return media[0].table.range(energy) / media[0].material.density * 10.0; }
  /// Path of a class of protons in a step, mm.
  double path_of_class(int c) const {
    return problem.stepping == Stepping::kDepth ? problem.grid.dz / std::cos(tables.theta[at(c)]) : problem.step;
  }
  /// The outline for `spots` that enter in the row of the entrance, without an entry path.
  Tables axes(std::span<const Beam> spots) const;
  /// Follows a proton along the axis of `beam`, which reaches the first node with `energy`. Sets the quantities in `t`
  /// that depend on its path.
  AxisProton follow(const Beam& beam, double energy, const InParallel& in_parallel, Tables& t) const;

 private:
  Entry entry_of(const Problem& p, const Beam& spot, double depth_mm) const;
};

/// Path of a spot from the entrance to the first node, `depth_mm` deeper.
Entry TableBuilder::Layout::entry_of(const Problem& p, const Beam& spot, double depth_mm) const {
  const Tables& t = tables;
  const double path = std::max(0.0, depth_mm / std::cos(spot.angle));
  const double x = spot.x + 0.5 * path * std::sin(spot.angle);
  const int middle = std::clamp(static_cast<int>(std::floor(x / p.grid.dx + 0.5 * t.nx)), 0, t.nx - 1);
  const Medium& medium = media[p.map[at(t.start.entry_z) * at(t.nx) + at(middle)]];
  const double energy = path > 0.0 ? medium.energy_after(spot.energy, path) : spot.energy;
  if (!(energy > p.grid.cutoff)) {
    throw ProblemError("invalid",
                       "grid.dz_mm = " + std::to_string(p.grid.dz) + ": the beam stops inside the first cell");
  }
  return {&medium, path, energy};
}

TableBuilder::Layout::Layout(const Problem& p, const InParallel& in_parallel, StepSource stepper) : problem(p) {
  check(p);
  media.reserve(kMaxMaterials);  // no reallocation, because entries point to media
  for (const Material& m : p.materials) media.emplace_back(m);

  Tables& t = tables;
  t.nx = p.grid.nx;
  t.dx = p.grid.dx;
  t.dz = p.grid.dz;
  t.nz = p.grid.nz;
  t.ntheta = p.grid.ntheta;
  t.materials = static_cast<int>(media.size());
  t.map = p.map;
  for (std::size_t m = 0; m < media.size(); ++m) t.origin.push_back(static_cast<std::uint8_t>(m));
  const bool depth = p.stepping == Stepping::kDepth;
  t.path_step = depth ? p.grid.dz : p.step;
  t.classes = depth ? t.ntheta : 1;
  const double cosine = std::cos(p.beam.angle);
  t.beam_range_mm = water_range(p.beam.energy);
  for (int a = 0; a < t.ntheta; ++a) {
    t.theta.push_back(p.grid.theta_centre + p.grid.dtheta * (a - 0.5 * (t.ntheta - 1)));
  }

  // If the beam's steps are not whole cells in depth, the remap clips its row while it is narrow. The row then ends
  // ahead of the beam or behind it. The start is moved back by the computed `drift`, so that the row ends at the
  // correct depth.
  if (!depth && !p.filled) {
    const double way = std::min(t.beam_range_mm, (t.nz * p.grid.dz - p.beam.z) / cosine);
    drift = row_drift(p.step * cosine / p.grid.dz, std::min(p.max_steps, static_cast<int>(way / p.step)),
                      p.remap == Remap::kHighOrder);
  }
  // The first node is the centre of the first cell at least half a step after the entrance. The energy that the beam
  // loses before that step is the entry deposit.
  const double half = 0.5 * (depth ? p.grid.dz : p.step * cosine);
  const double first = (p.beam.z + half) / p.grid.dz - 0.5 - drift.ahead;
  t.start.z = std::clamp(static_cast<int>(std::ceil(first - 1e-9)), 0, t.nz - 1);
  t.depth_first_node = (t.start.z + 0.5) * p.grid.dz;
  const double to_node = (t.start.z - first) * p.grid.dz;
  const double axis_path = std::max(0.0, to_node / cosine);
  t.start.entry_z = std::clamp(static_cast<int>((p.beam.z + 0.5 * axis_path * cosine) / p.grid.dz), 0, t.nz - 1);
  // The fastest spot determines the position of the bins, and the highest spectrum their number.
  double start_energy = 0.0, top_energy = 0.0, slowest = p.beam.energy;
  for (const Beam& spot : spots_of(p)) {
    entries.push_back(entry_of(p, spot, to_node));
    slowest = std::min(slowest, spot.energy);
    start_energy = std::max(start_energy, entries.back().energy);
    top_energy = std::max(top_energy, entries.back().energy + EnergyGrid::kBeamSigmas * spot.energy_sigma);
  }

  t.spots_span_mm = t.beam_range_mm - water_range(slowest);

  int guard = 0;
  if (p.grid.energy_kind == EnergyGridKind::kRange) {
    for (const Medium& m : media) {
      const double after = m.energy_after(start_energy, t.path_step);
      const double shift =
          (media[0].table.range(start_energy) - media[0].table.range(after)) / (0.1 * p.grid.energy_step);
      if (shift < 1.0 - 1e-6) guard = kGuardBins;
    }
  }
  grid.emplace(p.grid, media[0].table, start_energy, top_energy, guard);
  t.ne = grid->size();
  t.energy = grid->held();
  t.reactions = reaction_grid(p, media, t.energy);
  if (stepper == StepSource::kOwnPlanes) {
    if (!p.filled) t.axis_steps = count_rows_on_axis(p, media, t);
    return;
  }
  if (!p.filled) {
    const std::vector<AxisRow> axis = rows_on_axis(p, media, t);
    split_thin_rows(p, *grid, axis, media, t);
    if (t.reactions.on()) longer = detours(p, media, *grid, axis);
  }
  if (!p.filled) detour_mm = follow(p.beam, start_energy, in_parallel, t).detour;
  build_streaming(p, detour_mm, t);
  double longest = t.path_step;
  for (const double theta : t.theta) longest = depth ? std::max(longest, t.path_step / std::cos(theta)) : longest;
  const double most_longer = longer.empty() ? 1.0 : *std::ranges::max_element(longer);
  t.most = reach_of(p, media, *grid, t.path_step, longest * most_longer);
}

AxisProton TableBuilder::Layout::follow(const Beam& beam, double energy, const InParallel& in_parallel,
                                        Tables& t) const {
  const Problem& p = problem;
  const AxisProton axis = follow_axis(p, beam, media, *grid, energy, t, in_parallel);
  t.axis_steps = axis.steps;
  // Component along the axis of an offset by one cell in depth.
  const double along = p.grid.dz * std::cos(beam.angle);
  t.extra_straggling_mm = std::sqrt(axis.added_variance + drift.variance * along * along);
  t.row_spread_mm = row_spread(p, beam, drift);
  return axis;
}

Tables TableBuilder::Layout::axes(std::span<const Beam> spots) const {
  const Problem& p = problem;
  Tables t = tables;
  t.start.z = t.start.entry_z = std::clamp(static_cast<int>(p.beam.z / p.grid.dz + 1e-9), 0, t.nz - 1);
  t.start.entry_dose.assign(at(t.nx), 0.0);
  for (const Beam& spot : spots) {
    t.start.number_in += spot.weight;
    t.start.energy_in += spot.weight * spot.energy;
  }
  t.depth_first_node = p.beam.z;
  t.extra_straggling_mm = t.row_spread_mm = 0.0;
  t.tracks = track_axes(p, media[0], *grid, t);
  return t;
}

TableBuilder::TableBuilder(const Problem& problem, const InParallel& in_parallel, StepSource stepper)
    : layout_(std::make_unique<const Layout>(problem, in_parallel, stepper)) {}
TableBuilder::~TableBuilder() = default;

const Tables& TableBuilder::outline() const { return layout_->tables; }

bool device_can_compute_rows(const Problem& p) {
  return p.precision == Precision::kFp32 && p.grid.energy_kind == EnergyGridKind::kRange &&
         p.nuclear != Nuclear::kIcru63 && !p.track_scores && p.spectra.empty();
}

Tables TableBuilder::build(const InParallel& in_parallel, const std::atomic<bool>* cancel, bool rows_left) const {
  const Layout& layout = *layout_;
  const Problem& p = layout.problem;
  Tables t = layout.tables;
  std::vector<double>& paths = t.path_mm;
  for (int c = 0; c < t.classes; ++c) {
    const double path = layout.path_of_class(c);
    const auto known = std::ranges::find(paths, path);
    t.path_of.push_back(static_cast<std::int32_t>(known - paths.begin()));
    if (known == paths.end()) paths.push_back(path);
  }
  t.paths = static_cast<int>(paths.size());
  const auto operators =
      std::make_shared<const StepOperators>(p, layout.media, *layout.grid, layout.tables.reactions, layout.longer);
  if (rows_left) {
    t.operators = operators;
  } else {
    std::vector<OperatorRows> rows(paths.size());
    if (paths.size() == 1) {
      rows[0] = operators->rows(paths[0], in_parallel, cancel);
    } else {
      in_parallel(static_cast<int>(paths.size()),
                  [&](int i) { rows[at(i)] = operators->rows(paths[at(i)], one_after_the_other, cancel); });
    }
    if (cancel != nullptr && cancel->load()) throw Cancelled();
    append(rows, in_parallel, t);
  }
  build_start(p, *layout.grid, spots_of(p), layout.entries, {t.energy, t.theta, t.nx}, t.start);
  if (p.filled) {
    fill_start(p, in_parallel, t);
  } else {
    t.end_excess_mm = end_excess(p, p.beam, rows_left ? along_axis(*operators, t, in_parallel) : t, t.start);
  }
  t.tracks = track_scores(p, layout.media, *layout.grid, layout.entries, t, class_along(p, p.beam, t));
  return t;
}

Tables TableBuilder::build_axes() const { return layout_->axes(spots_of(layout_->problem)); }

Tables TableBuilder::axes_alone(std::size_t index) const {
  const Layout& layout = *layout_;
  const Beam& beam = spots_of(layout.problem)[index];
  Tables t = layout.axes({&beam, 1});
  t.beam_range_mm = layout.water_range(beam.energy);
  t.spots_span_mm = 0.0;
  return t;
}

RowCounts TableBuilder::counted() const {
  const Layout& layout = *layout_;
  const StepOperators operators(layout.problem, layout.media, *layout.grid, layout.tables.reactions, layout.longer);
  std::vector<double> paths;
  for (int c = 0; c < layout.tables.classes; ++c) paths.push_back(layout.path_of_class(c));
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  const RowCounts shortest = operators.counted(paths.front()), longest = operators.counted(paths.back());
  const double half = 0.5 * static_cast<double>(paths.size());
  return {half * (shortest.rows + longest.rows), half * (shortest.gathered + longest.gathered),
          half * (shortest.angles + longest.angles)};
}

/// Copies the tables, but with the rows of steps along the beam instead of the rows of all classes.
Tables TableBuilder::along_axis(const StepOperators& operators, const Tables& all,
                                const InParallel& in_parallel) const {
  Tables t = layout_->tables;
  const int along = class_along(layout_->problem, layout_->problem.beam, t);
  t.path_of.assign(at(t.classes), 0);
  const double path = all.path_mm[at(all.path_of[at(along)])];
  const OperatorRows rows = operators.rows(path, in_parallel);
  append({&rows, 1}, one_after_the_other, t);
  return t;
}

Tables TableBuilder::alone(std::size_t index) const {
  const Layout& layout = *layout_;
  Tables t = layout.tables;
  const Beam& beam = spots_of(layout.problem)[index];
  build_start(layout.problem, *layout.grid, {&beam, 1}, {&layout.entries[index], 1}, {t.energy, t.theta, t.nx},
              t.start);
  return t;
}

void TableBuilder::describe(std::size_t index, const Tables& whole, Tables& alone) const {
  const Layout& layout = *layout_;
  const Beam& beam = spots_of(layout.problem)[index];
  alone.beam_range_mm = layout.water_range(beam.energy);
  alone.spots_span_mm = 0.0;
  layout.follow(beam, layout.entries[index].energy, one_after_the_other, alone);
  alone.end_excess_mm = end_excess(layout.problem, beam, whole, alone.start);
}

Tables build_tables(const Problem& problem) { return TableBuilder(problem).build(one_after_the_other); }

}  // namespace bb::transport
