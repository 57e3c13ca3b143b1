#include "moments.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "beam_readouts.hpp"
#include "cpu/stopwatch.hpp"
#include "cpu/thread_pool.hpp"
#include "lateral.hpp"
#include "layers.hpp"
#include "march.hpp"
#include "products.hpp"
#include "transport/model/entry/start.hpp"
#include "transport/model/index.hpp"
#include "transport/run/projection.hpp"
#include "transport/secondaries/sweep_matter.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

using engine::Crossing;
using engine::Marginals;
using engine::Scores;
using engine::SpanRecorder;
using engine::StepTotals;

constexpr double kStateBytes = 1e6;  // maximum per march, for its bins and planes

/// Spots that differ only in x and weight, which share one march.
struct Group {
  std::vector<const Beam*> spots;
  double weight = 0;
  std::unique_ptr<March> march;
  std::vector<MarchPlane> borders, centres;  // [rows + 1] and [rows], starting at the row of the entrance
  std::vector<MarchView> steps;              // if spectra, reactions by columns, or tilted beams are recorded
  std::optional<LayeredReactions> reactions;
};

/// Dose of beams along z: in each row a Gaussian pair around each spot.
class PairRows final : public DoseRows {
 public:
  explicit PairRows(const Tables& t) : first_(-0.5 * t.nx * t.dx), dx_(t.dx), sums_(u(t.nz)), of_row_(u(t.nz)) {}

  /// Adds a pair to row `z`; those of a row follow each other. Returns the part outside the cells.
  Outside put(int z, const GaussianPair& pair, double centre, double end) {
    const Outside outside = outside_of(pair, centre, first_, end);
    sums_[u(z)] += pair.weight[0] + pair.weight[1] - outside.low - outside.high;
    auto& [begin, end_of_row] = of_row_[u(z)];
    if (end_of_row == 0) begin = pairs_.size();
    pairs_.push_back({centre, pair});
    end_of_row = pairs_.size();
    return outside;
  }

  std::span<const double> sums() const override { return sums_; }

  void add(int z, std::span<double> cells) const override {
    const auto [begin, end] = of_row_[u(z)];
    for (std::size_t i = begin; i < end; ++i) add_pair(pairs_[i].pair, pairs_[i].centre, first_, dx_, cells);
  }

 private:
  struct At {
    double centre = 0;  // mm
    GaussianPair pair;
  };
  double first_, dx_;  // mm
  std::vector<double> sums_;
  std::vector<std::pair<std::size_t, std::size_t>> of_row_;  // first pair of each row, and the end of its pairs
  std::vector<At> pairs_;
};

/// Solver with one step per row of the map. The first step runs the march, which has its own planes.
class Moments final : public engine::Solver {
 public:
  Moments(const Problem& problem, const Tables& tables, std::unique_ptr<Marcher> marcher)
      : p_(problem),
        t_(tables),
        marcher_(std::move(marcher)),
        layers_(layers_of(problem)),
        tilted_(std::ranges::any_of(spots_of(problem), is_tilted)),
        scores_(tables, !layered_products(), !rows_only()),
        rows_(rows_only() ? std::make_shared<PairRows>(tables) : nullptr) {
    for (const Material& material : problem.materials) media_.emplace_back(material);
    const double least_reacting = t_.reactions.on() ? t_.reactions.energy.front() : 0.0;
    for (SpotKind& kind : spot_kinds(problem)) {
      Group& g = groups_.emplace_back();
      g.spots = std::move(kind.spots);
      g.weight = kind.weight;
      g.march = std::make_unique<March>(problem, media_, layers_, kind.spot, least_reacting);
    }
    plane_ = t_.start.z;
  }

  int advance(int max_steps, std::vector<StepTotals>& totals, SpanRecorder& spans,
              const std::atomic<bool>& cancel) override {
    if (cancel.load() || plane_ >= t_.nz) return 0;
    if (!marched_) march(spans);
    const engine::ScopedSpan span(spans, 0, spans.name_id("score"), step_);
    const int done = std::min(max_steps, t_.nz - plane_);
    for (int k = 0; k < done; ++k) totals.push_back(score_row());
    return done;
  }

