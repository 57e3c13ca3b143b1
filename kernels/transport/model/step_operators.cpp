#include "step_operators.hpp"

#include <algorithm>
#include <cmath>

#include "index.hpp"
#include "nuclear_matter.hpp"
#include "physics/moment_kernel.hpp"
#include "physics/nuclear.hpp"

namespace bb::transport {

StepOperators::StepOperators(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                             const ReactionGrid& reactions)
    : problem_(problem),
      grid_(grid),
      reactions_(reactions),
      water_(media[0].table),
      beam_range_(water_.range(problem.beam.energy)) {
  for (const Medium& medium : media) {
    Matter& matter = matter_.emplace_back(&medium);
    for (const double energy : grid.energies()) matter.range.push_back(medium.table.range(energy));
  }
  if (!reactions.on()) return;
  const auto nuclei = nuclear_tables(problem);
  for (Matter& matter : matter_) {
    const NuclearMatter composition(matter.medium->material, *nuclei);
    for (const double energy : reactions.at) matter.removal.push_back(composition.removal(energy));
  }
  find_detours();
}

OperatorRows StepOperators::rows(double path_mm, const std::atomic<bool>* cancel) const {
  const int ne = grid_.size();
  OperatorRows out;
  std::vector<Sources> feeds(u(ne));
  for (const Matter& matter : matter_) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return out;
    for (Sources& each : feeds) each.clear();
    for (int e = 0; e < ne; ++e) add_source(matter, path_mm, e, feeds, out);
    for (int e = 0; e < ne; ++e) {
      for (const auto& [source, weight] : feeds[u(e)]) {
        out.gather_source.push_back(source);
        out.gather_weight.push_back(weight);
      }
      out.gather_end.push_back(static_cast<std::int32_t>(out.gather_source.size()));
      add_angle_kernel(matter, path_mm, e, out);
    }
  }
  return out;
}

void StepOperators::add_source(const Matter& matter, double path, int e, std::vector<Sources>& feeds,
                               OperatorRows& out) const {
  const Medium& medium = *matter.medium;
  const double path_mm = longer_.empty() ? path : path * longer_[u(e)];
  const double range = matter.range[u(e)], thickness = medium.thickness(path_mm);
  const double range_mm = range / (0.1 * medium.material.density);
  const double after = medium.table.energy_at(range - thickness);
  double lost = 0.0;
  if (problem_.nuclear == Nuclear::kAttenuation) {
    lost = physics::nuclear_loss(matter_[0].range[u(e)], after > 0.0 ? water_.range(after) : 0.0);
  }
  const double reacts_at = reactions_.on() ? reactions_.at[u(e)] : 0.0;
  if (reacts_at > 0.0) lost = -std::expm1(-matter.removal[u(e)] * std::min(thickness, range));
  double kept_energy = 0.0;
  double stopped = 0.0;
  double stopped_path = 0.0;
  const auto land = [&](int bin, double weight) {
    if (bin < grid_.first_alive()) {
      stopped += weight;
      stopped_path += weight * (after > 0.0 ? path_mm + left_mm(medium, bin) : range_mm);
      return;
    }
    const int to = std::min(bin, grid_.size() - 1);
    kept_energy += weight * grid_.held()[u(to)];
    Sources& sources = feeds[u(to)];
    if (!sources.empty() && sources.back().first == e) {
      sources.back().second += weight;
    } else {
      sources.emplace_back(e, weight);
    }
  };
  if (grid_.stops(after)) {
    stopped = 1.0 - lost;
    stopped_path = stopped * range_mm;
  } else {
    physics::MomentKernel kernel;
    if (after > 0.0) {
      const double middle = medium.table.energy_at(range - 0.5 * thickness);
      kernel = grid_.kernel(after, straggling_variance(problem_, medium, middle, after, path_mm));
    } else {
      // Residual range in water: below zero by what the path is too long.
      kernel = grid_.kernel_beyond((range - thickness) * matter_[0].range[u(e)] / range);
    }
    for (std::size_t i = 0; i < kernel.weights.size(); ++i) {
      land(kernel.first + static_cast<int>(i), kernel.weights[i] * (1.0 - lost));
    }
  }
  const double held = grid_.held()[u(e)];
  double escape = 0.0;
  if (reacts_at > 0.0) {
    escape = lost * reacts_at;
  } else if (lost > 0.0) {
    const double depth = std::max(0.0, beam_range_ - matter_[0].range[u(e)]);
    escape = (1.0 - physics::nuclear_deposited_share(depth)) * lost * held;
  }
  out.deposit.push_back(held - kept_energy - escape);
  out.stopped.push_back(stopped);
  out.stopped_path.push_back(stopped_path);
  out.nuclear.push_back(lost);
  out.nuclear_escape.push_back(escape);
}

