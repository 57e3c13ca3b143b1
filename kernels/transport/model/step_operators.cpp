#include "step_operators.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "index.hpp"
#include "nuclear_matter.hpp"
#include "physics/moment_kernel.hpp"
#include "physics/nuclear.hpp"

namespace bb::transport {

StepOperators::StepOperators(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                             const ReactionGrid& reactions, std::span<const double> longer)
    : problem_(problem),
      grid_(grid),
      reactions_(reactions),
      longer_(longer),
      water_(media[0].table),
      beam_range_(water_.range(problem.beam.energy)) {
  for (const Medium& medium : media) {
    repeats_ = repeats_ || medium.so_far.known();
    Matter& matter = matter_.emplace_back(&medium);
    for (const double energy : grid.energies()) matter.range.push_back(medium.table.range(energy));
  }
  if (!reactions.on()) return;
  const auto nuclei = nuclear_tables(problem);
  for (Matter& matter : matter_) {
    const NuclearMatter composition(matter.medium->material, *nuclei);
    for (const double energy : reactions.at) matter.removal.push_back(composition.removal(energy));
  }
}

OperatorRows StepOperators::rows(double path_mm, const InParallel& in_parallel, const std::atomic<bool>* cancel) const {
  constexpr int kChunk = 32;  // bins per task
  const int ne = grid_.size();
  OperatorRows out;
  std::vector<Step> steps(u(ne));
  std::vector<Taps> feeds(u(ne));
  std::map<const Material*, std::vector<Step>> known;  // media of one material differ only in the angles
  for (const Matter& matter : matter_) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return out;
    const auto before = known.find(&matter.medium->material);
    if (before != known.end()) steps = before->second;
    in_parallel((ne + kChunk - 1) / kChunk, [&](int chunk) {
      for (int e = chunk * kChunk; e < std::min(ne, (chunk + 1) * kChunk); ++e) {
        if (before == known.end()) steps[u(e)] = step_of(matter, path_mm, e);
        steps[u(e)].angles = angles_of(matter, path_mm, e);
      }
    });
    if (before == known.end() && repeats_) known.emplace(&matter.medium->material, steps);
    for (Taps& each : feeds) each.clear();
    for (int e = 0; e < ne; ++e) {
      for (const auto& [to, weight] : steps[u(e)].to) feeds[u(to)].emplace_back(e, weight);
    }
    for (int e = 0; e < ne; ++e) {
      for (const auto& [source, weight] : feeds[u(e)]) {
        out.gather_source.push_back(source);
        out.gather_weight.push_back(weight);
      }
      out.gather_end.push_back(static_cast<std::int32_t>(out.gather_source.size()));
      const Step& step = steps[u(e)];
      out.angle_weight.insert(out.angle_weight.end(), step.angles.begin(), step.angles.end());
      out.angle_end.push_back(static_cast<std::int32_t>(out.angle_weight.size()));
      out.deposit.push_back(step.deposit);
      out.stopped.push_back(step.stopped);
      out.stopped_path.push_back(step.stopped_path);
      out.nuclear.push_back(step.nuclear);
      out.nuclear_escape.push_back(step.nuclear_escape);
    }
  }
  return out;
}

RowCounts StepOperators::counted(double path_mm) const {
  constexpr int kMaxSampledBins = 48;  // bins per material
  const int ne = grid_.size(), stride = 1 + ne / kMaxSampledBins;
  RowCounts out;
  for (const Matter& matter : matter_) {
    for (int e = 0; e < ne; e += stride) {
      const Step step = step_of(matter, path_mm, e);
      out.gathered += static_cast<double>(step.to.size());
      out.angles += static_cast<double>(angles_of(matter, path_mm, e).size());
      out.rows += 1.0;
    }
  }
  const double all = static_cast<double>(matter_.size()) * ne / out.rows;
  return {all * out.rows, all * out.gathered, all * out.angles};
}

StepOperators::Step StepOperators::step_of(const Matter& matter, double path, int e) const {
  Step out;
  const Medium& medium = *matter.medium;
  const double path_mm = longer_.empty() ? path : path * longer_[u(e)];
  const double range = matter.range[u(e)], thickness = medium.thickness(path_mm);
  const double range_mm = range / (0.1 * medium.material.density);
  const double after = medium.table.energy_at(range - thickness);
  const StepModel numbers = model();
  double lost = numbers.lost(e, after);
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
    if (!out.to.empty() && out.to.back().first == to) {
      out.to.back().second += weight;
    } else {
      out.to.emplace_back(to, weight);
    }
  };
  if (grid_.stops(after)) {
    stopped = 1.0 - lost;
    stopped_path = stopped * range_mm;
  } else if (grid_.kind() == EnergyGridKind::kRange) {
    const physics::MomentTaps taps = numbers.landing(step_matter(matter), path_mm, e, after);
    for (int i = 0; i < taps.count; ++i) land(taps.first + i, taps.weight(i) * (1.0 - lost));
  } else {
    const double middle = medium.table.energy_at(range - 0.5 * thickness);
    const physics::MomentKernel kernel =
        grid_.kernel(after, straggling_variance(problem_, medium, middle, after, path_mm));
    for (std::size_t i = 0; i < kernel.weights.size(); ++i) {
      land(kernel.first + static_cast<int>(i), kernel.weights[i] * (1.0 - lost));
    }
  }
  const double held = grid_.held()[u(e)];
  const double escape = reacts_at > 0.0 ? lost * reacts_at : numbers.escape(e, lost, held);
  out.deposit = held - kept_energy - escape;
  out.stopped = stopped;
  out.stopped_path = stopped_path;
  out.nuclear = lost;
  out.nuclear_escape = escape;
  return out;
}