  void marginals(Marginals& out) override {
    engine::sum_marginals(*this, t_, out);
    out.step = step_;
  }
  bool visit(engine::RowVisitor& visitor) const override;

  std::span<const double> dose() override { return scores_.dose(); }
  std::shared_ptr<const DoseRows> dose_rows() override { return rows_; }
  std::span<const double> crossing() override { return scores_.crossing(); }
  std::span<const double> reactions() override { return scores_.reactions(); }
  std::span<const double> tracks() override { return scores_.tracks(); }
  bool follows_products() const override { return layered_products(); }
  std::unique_ptr<Secondaries> follow_products() override;
  double min_over_max() const override { return lowest_; }
  double cell_steps() const override { return bin_steps_; }
  double device_seconds() const override { return marcher_ ? marcher_->device_seconds() : 0.0; }
  std::vector<engine::SetupPart> setup_parts() const override {
    return marcher_ ? marcher_->setup_parts() : std::vector<engine::SetupPart>();
  }
  double state_bytes() const override {
    if (marcher_) return marcher_->state_bytes();
    double most = 0.0;
    for (const Group& g : groups_) most = std::max(most, g.march->state_bytes());
    return most;
  }

 private:
  /// True if no map is requested: each row of the dose is stored as Gaussians. Tilted beams always have a map.
  bool rows_only() const { return !p_.dose_map && !tilted_; }
  /// Otherwise columns are used, because only their sweep scores the tracks of products, and those of tilted beams.
  bool layered_products() const { return t_.reactions.on() && !t_.tracks.on() && !tilted_; }

  void march(SpanRecorder& spans) {
    const engine::ScopedSpan span(spans, 0, spans.name_id("march"), step_);
    std::vector<double> borders, centres;
    for (int z = t_.start.z; z <= t_.nz; ++z) borders.push_back(z * t_.dz);
    for (int z = t_.start.z; z < t_.nz; ++z) centres.push_back((z + 0.5) * t_.dz);
    if (marcher_) {
      std::vector<March*> marches;
      for (const Group& g : groups_) marches.push_back(g.march.get());
      marcher_->run(marches, t_.nz * t_.dz);
    }
    const bool recorded = (t_.reactions.on() && !layered_products()) || !t_.tracks.rows.empty();
    for (Group& g : groups_) {
      if (marcher_) {
        // marcher_ has already marched these beams.
      } else if (layered_products()) {
        g.reactions.emplace(t_, media_);
        g.march->run(t_.nz * t_.dz, [&](const MarchView& step) { g.reactions->record(step, t_); });
      } else if (recorded || g.march->slope() != 0.0) {
        g.march->run(t_.nz * t_.dz, [&](const MarchView& step) { g.steps.push_back(step); });
      } else {
        g.march->run(t_.nz * t_.dz);
      }
      g.borders = planes_at(*g.march, borders);
      g.centres = planes_at(*g.march, centres);
      bin_steps_ += g.march->bin_steps();
      lowest_ = std::min(lowest_, g.march->min_over_max());
    }
    marched_ = true;
  }

  double first_x() const { return -0.5 * t_.nx * t_.dx; }

  /// Spreads the Gaussian pair with the moments `of` over the cells of a row, around each spot. Returns the part
  /// outside the box.
  Outside spread(const Group& g, const std::array<double, 4>& of, std::span<double> row) const {
    const GaussianPair pair = gaussian_pair(of);
    Outside all;
    for (const Beam* spot : g.spots) {
      GaussianPair part = pair;
      for (double& w : part.weight) w *= spot->weight;
      const Outside outside = add_pair(part, spot->x, first_x(), t_.dx, row);
      all.low += outside.low;
      all.high += outside.high;
    }
    return all;
  }

  /// Like spread(), but adds to the pairs of the current row.
  Outside add_to_rows(const Group& g, const std::array<double, 4>& of) {
    const GaussianPair pair = gaussian_pair(of);
    Outside all;
    if (pair.count == 0) return all;
    for (const Beam* spot : g.spots) {
      GaussianPair part = pair;
      for (double& w : part.weight) w *= spot->weight;
      const Outside outside = rows_->put(plane_, part, spot->x, -first_x());
      all.low += outside.low;
      all.high += outside.high;
    }
    return all;
  }