/// How much longer than in the plane a way is by what protons have scattered across it, which this solver does not
/// hold: half of the mean square angle, as in the plane, which in water is a function of the energy. Reactions are
/// compared with measurements and Monte Carlo in three dimensions, where R80 is shorter by it.
void StepOperators::find_detours() {
  double square = 0.0, above = problem_.beam.energy;
  longer_.assign(u(grid_.size()), 1.0);
  for (int e = grid_.size() - 1; e >= 0; --e) {
    const double energy = grid_.energies()[u(e)];
    if (energy >= above || energy < problem_.grid.cutoff) {
      if (e + 1 < grid_.size()) longer_[u(e)] = longer_[u(e) + 1];
      continue;
    }
    const double way = water_.range(above) - matter_[0].range[u(e)];
    square += way * scattering_power(problem_, problem_.materials[0], water_, 0.5 * (above + energy));
    longer_[u(e)] = 1.0 + 0.5 * square;
    above = energy;
  }
}

/// Path left in a bin, mm; negative in those below zero, so that bins keep the mean that they split.
double StepOperators::left_mm(const Medium& medium, int bin) const {
  const double energy = grid_.energy_at(bin);
  return std::copysign(medium.range_mm(std::abs(energy)), energy);
}

void StepOperators::add_angle_kernel(const Matter& matter, double path_mm, int e, OperatorRows& out) const {
  const Medium& medium = *matter.medium;
  const double thickness = medium.thickness(path_mm);
  const double before = medium.table.energy_at(matter.range[u(e)] + 0.5 * thickness);
  const double power = scattering_power(problem_, medium.material, water_, before);
  const double dtheta = problem_.grid.dtheta;
  const physics::MomentKernel kernel = physics::moment_kernel(0.0, power * thickness / (dtheta * dtheta));
  for (int k = 0; k <= kernel.last(); ++k) out.angle_weight.push_back(kernel.weights[u(k - kernel.first)]);
  out.angle_end.push_back(static_cast<std::int32_t>(out.angle_weight.size()));
}

void append(std::span<const OperatorRows> rows, std::span<const std::size_t> of_class, const InParallel& in_parallel,
            Tables& tables) {
  // Where the operators of each class begin.
  struct Begin {
    std::size_t row = 0, gathered = 0, angles = 0;
  };
  std::vector<Begin> begin(of_class.size() + 1);
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    const OperatorRows& each = rows[of_class[c]];
    begin[c + 1] = {begin[c].row + each.deposit.size(), begin[c].gathered + each.gather_source.size(),
                    begin[c].angles + each.angle_weight.size()};
  }
  const Begin all = begin.back();
  tables.gather_begin.resize(all.row + 1);
  tables.angle_begin.resize(all.row + 1);
  tables.gather_source.resize(all.gathered);
  tables.gather_weight.resize(all.gathered);
  tables.angle_weight.resize(all.angles);
  for (auto* values :
       {&tables.deposit, &tables.stopped, &tables.stopped_path, &tables.nuclear, &tables.nuclear_escape}) {
    values->resize(all.row);
  }
  in_parallel(static_cast<int>(of_class.size()), [&](int c) {
    const OperatorRows& each = rows[of_class[u(c)]];
    const Begin& at = begin[u(c)];
    const auto put = [](const auto& from, auto& to, std::size_t first) {
      std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(first));
    };
    const auto put_ends = [&](const std::vector<std::int32_t>& ends, std::vector<std::int32_t>& to, std::size_t first) {
      for (std::size_t i = 0; i < ends.size(); ++i) to[at.row + 1 + i] = static_cast<std::int32_t>(first) + ends[i];
    };
    put_ends(each.gather_end, tables.gather_begin, at.gathered);
    put_ends(each.angle_end, tables.angle_begin, at.angles);
    put(each.gather_source, tables.gather_source, at.gathered);
    put(each.gather_weight, tables.gather_weight, at.gathered);
    put(each.angle_weight, tables.angle_weight, at.angles);
    put(each.deposit, tables.deposit, at.row);
    put(each.stopped, tables.stopped, at.row);
    put(each.stopped_path, tables.stopped_path, at.row);
    put(each.nuclear, tables.nuclear, at.row);
    put(each.nuclear_escape, tables.nuclear_escape, at.row);
  });
  tables.reach_down = tables.ne;
  tables.reach_up = -tables.ne;
  for (const OperatorRows& each : rows) {
    std::int32_t gathered = 0, angles = 0;
    for (std::size_t row = 0; row < each.gather_end.size(); ++row) {
      const int e = static_cast<int>(row % u(tables.ne));
      for (; gathered < each.gather_end[row]; ++gathered) {
        const int reach = each.gather_source[u(gathered)] - e;
        tables.reach_down = std::min(tables.reach_down, reach);
        tables.reach_up = std::max(tables.reach_up, reach);
      }
      tables.angle_half_max = std::max(tables.angle_half_max, each.angle_end[row] - angles - 1);
      angles = each.angle_end[row];
    }
  }
}

}  // namespace bb::transport