std::vector<double> StepOperators::angles_of(const Matter& matter, double path, int e) const {
  const physics::MomentTaps angles = model().angles(step_matter(matter), path, e);
  std::vector<double> out;
  for (int k = 0; k <= angles.last(); ++k) out.push_back(angles.weight(k - angles.first));
  return out;
}

/// Residual path in a bin, mm; negative for bins below zero, so that a split over bins preserves the mean.
double StepOperators::left_mm(const Medium& medium, int bin) const {
  const double energy = grid_.energy_at(bin);
  return std::copysign(medium.range_mm(std::abs(energy)), energy);
}

StepMatter StepOperators::step_matter(const Matter& matter) const {
  const Material& m = matter.medium->material;
  return {matter.medium->table.view(), m.density, m.z_over_a, m.x0, m.xs, matter.range.data(), matter.medium->so_far};
}

StepModel StepOperators::model() const {
  return {scattering_model(problem_, water_),
          problem_.straggling,
          problem_.nuclear,
          grid_.range_axis(),
          problem_.grid.dtheta,
          beam_range_,
          matter_[0].range.data()};
}

std::vector<StepMatter> StepOperators::matter() const {
  std::vector<StepMatter> out;
  for (const Matter& each : matter_) out.push_back(step_matter(each));
  return out;
}

namespace {

constexpr int kLowest = 16;  // lowest bins, all of which are sampled because slow protons lose most
constexpr int kSpread = 48;  // samples among the other bins
constexpr double kSigmas = physics::MomentTaps::kTailSigmas;

std::vector<int> sampled_bins(const EnergyGrid& grid) {
  std::vector<int> bins;
  const int first = grid.first_alive(), last = grid.size() - 1;
  for (int e = std::max(0, first - 1); e <= std::min(last, first + kLowest); ++e) bins.push_back(e);
  for (int i = 1; i <= kSpread; ++i) bins.push_back(first + (last - first) * i / kSpread);
  return bins;
}

/// Range of numbers of bins by which content falls in a step.
struct BinReach {
  double least = 1e9, most = 0.0;

  void add(const Problem& problem, const Medium& medium, const EnergyGrid& grid, double path, int bin) {
    const double energy = grid.energies()[u(bin)];
    if (!(energy > 0.0)) return;
    const double after = medium.energy_after(energy, path);
    const double alive = grid.first_alive();
    double place = alive, sigma = 0.0;
    if (after > 0.0) {
      const double middle = medium.energy_after(energy, 0.5 * path);
      const double variance = straggling_variance(problem, medium, middle, after, path);
      place = grid.index_of(after);
      sigma = std::sqrt(std::max(0.0, grid.variance_in_bins(after, variance)));
    }
    const double low = std::floor(place - kSigmas * sigma) - 1.0, high = std::ceil(place + kSigmas * sigma) + 1.0;
    if (high < alive) return;
    least = std::min(least, bin - high);
    most = std::max(most, bin - std::max(low, alive));
  }
};

}  // namespace

Reach reach_of(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid, double shortest,
               double longest) {
  const std::vector<int> bins = sampled_bins(grid);
  BinReach falls;
  double widest = 0.0;  // rad²
  for (const Medium& medium : media) {
    for (const double path : {shortest, longest}) {
      for (const int bin : bins) falls.add(problem, medium, grid, path, bin);
    }
    const double thickness = medium.thickness(longest);
    const double lowest = std::max(0.0, grid.energies().front());
    const double before = medium.table.energy_at(medium.table.range(lowest) + 0.5 * thickness);
    widest = std::max(widest, thickness * scattering_power(problem, medium.material, media.front().table, before));
  }
  Reach out;
  out.feeds = std::clamp(static_cast<int>(falls.most - std::min(falls.least, falls.most)) + 1, 1, grid.size());
  // The width is limited, because an angle larger than a full turn has no meaning. Problems with such steps are
  // rejected, or lose all protons.
  const double half = std::min(kSigmas * std::sqrt(widest) / problem.grid.dtheta, 1e5);
  out.half = widest > 0.0 ? std::max(1, static_cast<int>(std::ceil(half))) : 0;
  return out;
}

void append(std::span<const OperatorRows> rows, const InParallel& in_parallel, Tables& tables) {
  // Index of the first operator of each path.
  struct FirstIndex {
    std::size_t row = 0, gathered = 0, angles = 0;
  };
  std::vector<FirstIndex> begin(rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const OperatorRows& each = rows[i];
    begin[i + 1] = {begin[i].row + each.deposit.size(), begin[i].gathered + each.gather_source.size(),
                    begin[i].angles + each.angle_weight.size()};
  }
  const FirstIndex all = begin.back();
  tables.gather_begin.resize(all.row + 1);
  tables.angle_begin.resize(all.row + 1);
  tables.gather_source.resize(all.gathered);
  tables.gather_weight.resize(all.gathered);
  tables.angle_weight.resize(all.angles);
  for (auto* values :
       {&tables.deposit, &tables.stopped, &tables.stopped_path, &tables.nuclear, &tables.nuclear_escape}) {
    values->resize(all.row);
  }
  in_parallel(static_cast<int>(rows.size()), [&](int i) {
    const OperatorRows& each = rows[u(i)];
    const FirstIndex& at = begin[u(i)];
    const auto put = [](const auto& from, auto& to, std::size_t first) {
      std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(first));
    };
    const auto put_ends = [&](const std::vector<std::int32_t>& ends, std::vector<std::int32_t>& to, std::size_t first) {
      for (std::size_t k = 0; k < ends.size(); ++k) to[at.row + 1 + k] = static_cast<std::int32_t>(first) + ends[k];
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