  /// Part of a step in the current row: its share of the step, and the depth of its middle from that of the step, mm.
  struct RowPart {
    double share = 0, length = 0, from_middle = 0;
  };
  RowPart part_in_row(const MarchView& step) const {
    const double from = std::max(plane_ * t_.dz, step.z), to = std::min((plane_ + 1) * t_.dz, step.z + step.dz);
    return {(to - from) / step.dz, to - from, 0.5 * (from + to - step.dz) - step.z};
  }

  /// Steps of a march that overlap the current row.
  std::span<const MarchView> steps_in_row(const Group& g) const {
    const double from = plane_ * t_.dz, to = from + t_.dz;
    const auto first = std::ranges::partition_point(g.steps, [&](const MarchView& s) { return s.z + s.dz <= from; });
    return {first, std::partition_point(first, g.steps.end(), [&](const MarchView& s) { return s.z < to; })};
  }

  /// Spreads a quantity of a tilted beam in the current row over its cells: a Gaussian per bin and step, because the bins
  /// differ in x. `all` is its sum in the row, interpolated between steps. Returns the part outside the box.
  template <typename Of>
  Outside spread_bins(const Group& g, const Of& of, double all, std::span<double> row) const {
    double sum = 0.0;
    for (const MarchView& step : steps_in_row(g)) {
      const double share = part_in_row(step).share;
      for (const double value : std::invoke(of, step)) sum += share * value;
    }
    Outside outside;
    if (sum == 0.0) return outside;
    for (const MarchView& step : steps_in_row(g)) {
      const RowPart part = part_in_row(step);
      const std::vector<double>& values = std::invoke(of, step);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0.0) continue;
        const double across = step.rate[i] * part.length;
        GaussianPair one{.count = 1};
        one.sigma[0] = std::sqrt(std::max(step.variance[i] + across * across / 12.0, 1e-12));
        for (const Beam* spot : g.spots) {
          one.weight[0] = spot->weight * part.share * values[i] * all / sum;
          const double centre = spot->x + step.mean[i] + step.rate[i] * part.from_middle;
          const Outside beyond = add_pair(one, centre, first_x(), t_.dx, row);
          outside.low += beyond.low;
          outside.high += beyond.high;
        }
      }
    }
    return outside;
  }

  StepTotals score_row() {
    StepTotals totals;
    const auto k = static_cast<std::size_t>(plane_ - t_.start.z);
    const std::span<double> row =
        rows_ ? std::span<double>() : std::span(scores_.dose()).subspan(u(plane_) * u(t_.nx), u(t_.nx));
    double* c = &scores_.crossing()[u(plane_) * Crossing::kCount];
    for (const Group& g : groups_) {
      const MarchPlane &before = g.borders[k], &after = g.borders[k + 1], &centre = g.centres[k];
      const bool tilted = g.march->slope() != 0.0;
      std::array<double, 4> deposit{};
      for (std::size_t i = 0; i < deposit.size(); ++i) deposit[i] = after.deposit[i] - before.deposit[i];
      const Outside outside = rows_    ? add_to_rows(g, deposit)
                              : tilted ? spread_bins(g, &MarchView::deposit, deposit[0], row)
                                       : spread(g, deposit, row);
      const double all = g.weight * deposit[0];
      totals.deposited += all - outside.low - outside.high;
      totals.energy.escaped[kXLow] += outside.low;
      totals.energy.escaped[kXHigh] += outside.high;
      const double stopped = g.weight * (after.stopped - before.stopped);
      const auto share = [&](double part) { return all > 0.0 ? part / all * stopped : 0.0; };
      totals.number.escaped[kXLow] += share(outside.low);
      totals.number.escaped[kXHigh] += share(outside.high);
      totals.number.stopped += stopped - share(outside.low) - share(outside.high);
      totals.number.nuclear += g.weight * (after.lost - before.lost);
      totals.energy.nuclear += g.weight * (after.lost_energy - before.lost_energy);
      totals.number.in_flight += g.weight * after.state[kNumber];
      totals.energy.in_flight += g.weight * after.energy;
      for (std::size_t m = 0; t_.tracks.on() && m < TrackScores::kMoments; ++m) {
        std::array<double, 4> tracks{};
        for (std::size_t i = 0; i < tracks.size(); ++i) tracks[i] = after.tracks[m][i] - before.tracks[m][i];
        const auto cells = std::span(scores_.tracks()).subspan(m * t_.plane() + u(plane_) * u(t_.nx), u(t_.nx));
        if (tilted) {
          spread_bins(g, [m](const MarchView& step) -> const auto& { return step.tracks[m]; }, tracks[0], cells);
        } else {
          spread(g, tracks, cells);
        }
      }
      add_crossing(g, centre, (after.passed - before.passed) / t_.dz, c);
      record(g);
    }
    ++plane_;
    ++step_;
    if (plane_ == t_.nz) {
      totals.number.escaped[kZHigh] += std::exchange(totals.number.in_flight, 0.0);
      totals.energy.escaped[kZHigh] += std::exchange(totals.energy.in_flight, 0.0);
    }
    return totals;
  }

  /// Adds the moments of the fluence in the middle of a row to `c`, scaled to the mean number in the row: rows may be
  /// deeper than the falloff, and mean ranges are sums over rows.
  void add_crossing(const Group& g, const MarchPlane& middle, double mean, double* c) const {
    if (!(mean > 0.0)) return;
    const double n = mean, each = middle.state[kNumber] > 0.0 ? 1.0 / middle.state[kNumber] : 0.0;
    const double slope = g.march->slope(), mean_u = middle.mean_u * each, mean_x = middle.mean_x * each;
    const double uu = middle.state[kUU] * each - mean_u * mean_u, xu = middle.state[kXU] * each - mean_x * mean_u;
    const double xx = middle.state[kXX] * each - mean_x * mean_x;
    // Converts tangents to normally distributed angles, to second order in their variance.
    const double u0 = slope + mean_u, square = u0 * u0, c1 = 1.0 / (1.0 + square), narrow = uu * c1 * c1;
    const double theta = std::atan(u0) - u0 * narrow, theta_variance = narrow * (1.0 - (2.0 + 4.0 * square) * narrow);
    const double x_theta = xu * c1 * (1.0 - (1.0 + square) * narrow);
    const double away = slope * ((plane_ + 0.5) * t_.dz - g.march->spot().z) + mean_x;
    for (const Beam* spot : g.spots) {
      const double protons = spot->weight * n, x = spot->x + away;
      c[Crossing::kN] += protons;
      c[Crossing::kX] += protons * x;
      c[Crossing::kXX] += protons * (xx + x * x);
      c[Crossing::kTheta] += protons * theta;
      c[Crossing::kThetaTheta] += protons * (theta_variance + theta * theta);
      c[Crossing::kXTheta] += protons * (x_theta + x * theta);
    }
  }

  /// Records reactions and spectra of all steps in the current row, weighted by the part of each step in the row.
  void record(const Group& g) {
    const bool spectrum = std::ranges::find(t_.tracks.rows, plane_) != t_.tracks.rows.end();
    const bool columns = t_.reactions.on() && !layered_products();
    if (!columns && !spectrum) return;
    for (const MarchView& step : steps_in_row(g)) {
      if (columns) record_reactions(g, step, part_in_row(step));
      if (spectrum) record_spectrum(g, step, part_in_row(step).share);
    }
  }

  void record_reactions(const Group& g, const MarchView& step, const RowPart& part) {
    const ReactionGrid& r = t_.reactions;
    std::vector<double> columns(u(r.columns));
    const std::size_t row = r.row(plane_, 0);
    for (std::size_t i = 0; i < step.lost.size(); ++i) {
      const double number = part.share * step.lost[i];
      if (number == 0.0) continue;
      std::ranges::fill(columns, 0.0);
      const double v = step.variance[i];
      const double mean = step.mean.empty() ? 0.0 : step.mean[i] + step.rate[i] * part.from_middle;
      spread_columns(g, {number, number * v, number * v * v, number * v * v * v}, mean, columns);
      const double energy = step.lost_energy[i];
      const auto above = std::ranges::upper_bound(r.energy, energy) - r.energy.begin();
      const std::size_t low = u(std::clamp(static_cast<int>(above) - 1, 0, r.bins - 2));
      const double upper = (energy - r.energy[low]) / (r.energy[low + 1] - r.energy[low]);
      double* to = &scores_.reactions()[row + low * u(r.columns)];
      for (std::size_t x = 0; x < columns.size(); ++x) {
        to[x] += (1.0 - upper) * columns[x];
        to[u(r.columns) + x] += upper * columns[x];
      }
    }
  }

  /// Adds reactions outside the box to its outermost columns, because their products enter or leave from there.
  void spread_columns(const Group& g, const std::array<double, 4>& of, double mean, std::span<double> columns) const {
    const GaussianPair pair = gaussian_pair(of);
    for (const Beam* spot : g.spots) {
      GaussianPair part = pair;
      for (double& w : part.weight) w *= spot->weight;
      const Outside outside = add_pair(part, spot->x + mean, first_x(), t_.reactions.cells * t_.dx, columns);
      columns.front() += outside.low;
      columns.back() += outside.high;
    }
  }

  void record_spectrum(const Group& g, const MarchView& step, double part) {
    const RangeAxis axis = g.march->grid().range_axis();
    double* to = &scores_.tracks()[t_.tracks.spectrum(plane_, 0)];
    for (std::size_t i = 0; i < step.tracks[0].size(); ++i) {
      const double range = axis.bottom + (step.low + static_cast<double>(i) - step.middle) * axis.step;
      const double energy = media_[0].table.energy_at(std::max(range, 0.0));
      const double amount = part * g.weight * step.tracks[0][i];
      // Splits between the two bins of the scenario with the nearest energies, in the middle of a step, on either side.
      const std::vector<double>& at = t_.tracks.at;
      const auto above = static_cast<std::size_t>(std::ranges::upper_bound(at, energy) - at.begin());
      if (above == 0 || above == at.size()) {
        to[above == 0 ? 0 : at.size() - 1] += amount;
        continue;
      }
      const double share = (energy - at[above - 1]) / (at[above] - at[above - 1]);
      to[above - 1] += (1.0 - share) * amount;
      to[above] += share * amount;
    }
  }

  const Problem& p_;
  const Tables& t_;
  const std::unique_ptr<Marcher> marcher_;
  std::vector<Medium> media_;
  const std::vector<Layer> layers_;
  const bool tilted_;  // any of the beams
  Scores scores_;
  std::shared_ptr<PairRows> rows_;  // in place of the dose of `scores_`
  std::vector<Group> groups_;
  bool marched_ = false;
  int plane_ = 0, step_ = 0;
  double bin_steps_ = 0, lowest_ = 0;
};

