#include "secondaries.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>

#include "build_config.hpp"
#include "cpu/host.hpp"
#include "cpu/thread_pool.hpp"
#include "physics/remap.hpp"
#include "slowdown.hpp"
#include "spread_planes.hpp"
#include "sweep_matter.hpp"
#include "sweep_ops.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {

#define BB_DECLARE(isa)            \
  namespace isa {                  \
  extern const SweepOps kSweepOps; \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

const SweepOps& sweep_ops() {
#define BB_ENTRY(isa) &isa::kSweepOps,
  static const SweepOps* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

namespace {

constexpr int kStraight = 0, kDeuterons = 1, kFirstDeflected = 2;
constexpr int kBeams = kFirstDeflected + kAzimuths * physics::kAngleClasses;
constexpr double kMaxPathPerDepth = 10.0;  // mm per mm of depth: products with longer paths are deposited in place
constexpr int kColumnsPerTask = 2;

bool is_deuteron(int beam) { return beam == kDeuterons; }

/// Index of the beam whose source `beam` uses. All directions of an angle class use the source of the first one.
int source_of(int beam) { return beam < kFirstDeflected ? beam : beam - (beam - kFirstDeflected) % kAzimuths; }

class Sweep {
 public:
  Sweep(const Problem& problem, const Tables& tables, std::span<const double> reactions, int threads)
      : t_(tables),
        g_(tables.reactions),
        reactions_(reactions),
        directions_(product_directions(problem.beam.angle)),
        pool_(threads),
        lanes_(u(pool_.lanes())),
        swept_(swept_matter(
            problem, tables,
            [&](int n, const std::function<void(int)>& task) { pool_.run(n, [&](int each, int) { task(each); }); })),
        least_(kNothingLeft * tables.start.number_in),
        few_(kFewReact * tables.start.number_in) {
    for (State& state : states_) {
      state.numbers.assign(u(kBeams) * u(g_.columns) * u(g_.bins), 0.0);
      state.top.assign(u(kBeams) * u(g_.columns), 0);
    }
    for (int beam = 0; beam < kBeams; ++beam) {
      const BeamGroup way{directions_[u(beam)].way, is_deuteron(beam)};
      const auto found = std::ranges::find(groups_, way);
      group_of_.push_back(static_cast<std::size_t>(found - groups_.begin()));
      if (found == groups_.end()) groups_.push_back(way);
    }
    recorded_top_.assign(u(g_.columns), 0);
    planes_.assign(u(g_.planes) * u(g_.columns), 0.0);
    if (t_.tracks.on()) {
      for (auto& each : track_planes_) each.assign(planes_.size(), 0.0);
    }
    of_columns_.resize(u(g_.columns));
    for (Lane& lane : lanes_) {
      lane.beam.resize(u(g_.bins));
      lane.reacted.resize(u(g_.bins));
      lane.source.assign(u(kBeams) * u(g_.bins), 0.0);
      lane.emitted.resize(u(g_.bins));
      lane.of_beam.assign(matter_.size() * nodes_.size(), 0.0);
      lane.of_products.assign(lane.of_beam.size(), 0.0);
    }
  }

  Secondaries run() {
    const int tasks = (g_.columns + kColumnsPerTask - 1) / kColumnsPerTask;
    for (int plane = 0; plane < g_.planes; ++plane) {
      find_recorded(plane);
      pool_.run(tasks, [&](int task, int lane) {
        const int end = std::min(g_.columns, (task + 1) * kColumnsPerTask);
        for (int x = task * kColumnsPerTask; x < end; ++x) cross(plane, x, lanes_[u(lane)]);
      });
      pool_.run(kBeams, [&](int beam, int) { drift(beam, g_.rows(plane) * t_.dz); });
    }
    Secondaries out;
    for (const ColumnEnergies& column : of_columns_) {
      out.local += column.local;
      out.protons += column.protons;
      out.deuterons += column.deuterons;
      out.neutral += column.neutral;
    }
    for (int beam = 0; beam < kBeams; ++beam) {
      for (const Face face : {kXLow, kXHigh}) out.escaped[face] += aside_[u(beam)][face];
      for (int x = 0; x < g_.columns; ++x) out.escaped[kZHigh] += energy_of(beam, column(beam, x), top(beam, x));
    }
    out.dose = spread_planes(t_, planes_, stopping_);
    if (t_.tracks.on()) {
      for (const std::vector<double>& each : track_planes_) {
        const std::vector<double> field = spread_planes(t_, each, stopping_);
        out.tracks.insert(out.tracks.end(), field.begin(), field.end());
      }
    }
    return out;
  }

 private:
  struct State {
    std::vector<double> numbers;  // [beam][column][bin]
    std::vector<int> top;         // [beam][column] end of the bins with content
  };
  struct Lane {
    Motion motion;
    std::vector<double> beam, reacted, source;  // reacted protons of the beam and of products, and sources of products
    std::vector<double> emitted;                // one source after the half of a plane
    std::pair<int, std::size_t> emitted_of;     // source and BeamGroup of `emitted`
    std::vector<double> of_beam, of_products;   // [materials][nodes] reacted protons that emit products
    MomentTable::Moments beyond{};              // moments of tracks that are in no bin
  };
  /// Energy by column. One thread at a time uses a column, so sums do not depend on the thread.
  struct ColumnEnergies {
    double local = 0, protons = 0, deuterons = 0, neutral = 0;
  };

  State& now(int beam) { return states_[current_[u(beam)]]; }
  std::size_t place(int beam, int x) const { return u(beam) * u(g_.columns) + u(x); }
  double* column(int beam, int x) { return &now(beam).numbers[place(beam, x) * u(g_.bins)]; }
  int& top(int beam, int x) { return now(beam).top[place(beam, x)]; }

  /// Finds the end of the bins with recorded reactions, for every column.
  void find_recorded(int plane) {
    std::ranges::fill(recorded_top_, 0);
    for (int b = 0; b < g_.bins; ++b) {
      const double* row = &reactions_[g_.row(g_.first_row[u(plane)], b)];
      for (int x = 0; x < g_.columns; ++x) {
        if (row[x] > 0.0) recorded_top_[u(x)] = b + 1;
      }
    }
  }
  double energy_of(int beam, const double* p, int n) const {
    return ops_.dot((is_deuteron(beam) ? energies_.deuteron : energies_.proton).data(), p, n);
  }

  /// Thickness of each material in one column of a plane, mm, as a mean over the column's cells.
  std::vector<double> thickness(int plane, int column) const {
    std::vector<double> out(matter_.size(), 0.0);
    const int first = column * g_.cells, end = std::min(t_.nx, first + g_.cells);
    for (int z = g_.first_row[u(plane)]; z < g_.first_row[u(plane) + 1]; ++z) {
      for (int x = first; x < end; ++x) out[t_.origin[t_.map[u(z) * u(t_.nx) + u(x)]]] += 1.0;
    }
    for (double& each : out) each *= t_.dz / (end - first);
    return out;
  }

  /// Adds `sign` times the remaining tracks of `n` bins to the moments of a plane.
  void score_tracks(const Lane& lane, std::size_t cell, double sign, const double* p, int n) {
    for (std::size_t k = 0; k < track_planes_.size(); ++k) {
      track_planes_[k][cell] += sign * ops_.dot(lane.motion.moments[k].data(), p, n);
    }
  }

  /// Transports one column through one plane: reactions, emission and slowing down.
  void cross(int plane, int x, Lane& lane) {
    int highest = recorded_top_[u(x)];
    for (int beam = 0; beam < kBeams; ++beam) highest = std::max(highest, top(beam, x));
    if (highest == 0) return;
    slowdown_.prepare(thickness(plane, x), lane.motion);
    react(plane, x, highest, lane);
    std::array<int, kBeams> reach{};
    lane.beyond.fill(0.0);
    double deposited = emit(lane, highest, reach, of_columns_[u(x)]);
    const std::size_t cell = u(plane) * u(g_.columns) + u(x);
    for (std::size_t k = 0; t_.tracks.on() && k < lane.beyond.size(); ++k) track_planes_[k][cell] += lane.beyond[k];
    lane.emitted_of = {-1, 0};
    for (int beam = 0; beam < kBeams; ++beam) {
      const int emits = reach[u(source_of(beam))];
      if (top(beam, x) == 0 && emits == 0) continue;
      const double left = advance(beam, x, emits, cell, lane);
      (is_deuteron(beam) ? of_columns_[u(x)].deuterons : of_columns_[u(x)].protons) += left;
      deposited += left;
    }
    for (int beam = 0; beam < kBeams; ++beam) std::fill_n(&lane.source[u(beam) * u(g_.bins)], reach[u(beam)], 0.0);
    planes_[cell] += deposited;
  }

  /// Fills the protons of the beam and of products that react in a column of a plane, in the bins below `highest`.
  void react(int plane, int x, int highest, Lane& lane) {
    const double* recorded = &reactions_[g_.row(g_.first_row[u(plane)], 0) + u(x)];
    for (int b = 0; b < highest; ++b) {
      lane.reacted[u(b)] = 0.0;
      lane.beam[u(b)] = b < recorded_top_[u(x)] ? recorded[u(b) * u(g_.columns)] : 0.0;
    }
    for (int beam = 0; beam < kBeams; ++beam) {
      if (is_deuteron(beam)) continue;
      const double* reacts = motion_of(lane, beam).reacts.data();
      ops_.take(column(beam, x), reacts, lane.reacted.data(), top(beam, x));
    }
  }

  /// Slows one beam down in a column, adds its products, whose bins end at `emits`, and deposits what ends. Returns the
  /// deposited energy.
  double advance(int beam, int x, int emits, std::size_t cell, Lane& lane) {
    const int of = source_of(beam), holds = top(beam, x);
    // Straggling may move content up by one bin.
    const int n = std::min(g_.bins, std::max(holds, emits) + 1);
    double* p = column(beam, x);
    const double* source = &lane.source[u(of) * u(g_.bins)];
    const bool tracked = t_.tracks.on() && !is_deuteron(beam);
    const Motion::GroupMotion& motion = motion_of(lane, beam);
    double left = energy_of(beam, p, holds) + energy_of(beam, source, emits);
    if (tracked) {
      score_tracks(lane, cell, 1.0, p, holds);
      score_tracks(lane, cell, 1.0, source, emits);
    }
    if (holds > 0) slowdown_.apply(motion.plane, p, n, lane.motion);
    if (emits > 0) {
      // Products start in the middle of the plane on average. The azimuths of a class share their source, and mostly
      // their BeamGroup too.
      if (const std::pair wanted{of, group_of_[u(beam)]}; lane.emitted_of != wanted) {
        std::copy_n(source, n, lane.emitted.begin());
        slowdown_.apply(motion.half, lane.emitted.data(), n, lane.motion);
        lane.emitted_of = wanted;
      }
      ops_.add(p, lane.emitted.data(), 1.0, std::min(n, emits + 1));
    }
    int end = directions_[u(beam)].travels ? n : 0;
    while (end > 0 && p[end - 1] <= least_) --end;
    std::fill(p + end, p + n, 0.0);
    top(beam, x) = end;
    left -= energy_of(beam, p, end);
    if (tracked) score_tracks(lane, cell, -1.0, p, end);
    return left;
  }

  /// Fills the sources of all beams from the reactions in the bins below `highest`. Returns the energy that is
  /// deposited in place. `reach` receives the end of the bins of each source. Spectra are smooth, so emission is summed
  /// at the nodes first.
  double emit(Lane& lane, int highest, std::array<int, kBeams>& reach, ColumnEnergies& sums) {
    const std::vector<double>& thickness = lane.motion.thickness;
    double local = 0.0;
    for (std::size_t b = 0; b < u(highest); ++b) {
      const double reacted = lane.beam[b] + lane.reacted[b];
      if (!(reacted > 0.0)) continue;
      double all = 0.0;
      for (std::size_t m = 0; m < matter_.size(); ++m) all += thickness[m] * matter_[m].removal[b];
      if (reacted < least_ || !(all > 0.0)) {
        local += reacted * energies_.proton[b];
        continue;
      }
      for (std::size_t m = 0; m < matter_.size(); ++m) {
        if (thickness[m] == 0.0) continue;
        const double number = reacted * thickness[m] * matter_[m].removal[b] / all;
        const double scattered = number * matter_[m].elastic[b];
        local += scatter(lane, m, b, scattered, reach);
        add_to_nodes(lane, m, b, number - scattered);
      }
    }
    for (std::size_t m = 0; m < matter_.size(); ++m) {
      if (thickness[m] == 0.0) continue;
      for (std::size_t node = 0; node < nodes_.size(); ++node) local += emit_at(lane, m, node, reach, sums);
    }
    sums.local += local;
    return local;
  }

  /// Adds `scattered` elastically scattered protons of a bin to the sources. Returns the energy deposited in place.
  double scatter(Lane& lane, std::size_t m, std::size_t b, double scattered, std::array<int, kBeams>& reach) {
    const ElasticProducts& from = matter_[m].scattered[b];
    for (const auto& [angle, bin, each] : from.landings) {
      lane.source[u(kFirstDeflected + kAzimuths * angle) * u(g_.bins) + u(bin)] += scattered * each / kAzimuths;
    }
    for (int k = 0; k < physics::kAngleClasses; ++k) {
      int& of = reach[u(kFirstDeflected + kAzimuths * k)];
      of = std::max(of, from.reach[u(k)]);
    }
    return scattered * from.local;
  }

  /// Divides `rest` reactions of a bin that emit products between the nodes below and above.
  void add_to_nodes(Lane& lane, std::size_t m, std::size_t b, double rest) {
    const double reacted = lane.beam[b] + lane.reacted[b];
    const double of_beam = lane.beam[b] > few_ ? rest * lane.beam[b] / reacted : 0.0;
    const std::size_t at = m * nodes_.size() + node_below_[b];
    lane.of_beam[at] += (1.0 - node_share_[b]) * of_beam;
    lane.of_beam[at + 1] += node_share_[b] * of_beam;
    lane.of_products[at] += (1.0 - node_share_[b]) * (rest - of_beam);
    lane.of_products[at + 1] += node_share_[b] * (rest - of_beam);
  }

  /// Adds the products of the reactions at a node to the sources. Returns the energy deposited in place.
  double emit_at(Lane& lane, std::size_t m, std::size_t node, std::array<int, kBeams>& reach, ColumnEnergies& sums) {
    const double of_beam = std::exchange(lane.of_beam[m * nodes_.size() + node], 0.0);
    const double of_products = std::exchange(lane.of_products[m * nodes_.size() + node], 0.0);
    const double number = of_beam + of_products;
    if (!(number > 0.0)) return 0.0;
    const auto add = [&](int beam, const BinShares& shares, double weight) {
      const int n = static_cast<int>(shares.number.size());
      double* to = &lane.source[u(beam) * u(g_.bins) + u(shares.first)];
      ops_.add(to, shares.number.data(), weight, n);
      if (n > 0) reach[u(beam)] = std::max(reach[u(beam)], shares.first + n);
    };
    const Yield& yield = matter_[m].yields[node];
    add(kDeuterons, yield.deuterons, number);
    // The emission angles of products' products are neglected: they matter little and would double the cost.
    if (of_products > 0.0) add(kStraight, yield.protons, of_products);
    if (of_beam > 0.0) {
      add(kStraight, yield.ahead, of_beam);
      for (int k = 0; k < physics::kAngleClasses; ++k) {
        add(kFirstDeflected + kAzimuths * k, yield.aside[u(k)], of_beam / kAzimuths);
      }
    }
    for (std::size_t k = 0; k < lane.beyond.size(); ++k) {
      lane.beyond[k] += matter_[m].to_water[k] * (of_beam * yield.beyond_aside[k] + of_products * yield.beyond[k]);
    }
    sums.neutral += number * yield.neutral;
    return number * yield.local + of_beam * yield.wide;
  }

  const Motion::GroupMotion& motion_of(const Lane& lane, int beam) const {
    return lane.motion.groups[group_of_[u(beam)]];
  }

  /// Moves one beam sideways, as it drifts in a plane of `depth` mm.
  void drift(int beam, double depth) {
    const physics::RemapShift shift = physics::split_shift(depth * directions_[u(beam)].aside / (g_.cells * t_.dx));
    if (shift.whole == 0 && shift.fraction == 0.0) return;
    std::array<double, physics::kRemapTaps> c{};
    physics::remap_weights(shift.fraction, true, c.data());
    State& next = states_[1 - current_[u(beam)]];
    const auto next_column = [&](int x) { return &next.numbers[place(beam, x) * u(g_.bins)]; };
    for (int x = 0; x < g_.columns; ++x) {
      std::fill_n(next_column(x), std::exchange(next.top[place(beam, x)], 0), 0.0);
    }
    std::vector<double> kept(u(g_.bins)), passed(u(g_.bins));
    const std::vector<double> empty(u(g_.bins), 0.0);
    for (int x = 0; x < g_.columns; ++x) {
      const int n = top(beam, x);
      if (n == 0) continue;
      const auto beside = [&](int i) {
        const int at = physics::remap_neighbour(i, g_.columns, shift.whole);
        return at < 0 ? empty.data() : column(beam, at);
      };
      const double *m2 = beside(x - 2), *m1 = beside(x - 1), *p = beside(x), *p1 = beside(x + 1), *p2 = beside(x + 2);
      for (int b = 0; b < n; ++b) {
        passed[u(b)] = physics::remap_flux(m2[b], m1[b], p[b], p1[b], p2[b], c.data());
        kept[u(b)] = p[b] - passed[u(b)];
      }
      const auto put = [&](int to, const std::vector<double>& part) {
        if (to < 0 || to >= g_.columns) {
          aside_[u(beam)][to < 0 ? kXLow : kXHigh] += energy_of(beam, part.data(), n);
          return;
        }
        ops_.add(next_column(to), part.data(), 1.0, n);
        int& filled = next.top[place(beam, to)];
        filled = std::max(filled, n);
      };
      put(x + shift.whole, kept);
      if (shift.fraction > 0.0) put(x + shift.whole + 1, passed);
    }
    current_[u(beam)] = 1 - current_[u(beam)];
  }

  const SweepOps& ops_ = sweep_ops();
  const Tables& t_;
  const ReactionGrid& g_;
  std::span<const double> reactions_;
  std::vector<ProductDirection> directions_;  // [kBeams]
  std::vector<BeamGroup> groups_;
  std::vector<std::size_t> group_of_;  // [kBeams] index into groups_
  cpu::ThreadPool pool_;
  std::vector<Lane> lanes_;
  std::shared_ptr<const SweptMatter> swept_;
  const SecondaryEnergies& energies_ = swept_->energies;
  const std::vector<int>& nodes_ = swept_->nodes;
  const std::vector<std::size_t>& node_below_ = swept_->node_below;
  const std::vector<double>& node_share_ = swept_->node_share;
  const std::vector<SweptMaterial>& matter_ = swept_->materials;
  const std::vector<double>& stopping_ = swept_->stopping;
  Slowdown slowdown_{*swept_, groups_, g_.bins, t_.tracks.on()};
  std::vector<ColumnEnergies> of_columns_;
  std::array<std::array<double, kFaces>, kBeams> aside_{};  // energy that a beam has lost through the faces in x
  double least_, few_;
  std::array<State, 2> states_;                // a beam moves from one to the other when it drifts
  std::array<std::size_t, kBeams> current_{};  // by beam
  std::vector<int> recorded_top_;              // [column]
  std::vector<double> planes_;                 // [plane][column] MeV
  std::array<std::vector<double>, TrackScores::kMoments> track_planes_;  // [plane][column]; empty if not scored
};

}  // namespace

std::vector<ProductDirection> product_directions(double tilt) {
  const auto towards = [&](double polar, double cosine_of_azimuth) {
    const double along = std::cos(polar), across = std::sin(polar) * cosine_of_azimuth;
    const double down = along * std::cos(tilt) - across * std::sin(tilt);
    const double aside = along * std::sin(tilt) + across * std::cos(tilt);
    return down * kMaxPathPerDepth > 1.0 ? ProductDirection{1.0 / down, aside / down, true}
                                         : ProductDirection{0, 0, false};
  };
  std::vector<ProductDirection> out(kFirstDeflected, towards(0.0, 0.0));
  for (int k = 0; k < physics::kAngleClasses; ++k) {
    const double middle = 0.5 * (physics::kAngleBounds[u(k)] + physics::kAngleBounds[u(k + 1)]);
    for (int i = 0; i < kAzimuths; ++i) {
      const double azimuth = (i + 0.5) * std::numbers::pi / kAzimuths;
      out.push_back(towards(middle * std::numbers::pi / 180.0, std::cos(azimuth)));
    }
  }
  return out;
}

Secondaries follow_secondaries(const Problem& problem, const Tables& tables, std::span<const double> reactions,
                               int threads) {
  return Sweep(problem, tables, reactions, threads).run();
}

}  // namespace bb::transport