std::unique_ptr<Secondaries> Moments::follow_products() {
  if (!layered_products()) return nullptr;
  std::vector<ReactingBeam> beams;
  for (const Group& g : groups_) {
    if (g.reactions) beams.push_back({&*g.reactions, g.spots});
  }
  const auto matter = swept_matter(p_, t_, [](int n, const std::function<void(int)>& task) {
    for (int i = 0; i < n; ++i) task(i);
  });
  return std::make_unique<Secondaries>(follow_layered(p_, t_, matter, beams));
}

/// Phase space reconstructed from the moments: in each bin a Gaussian in x and angle.
bool Moments::visit(engine::RowVisitor& visitor) const {
  if (plane_ >= t_.nz) return true;
  const double depth = (plane_ + 0.5) * t_.dz;
  const double half = 0.5 * p_.grid.dtheta;
  std::vector<double> cells(u(t_.ntheta) * u(t_.nx)), row(u(t_.nx));
  std::map<int, std::vector<double>> bins;  // by energy bin of the scenario
  for (const Group& g : groups_) {
    March march(p_, media_, layers_, *g.spots.front(), t_.reactions.on() ? t_.reactions.energy.front() : 0.0);
    march.run(depth);
    int first = 0;
    const std::vector<double> state = march.state(first);
    const double axis = march.slope() * (depth - march.spot().z);
    for (std::size_t i = 0; i < state.size() / kMoments; ++i) {
      const double* f = &state[i * kMoments];
      if (!(f[kNumber] > 0.0)) continue;
      const double energy = march.grid().held()[u(first) + i];
      const auto above = static_cast<int>(std::ranges::upper_bound(t_.energy, energy) - t_.energy.begin());
      const int low = std::clamp(above - 1, 0, std::max(0, t_.ne - 2));
      const double share =
          t_.ne > 1 ? std::clamp((energy - t_.energy[u(low)]) / (t_.energy[u(low) + 1] - t_.energy[u(low)]), 0.0, 1.0)
                    : 0.0;
      const bool tilted = march.slope() != 0.0;
      const double u0 = tilted ? march.state_means()[2 * i] / f[kNumber] : 0.0;
      const double x0 = tilted ? march.state_means()[2 * i + 1] / f[kNumber] : 0.0;
      const double uu = std::max(f[kUU] / f[kNumber] - u0 * u0, 1e-12), xu = f[kXU] / f[kNumber] - x0 * u0;
      const double xx = f[kXX] / f[kNumber] - x0 * x0;
      // The angle of a tilted beam's protons becomes a tangent from their mean; that along z is small.
      const auto tangent = [&](double angle) { return tilted ? std::tan(angle) - march.slope() - u0 : angle; };
      const double sigma = std::sqrt(uu), rest = std::max(xx - xu * xu / uu, 1e-12);
      std::ranges::fill(cells, 0.0);
      for (int a = 0; a < t_.ntheta; ++a) {
        const double theta = t_.theta[u(a)];
        const double number =
            f[kNumber] * (normal_below(tangent(theta + half) / sigma) - normal_below(tangent(theta - half) / sigma));
        if (number < 1e-12) continue;
        for (const Beam* spot : g.spots) {
          GaussianPair one;
          one.count = 1;
          one.weight[0] = number * spot->weight;
          one.sigma[0] = std::sqrt(rest);
          add_pair(one, spot->x + axis + x0 + xu / uu * tangent(theta), first_x(), t_.dx,
                   std::span(cells).subspan(u(a) * u(t_.nx), u(t_.nx)));
        }
      }
      for (const auto& [bin, part] : {std::pair(low, 1.0 - share), std::pair(low + 1, share)}) {
        if (part == 0.0) continue;
        std::vector<double>& to = bins.try_emplace(bin, cells.size(), 0.0).first->second;
        for (std::size_t k = 0; k < cells.size(); ++k) to[k] += part * cells[k];
      }
    }
  }
  for (const auto& [bin, values] : bins) {
    for (int a = 0; a < t_.ntheta; ++a) {
      visitor.row(bin, a, plane_, 0, std::span(values).subspan(u(a) * u(t_.nx), u(t_.nx)));
    }
  }
  return true;
}

/// Readouts of beams from their planes, one beam per thread at a time.
class MomentReadouts final : public engine::ReadoutsSolver {
 public:
  explicit MomentReadouts(const Problem& problem)
      : p_(problem), layers_(layers_of(problem)), pool_(cpu::thread_count(problem.threads)) {
    for (const Material& material : problem.materials) media_.emplace_back(material);
    threads_.resize(u(pool_.lanes()));
  }

  engine::BeamTable solve(std::span<const Beam> beams, bool curves, const std::atomic<bool>& cancel) override {
    engine::BeamTable out;
    out.rows = beam_march::rows_from(p_.beam.z, p_.grid.nz, p_.grid.dz);
    out.columns.resize(beams.size() * u(beam_march::kReadoutColumns));
    if (curves) out.curves.resize(beams.size() * u(out.rows));
    for (Thread& thread : threads_) thread = {};
    pool_.run(static_cast<int>(beams.size()), [&](int task, int lane) {
      if (!cancel.load()) solve_one(beams[u(task)], u(task), beams.size(), threads_[u(lane)], out);
    });
    for (const Thread& thread : threads_) {
      out.march_s += thread.march_s;
      out.readouts_s += thread.readouts_s;
      out.state_bytes += thread.state_bytes;
    }
    return out;
  }

 private:
  /// Memory that a thread reuses from beam to beam, and its times.
  struct Thread {
    std::vector<double> planes, dose, protons, variance, edges;
    std::vector<int> layer_begin;
    double march_s = 0, readouts_s = 0, state_bytes = 0;
  };

  void solve_one(const Beam& beam, std::size_t i, std::size_t count, Thread& t, engine::BeamTable& out) const {
    using namespace beam_march;
    const cpu::Clock::time_point begun = cpu::Clock::now();
    Beam spot = beam;
    spot.x = 0.0;
    spot.weight = 1.0;
    spot.z = p_.beam.z;
    March march(p_, media_, layers_, spot, 0.0);
    march.run(p_.grid.nz * p_.grid.dz);
    t.march_s += cpu::seconds_since(begun);
    const cpu::Clock::time_point marched = cpu::Clock::now();
    t.planes.assign(march.planes().size() * kComponents, 0.0);
    for (std::size_t k = 0; k < march.planes().size(); ++k) fill_plane(march.planes()[k], &t.planes[k * kComponents]);
    t.planes[t.planes.size() - kComponents + kBinSteps] = march.bin_steps();
    t.layer_begin.assign(march.layer_begin().begin(), march.layer_begin().end());
    for (std::vector<double>* each : {&t.dose, &t.protons, &t.variance, &t.edges}) each->resize(u(out.rows) + 1);
    const auto planes = static_cast<int>(march.planes().size());
    const MarchOutcome outcome{MarchEnd::kDone, planes, static_cast<int>(t.layer_begin.size()) - 1, march.energy_in(),
                               march.min_over_max()};
    const PlaneStore store{t.planes.data(), planes, t.layer_begin.data()};
    const BeamRows<double> rows{t.dose.data(),
                                t.protons.data(),
                                t.variance.data(),
                                t.edges.data(),
                                out.rows,
                                1,
                                (p_.grid.nz - out.rows) * p_.grid.dz,
                                p_.grid.dz};
    BeamReadouts readouts = begin_readouts(store, outcome);
    fill_rows(OneLane(), store, outcome, rows);
    RowReader<double>(rows, p_.beam.z).read(readouts);
    const auto values = std::bit_cast<std::array<double, kReadoutColumns>>(readouts);
    for (std::size_t c = 0; c < values.size(); ++c) out.columns[c * count + i] = values[c];
    for (std::size_t r = 0; !out.curves.empty() && r < u(out.rows); ++r) {
      out.curves[r * count + i] = static_cast<float>(t.dose[r]);
    }
    t.readouts_s += cpu::seconds_since(marched);
    t.state_bytes = std::max(t.state_bytes, march.state_bytes());
  }

  static void fill_plane(const MarchPlane& plane, double* row) {
    using namespace beam_march;
    for (std::size_t k = 0; k < plane.deposit.size(); ++k) row[kDeposit + k] = plane.deposit[k];
    row[kLost] = plane.lost;
    row[kLostEnergy] = plane.lost_energy;
    row[beam_march::kStopped] = plane.stopped;
    row[kPassed] = plane.passed;
    for (std::size_t k = 0; k < plane.state.size(); ++k) row[kInFlightNumber + k] = plane.state[k];
    row[kInFlightEnergyNow] = plane.energy;
    row[kDepth] = plane.z;
  }

  const Problem& p_;
  std::vector<Medium> media_;
  const std::vector<Layer> layers_;
  cpu::ThreadPool pool_;
  std::vector<Thread> threads_;
};

}  // namespace

std::unique_ptr<engine::Solver> make_moments(const Problem& problem, const Tables& tables,
                                             std::unique_ptr<Marcher> marcher) {
  return std::make_unique<Moments>(problem, tables, std::move(marcher));
}

Variant moments_variant() {
  return {
      .id = "moments",
      .title = "Moments of x and angle",
      .changes =
          "Integrates over x and angle: in layered matter each range bin contains number, <θ²>, <xθ> and <x²>, which "
          "are transported exactly",
      .builds_on = "depth",
      .device = "cpu",
      .source = "kernels/transport/moments/moments.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kDepth},
      .bytes_per_cell_step = 80,
      .flops_per_cell_step = 120,
      .speed_rank = 1,
      .scores_tracks = true,
      .estimate_bytes = [](const Problem&, const Tables&) { return kStateBytes; },
      .make = [](const Problem& p, const Tables& t, int) { return make_moments(p, t); },
      .refuses = moments_refusal,
      .needs_operators = false,
      .make_readouts = [](const Problem& p) -> std::unique_ptr<engine::ReadoutsSolver> {
        return std::make_unique<MomentReadouts>(p);
      },
  };
}

}  // namespace bb::transport
