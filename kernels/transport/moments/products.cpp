#include "products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "bin_rows.hpp"
#include "lateral.hpp"
#include "transport/model/index.hpp"
#include "transport/secondaries/spread_planes.hpp"
#include "transport/secondaries/sweep_matter.hpp"
#include "transport/secondaries/sweep_ops.hpp"

namespace bb::transport {
namespace {

constexpr int kHalf = kAzimuths / 2;       // azimuths on one side of the beam; the other side is symmetric
constexpr std::size_t kAgesOfSpan = 2;     // maximum number of ages with the same number of planes; older emissions are
                                           // merged
constexpr std::size_t kSpanGrowth = 4;     // a group of offsets that share a width is 1/4 of those nearer the axis
constexpr double kOffsetsPerColumn = 2.0;  // offsets (distances of deflected products from the axis) per column

constexpr int kAhead = 0, kDeuteronClass = 1, kFirstAngleClass = 2;
constexpr int kKinds = kFirstAngleClass + physics::kAngleClasses;
/// Products are grouped by emitter, and each emitter is one Gaussian. The first emitter is the beam with its products
/// that go straight ahead. The others are products that have moved off the axis, up to these distances and beyond.
/// Products near the axis that scatter elastically join those that the beam sends off the axis.
constexpr std::array<double, 2> kEmitterEnds{0.04, 0.12};  // shares of the beam's range in water
constexpr std::size_t kEmitters = 2 + kEmitterEnds.size();
constexpr std::size_t kNear = 1;  // the emitters up to this index are near the axis
/// Emitters farther from the axis only have products that go straight ahead.
constexpr int kClasses = kKinds + kFirstAngleClass * (static_cast<int>(kEmitters) - 1);

constexpr int kind_of(int c) { return c < kKinds ? c : (c - kKinds) % kFirstAngleClass; }
constexpr std::size_t emitter_of(int c) {
  return c < kKinds ? 0 : 1 + static_cast<std::size_t>((c - kKinds) / kFirstAngleClass);
}
constexpr int class_of(std::size_t emitter, int kind) {
  return kind + (emitter == 0 ? 0 : kKinds + kFirstAngleClass * (static_cast<int>(emitter) - 1));
}
constexpr bool goes_aside(int c) { return kind_of(c) >= kFirstAngleClass; }
constexpr std::size_t kHeld = std::tuple_size_v<SpreadProtons>;

/// Energy deposited in a plane, and this energy times the variance of x.
using Deposit = SpreadProtons;

/// Products of one class of angles from neighbouring planes of emission.
struct Age {
  int planes = 1;       // number of planes of emission
  double depth = 0;     // mm since emission, mean
  double variance = 0;  // mm² at emission, mean
  int top = 0;          // end of the bins with content
  BinRows held;
};

class LayeredSweep {
 public:
  LayeredSweep(const Problem& problem, const Tables& tables, const SweptMatter& matter)
      : t_(tables),
        g_(tables.reactions),
        matter_(matter),
        before_(static_cast<int>(kHeld), 2 * (g_.bins + 2 * kBinGroup)),
        ones_(1, g_.bins) {
    std::fill_n(ones_.row(), g_.bins, 1.0);
    const std::vector<ProductDirection> directions = product_directions(0.0);
    for (int c = 0; c < kKinds; ++c) {
      const std::size_t first = c < kFirstAngleClass ? u(c) : u(kFirstAngleClass + kAzimuths * (c - kFirstAngleClass));
      way_[u(c)] = directions[first].way;
      for (int i = 0; i < kHalf; ++i) {
        aside_[u(c)][u(i)] = directions[first + (c < kFirstAngleClass ? 0 : u(i))].aside;
      }
    }
    for (int c = 0; c < kClasses; ++c) {
      held_.emplace_back(goes_aside(c) ? 0 : static_cast<int>(kHeld), g_.bins + kBinGroup);
      source_.emplace_back(kHeld, g_.bins + kBinGroup);
    }
    for (std::size_t e = 0; e < kEmitters; ++e) {
      reacted_.emplace_back(kHeld, g_.bins);
    }
    planes_.assign(u(g_.planes) * u(g_.columns), 0.0);
    for (int column = 0; column <= g_.columns; ++column) {
      edges_.push_back((std::min(t_.nx, column * g_.cells) - 0.5 * t_.nx) * t_.dx);
    }
    offset_step_ = g_.cells * t_.dx / kOffsetsPerColumn;
    offsets_.resize(u(static_cast<int>(t_.nx * t_.dx / offset_step_) + 2));
    profile_.resize(4 * offsets_.size() + 1);
    farthest_ = profile_.size() / 2;
    below_.resize(profile_.size() + 1);
    std::size_t cell = 0;
    for (int plane = 0; plane < g_.planes; ++plane) {
      std::vector<double> thickness(problem.materials.size(), 0.0);
      for (int z = g_.first_row[u(plane)]; z < g_.first_row[u(plane) + 1]; ++z, cell += u(t_.nx)) {
        thickness[t_.origin[t_.map[cell]]] += t_.dz;
      }
      motion_of_.push_back(&motion(std::move(thickness)));
    }
  }

  /// Adds the dose and losses of a beam's products.
  void follow(const ReactingBeam& beam) {
    range_mm_ = 10.0 * matter_.water.range(beam.spots.front()->energy);
    for (BinRows& each : held_) each.clear();
    for (std::vector<Age>& each : ages_) each.clear();
    top_.fill(0);
    for (int plane = 0; plane < g_.planes; ++plane) cross(plane, beam);
    double left = 0.0;
    for (int c = 0; c < kClasses; ++c) {
      if (!goes_aside(c)) left += energy_of(c, held_[u(c)].row(), top_[u(c)]);
      for (const Age& age : ages_[u(c)]) left += energy_of(c, age.held.row(), age.top);
    }
    out_.escaped[kZHigh] += weight_of(beam) * left;
  }

  Secondaries take() {
    // Taps leave slightly negative content beyond the end of a range, which is subtracted from the previous plane.
    for (std::size_t i = planes_.size(); i-- > u(g_.columns);) {
      if (planes_[i] < 0.0) planes_[i - u(g_.columns)] += std::exchange(planes_[i], 0.0);
    }
    out_.dose = spread_planes(t_, planes_, matter_.stopping);
    return std::move(out_);
  }

 private:
  /// Transport of all bins through a plane, by kind of product.
  struct Motion {
    struct Band {
      int base = 0, taps = 0;  // parameters of BinStep
      BinRows weight, given;

      BinStep step(const double* keep) const { return {weight.row(), weight.stride(), taps, base, keep, given.row()}; }
    };
    struct Kind {
      BinRows keep, reacts;
      Band whole, half;  // half: for products emitted in the middle of the plane
    };

    std::vector<double> thickness;  // [materials] mm
    std::vector<Kind> kinds;
    BinRows local, neutral;  // MeV per reacting product, deposited in place and carried away
  };

  const Motion& motion(std::vector<double> thickness) {
    if (const auto found = motions_.find(thickness); found != motions_.end()) return found->second;
    Motion& m = motions_.try_emplace(thickness, Motion{thickness, {}, {1, g_.bins}, {1, g_.bins}}).first->second;
    const int bins = g_.bins;
    std::vector<double> shift(u(bins)), spread(u(bins));
    for (int c = 0; c < kKinds; ++c) {
      BinRows keep(1, bins), reacts(1, bins);
      const std::size_t kind = c == kDeuteronClass ? 1 : 0;
      for (int b = 0; b < bins; ++b) {
        double removal = 0.0;
        shift[u(b)] = spread[u(b)] = 0.0;
        for (std::size_t i = 0; i < thickness.size(); ++i) {
          if (thickness[i] == 0.0) continue;
          const double way = thickness[i] * way_[u(c)];
          const SweptMaterial& material = matter_.materials[i];
          shift[u(b)] += way * material.slowing[kind][u(b)];
          spread[u(b)] += way * material.straggling[kind][u(b)];
          removal += way * material.removal[u(b)];
        }
        reacts.row()[b] = kind == 0 ? -std::expm1(-removal) : 0.0;
        keep.row()[b] = 1.0 - reacts.row()[b];
      }
      Motion::Band all = band(shift, spread, energies(c));
      for (std::size_t b = 0; b < u(bins); ++b) {
        shift[b] *= 0.5;
        spread[b] *= 0.5;
      }
      m.kinds.push_back({std::move(keep), std::move(reacts), std::move(all), band(shift, spread, energies(c))});
    }
    for (std::size_t b = 0; b < u(bins); ++b) {
      if (!emits(thickness, b)) m.local.row()[b] = matter_.energies.proton[b];
      for (std::size_t i = 0; i < thickness.size(); ++i) {
        const double share = share_of(thickness, i, b);
        if (share == 0.0) continue;
        const SweptMaterial& material = matter_.materials[i];
        const double elastic = share * material.elastic[b], rest = share - elastic;
        const Yield* yield = &material.yields[matter_.node_below[b]];
        const double upper = matter_.node_share[b] * rest, lower = rest - upper;
        m.local.row()[b] += elastic * material.scattered[b].local + lower * yield[0].local + upper * yield[1].local;
        m.neutral.row()[b] += lower * yield[0].neutral + upper * yield[1].neutral;
      }
    }
    return m;
  }

  /// Weights that move each bin down by a shift with a spread, in bins and bins².
  static Motion::Band band(std::span<const double> shift, std::span<const double> spread,
                           std::span<const double> energy) {
    const int bins = static_cast<int>(shift.size());
    std::vector<int> whole;
    for (const double each : shift) {
      whole.push_back(static_cast<int>(std::floor(std::min(each, static_cast<double>(bins)) + 0.5)));
    }
    const auto [least, most] = std::ranges::minmax_element(whole);
    const int taps = *most - *least + 2 * kReach + 1;
    Motion::Band to{*least - kReach, taps, {taps, bins + kBinGroup}, {1, bins}};
    for (int b = 0; b < bins; ++b) {
      const auto weight =
          tap_weights(shift[u(b)] - std::floor(shift[u(b)] + 0.5), std::min(spread[u(b)], kWidestSpread));
      double after = 0.0;
      for (int i = 0; i <= 2 * kReach; ++i) {
        // Content that would rise above the highest bin stays there. Content below the lowest bin has stopped.
        const int landing = std::min(b - whole[u(b)] - i + kReach, bins - 1);
        if (landing < 0) continue;
        to.weight.row(b - landing - to.base)[landing] += weight[u(i)];
        after += weight[u(i)] * energy[u(landing)];
      }
      to.given.row()[b] = energy[u(b)] - after;
    }
    return to;
  }

  double removal_of(const std::vector<double>& thickness, std::size_t b) const {
    double all = 0.0;
    for (std::size_t m = 0; m < thickness.size(); ++m) all += thickness[m] * matter_.materials[m].removal[b];
    return all;
  }
  bool emits(const std::vector<double>& thickness, std::size_t b) const { return removal_of(thickness, b) > 0.0; }

  /// Share of a bin's reactions that occur in a material.
  double share_of(const std::vector<double>& thickness, std::size_t material, std::size_t b) const {
    const double all = removal_of(thickness, b);
    return all > 0.0 ? thickness[material] * matter_.materials[material].removal[b] / all : 0.0;
  }

  const std::vector<double>& energies(int c) const {
    return kind_of(c) == kDeuteronClass ? matter_.energies.deuteron : matter_.energies.proton;
  }
  double energy_of(int c, const double* p, int n) const { return ops_.dot(energies(c).data(), p, n); }

  /// Transports all content through one plane: reactions, emission, slowing down, and the depth since emission.
  void cross(int plane, const ReactingBeam& beam) {
    const std::size_t row = u(plane) * u(g_.bins);
    const std::span<const SpreadProtons> recorded = std::span(beam.reactions->held).subspan(row, u(g_.bins));
    int first = 0, end = g_.bins;
    while (end > 0 && recorded[u(end - 1)][0] == 0.0) --end;
    while (first < end && recorded[u(first)][0] == 0.0) ++first;
    int highest = std::max({end, *std::ranges::max_element(top_)});
    for (const std::vector<Age>& ages : ages_) {
      for (const Age& age : ages) highest = std::max(highest, age.top);
    }
    if (highest == 0) return;
    const Motion& motion = *motion_of_[u(plane)];
    std::array<Centred, kEmitters> centred{};
    for (int c = 0; c < kClasses; ++c) take_reacting(c, motion.kinds[u(kind_of(c))]);
    reach_.fill(0);
    emit_of_beam(motion, recorded, first, end, centred[0].local);
    for (std::size_t e = 0; e < kEmitters; ++e) emit_of_products(e, motion, highest, centred[e].local);
    out_.neutral += weight_of(beam) * std::exchange(neutral_, 0.0);
    double aside = 0.0;
    for (int c = 0; c < kClasses; ++c) {
      const Motion::Kind& of = motion.kinds[u(kind_of(c))];
      if (goes_aside(c)) {
        aside += step_aside(c, of, g_.rows(plane) * t_.dz);
        continue;
      }
      Centred& to = centred[emitter_of(c)];
      (kind_of(c) == kDeuteronClass ? to.deuterons : to.protons) = step(c, of, held_[u(c)], top_[u(c)], reach_[u(c)]);
    }
    for (std::size_t k = 0; k < kHeld; ++k) centred[0].protons[k] += beam.reactions->left[u(plane)][k];
    spread(centred, aside, plane, beam);
    for (int c = 0; c < kClasses; ++c) {
      for (int k = 0; k < static_cast<int>(kHeld); ++k) std::fill_n(source_[u(c)].row(k), reach_[u(c)], 0.0);
    }
  }

  /// Energy deposited in a plane around the axis, from one emitter.
  struct Centred {
    Deposit local{}, protons{}, deuterons{};

    Deposit all() const {
      Deposit sum{};
      for (std::size_t k = 0; k < kHeld; ++k) sum[k] = local[k] + protons[k] + deuterons[k];
      return sum;
    }
  };

  static double weight_of(const ReactingBeam& beam) {
    double sum = 0.0;
    for (const Beam* spot : beam.spots) sum += spot->weight;
    return sum;
  }

  std::size_t emitter_at(double distance) const {
    const double share = distance / range_mm_;
    return 1 + static_cast<std::size_t>(std::ranges::upper_bound(kEmitterEnds, share) - kEmitterEnds.begin());
  }

  /// Adds reacting products of a class to those of their emitter. The following step removes them.
  void take_reacting(int c, const Motion::Kind& motion) {
    const int kind = kind_of(c), top = top_[u(c)];
    if (kind == kDeuteronClass) return;
    const double* reacts = motion.reacts.row();
    const auto add = [&](std::size_t emitter, const BinRows& held, int variance_row, double protons, double squares,
                         int n) {
      ops_.react({reacts, held.row(), held.row(variance_row)}, protons, squares, reacted_[emitter].row(0),
                 reacted_[emitter].row(1), n);
    };
    if (kind == kAhead) return add(emitter_of(c), held_[u(c)], 1, 1.0, 1.0, top);
    // A product reacts at the distance from the axis to which its angle has moved it.
    for (const Age& age : ages_[u(c)]) {
      std::array<SpreadProtons, kEmitters> shares{};
      for (const double aside : aside_[u(kind)]) {
        const double offset = aside * age.depth;
        SpreadProtons& share = shares[emitter_at(offset)];
        share[0] += 1.0 / kHalf;
        share[1] += (age.variance + offset * offset) / kHalf;
      }
      for (std::size_t e = 0; e < kEmitters; ++e) {
        if (shares[e][0] > 0.0) add(e, age.held, 0, shares[e][0], shares[e][1], age.top);
      }
    }
  }

  /// Steps the rows of a class, and its source in this plane, which starts in the middle of the plane. Returns the
  /// energy that they deposit.
  Deposit step(int c, const Motion::Kind& motion, BinRows& held, int& top, int reach) {
    Deposit deposit{};
    int end = 0;
    if (top > 0) {
      end = move(motion.whole.step(motion.keep.row()), held, top, held, false, deposit);
      for (int k = 0; k < held.rows() && top > end; ++k) std::fill(held.row(k) + end, held.row(k) + top, 0.0);
    }
    if (reach > 0) end = std::max(end, move(motion.half.step(ones_.row()), source_[u(c)], reach, held, true, deposit));
    while (end > 0 && std::abs(held.row()[end - 1]) <= kNothingLeft) {
      --end;
      for (int k = 0; k < held.rows(); ++k) {
        deposit[u(k)] += std::exchange(held.row(k)[end], 0.0) * energies(c)[u(end)];
      }
    }
    top = end;
    return deposit;
  }

  /// Moves the lowest `n` bins of `from` down into `to`. Returns the end of the bins that receive content.
  int move(const BinStep& step, BinRows& from, int n, BinRows& to, bool adds, Deposit& deposit) {
    const int rows = to.rows(), end = std::clamp(n - step.base, 0, g_.bins);
    const BinsHeld before{before_.row(), before_.stride(), rows};
    ops_.leave(step, {from.row(), from.stride(), rows}, n, before, deposit.data());
    ops_.land(step, before, end, {to.row(), to.stride(), rows}, adds);
    return end;
  }

  /// Steps all ages of a class. Its emission in this plane becomes a new age. Returns the energy that they deposit.
  double step_aside(int c, const Motion::Kind& motion, double thickness) {
    std::vector<Age>& ages = ages_[u(c)];
    const int reach = reach_[u(c)];
    if (reach > 0) {
      const auto sum = [&](const double* from) { return std::accumulate(from, from + reach, 0.0); };
      const double protons = sum(source_[u(c)].row(0)), variance = sum(source_[u(c)].row(1));
      ages.push_back({.variance = protons > 0.0 ? variance / protons : 0.0, .held = row_for_age()});
    }
    double energy = 0.0;
    for (std::size_t i = 0; i < ages.size(); ++i) {
      Age& age = ages[i];
      const bool is_new = reach > 0 && i + 1 == ages.size();
      const double deposit = step(c, motion, age.held, age.top, is_new ? reach : 0)[0];
      energy += deposit;
      for (const double aside : aside_[u(kind_of(c))]) {
        add_offset(aside * age.depth, {deposit / kHalf, age.variance * deposit / kHalf});
      }
      age.depth += thickness;
      if (age.top == 0) spare_.push_back(std::move(age.held));
    }
    std::erase_if(ages, [](const Age& age) { return age.top == 0; });
    merge(ages);
    return energy;
  }

  /// Returns an empty row.
  BinRows row_for_age() {
    if (spare_.empty()) return {1, g_.bins + kBinGroup};
    BinRows out = std::move(spare_.back());
    spare_.pop_back();
    return out;
  }

  static double protons_of(const Age& age) { return std::accumulate(age.held.row(), age.held.row() + age.top, 0.0); }

  /// Merges the two oldest of more than kAgesOfSpan ages with the same number of planes.
  void merge(std::vector<Age>& ages) {
    for (std::size_t end = ages.size(); end > kAgesOfSpan; --end) {
      Age &older = ages[end - 1 - kAgesOfSpan], &newer = ages[end - kAgesOfSpan];
      if (older.planes != newer.planes || newer.planes != ages[end - 1].planes) continue;
      const double before = protons_of(older), added = protons_of(newer), all = before + added;
      const double part = all > 0.0 ? std::clamp(added / all, 0.0, 1.0) : 0.5;  // the sum may be a rounding error
      older.planes += newer.planes;
      older.depth += part * (newer.depth - older.depth);
      older.variance += part * (newer.variance - older.variance);
      older.top = std::max(older.top, newer.top);
      ops_.add(older.held.row(), newer.held.row(), 1.0, newer.top);
      newer.held.clear();
      spare_.push_back(std::move(newer.held));
      ages.erase(ages.begin() + static_cast<std::ptrdiff_t>(end - kAgesOfSpan));
    }
  }

  /// Adds energy at a distance from the axis, half of it on either side, to the two nearest offsets.
  void add_offset(double distance, const Deposit& deposit) {
    const double place = std::min(distance / offset_step_, static_cast<double>(offsets_.size() - 2));
    const auto low = static_cast<std::size_t>(place);
    const double upper = place - static_cast<double>(low);
    for (std::size_t k = 0; k < kHeld; ++k) {
      offsets_[low][k] += (1.0 - upper) * deposit[k];
      offsets_[low + 1][k] += upper * deposit[k];
    }
  }

  void add_source(int c, const BinShares& shares, const Deposit& from) {
    const int n = static_cast<int>(shares.number.size());
    if (n == 0) return;
    BinRows& to = source_[u(c)];
    ops_.add_both(to.row(0) + shares.first, to.row(1) + shares.first, shares.number.data(), from[0], from[1], n);
    reach_[u(c)] = std::max(reach_[u(c)], shares.first + n);
  }

  /// Adds elastically scattered protons of a bin near the axis to the classes that leave the axis.
  void scatter(const SweptMaterial& material, std::size_t b, const Deposit& near) {
    const Scattered& scattered = material.scattered[b];
    for (const auto& [angle, bin, each] : scattered.landings) {
      for (std::size_t k = 0; k < kHeld; ++k) {
        source_[u(kFirstAngleClass + angle)].row(static_cast<int>(k))[bin] += near[k] * each;
      }
    }
    for (int k = 0; k < physics::kAngleClasses; ++k) {
      reach_[u(kFirstAngleClass + k)] = std::max(reach_[u(kFirstAngleClass + k)], scattered.reach[u(k)]);
    }
  }

  /// Fills the sources from the beam's reactions in a plane, and adds the local energy. Spectra are smooth, so emission
  /// is summed at the energy nodes first. Reactions too few to be followed by angle are added to those of the products.
  void emit_of_beam(const Motion& motion, std::span<const SpreadProtons> recorded, int first, int end, Deposit& local) {
    const std::size_t nodes = matter_.nodes.size();
    emitting_.assign(motion.thickness.size() * nodes, {});
    for (std::size_t b = u(first); b < u(end); ++b) {
      const Deposit& of = recorded[b];
      if (!(of[0] > kFewReact) || !emits(motion.thickness, b)) {
        for (std::size_t k = 0; k < kHeld; ++k) reacted_[0].row(static_cast<int>(k))[b] += of[k];
        continue;
      }
      for (std::size_t m = 0; m < motion.thickness.size(); ++m) {
        const double share = share_of(motion.thickness, m, b);
        if (share == 0.0) continue;
        const SweptMaterial& material = matter_.materials[m];
        const double elastic = share * material.elastic[b];
        const double upper = matter_.node_share[b] * (share - elastic), lower = share - elastic - upper;
        Deposit* to = &emitting_[m * nodes + matter_.node_below[b]];
        Deposit near{};
        for (std::size_t k = 0; k < kHeld; ++k) {
          near[k] = elastic * of[k];
          local[k] += near[k] * material.scattered[b].local;
          to[0][k] += lower * of[k];
          to[1][k] += upper * of[k];
        }
        scatter(material, b, near);
      }
    }
    for (std::size_t i = 0; i < emitting_.size(); ++i) {
      const Deposit& from = emitting_[i];
      if (from[0] == 0.0) continue;
      const Yield& yield = matter_.materials[i / nodes].yields[i % nodes];
      add_source(kDeuteronClass, yield.deuterons, from);
      add_source(kAhead, yield.ahead, from);
      for (int k = 0; k < physics::kAngleClasses; ++k) add_source(kFirstAngleClass + k, yield.aside[u(k)], from);
      for (std::size_t k = 0; k < kHeld; ++k) local[k] += from[k] * (yield.local + yield.wide);
      neutral_ += from[0] * yield.neutral;
    }
  }

  /// Fills the sources from reacted products of an emitter, and adds the local energy. The angles of emitted products
  /// are neglected, as in columns.
  void emit_of_products(std::size_t e, const Motion& motion, int highest, Deposit& local) {
    const std::size_t nodes = matter_.nodes.size();
    emitting_.assign(motion.thickness.size() * nodes, {});
    const double *protons = reacted_[e].row(0), *variance = reacted_[e].row(1);
    neutral_ += ops_.dot(motion.neutral.row(), protons, highest);
    local[0] += ops_.dot(motion.local.row(), protons, highest);
    local[1] += ops_.dot(motion.local.row(), variance, highest);
    for (std::size_t b = 0; b < u(highest); ++b) {
      const Deposit of{protons[b], variance[b]};
      if (std::abs(of[0]) < kNothingLeft) {
        const double energy = matter_.energies.proton[b] - motion.local.row()[b] - motion.neutral.row()[b];
        for (std::size_t k = 0; k < kHeld; ++k) local[k] += of[k] * energy;
        continue;
      }
      for (std::size_t m = 0; m < motion.thickness.size(); ++m) {
        const double share = share_of(motion.thickness, m, b);
        if (share == 0.0) continue;
        const SweptMaterial& material = matter_.materials[m];
        const double elastic = share * material.elastic[b];
        const double upper = matter_.node_share[b] * (share - elastic), lower = share - elastic - upper;
        Deposit* to = &emitting_[m * nodes + matter_.node_below[b]];
        Deposit scattered{};
        for (std::size_t k = 0; k < kHeld; ++k) {
          scattered[k] = elastic * of[k];
          to[0][k] += lower * of[k];
          to[1][k] += upper * of[k];
        }
        if (e <= kNear) {
          scatter(material, b, scattered);
          continue;
        }
        // Products farther away go straight on, with unchanged speed but in a number that has the remaining energy.
        const double left = 1.0 - material.scattered[b].local / matter_.energies.proton[b];
        const int c = class_of(e, kAhead);
        for (std::size_t k = 0; k < kHeld; ++k) source_[u(c)].row(static_cast<int>(k))[b] += left * scattered[k];
        reach_[u(c)] = std::max(reach_[u(c)], static_cast<int>(b) + 1);
      }
    }
    for (std::size_t i = 0; i < emitting_.size(); ++i) {
      if (emitting_[i][0] == 0.0) continue;
      const Yield& yield = matter_.materials[i / nodes].yields[i % nodes];
      add_source(class_of(e, kDeuteronClass), yield.deuterons, emitting_[i]);
      add_source(class_of(e, kAhead), yield.protons, emitting_[i]);
    }
    reacted_[e].clear();
  }

  static double sigma_of(const Deposit& deposit) {
    constexpr double kMin = 1e-6;  // mm
    return std::max(std::sqrt(std::max(deposit[1] / deposit[0], 0.0)), kMin);
  }

  /// Shares of a Gaussian with standard deviation `sigma` (mm) in cells of width offset_step_, from the lowest cell on.
  /// It is centred on the middle cell; the lowest and the highest cell include the tails.
  void make_kernel(double sigma, std::vector<double>& out) const {
    constexpr double kFarthest = 6.0;  // sigmas; 2e-9 is beyond
    const double cell = offset_step_ / sigma;
    const auto half = std::min(offsets_.size(), static_cast<std::size_t>(kFarthest / cell) + 1);
    out.resize(2 * half + 1);
    double before = 0.0;
    for (std::size_t i = 0; i < half; ++i) {
      const double after = normal_below((static_cast<double>(i) + 0.5 - static_cast<double>(half)) * cell);
      out[i] = out[2 * half - i] = after - before;
      before = after;
    }
    out[half] = 1.0 - 2.0 * before;
  }

  /// Kernel for products far from their emission, whose width matters less: `sigma` is rounded, with kPerE steps per
  /// factor of e.
  std::span<const double> coarse_kernel(double sigma) {
    constexpr double kPerE = 50.0;
    constexpr int kLowest = -700;
    const int place = static_cast<int>(std::lround(std::log(sigma) * kPerE));
    std::vector<double>& kernel = kernels_[u(std::clamp(place, kLowest, -kLowest) - kLowest)];
    if (kernel.empty()) make_kernel(std::exp(place / kPerE), kernel);
    return kernel;
  }

  void add_about(std::size_t centre, double amount, std::span<const double> kernel) {
    farthest_ = std::max(farthest_, centre + kernel.size() / 2);
    ops_.add(&profile_[centre - kernel.size() / 2], kernel.data(), amount, static_cast<int>(kernel.size()));
  }

  /// Cells on both sides of the axis, as far as there is content.
  std::span<double> reached(std::vector<double>& profile) const {
    const std::size_t nearest = profile.size() - 1 - farthest_;
    return std::span(profile).subspan(nearest, farthest_ + 1 - nearest);
  }

  /// Distributes the deposits of products around the axis, and `aside` MeV at the offsets, over the columns of a plane;
  /// clears the offsets. All spots have the same profile across x, so it is computed once, in cells of width
  /// offset_step_.
  void spread(const std::array<Centred, kEmitters>& centred, double aside, int plane, const ReactingBeam& beam) {
    const std::size_t middle = profile_.size() / 2;
    std::ranges::fill(reached(profile_), 0.0);
    farthest_ = middle;
    // Products far from the axis were emitted earlier, by a narrower beam. So groups of neighbouring offsets, larger
    // with distance, share one width.
    for (std::size_t first = 0, end = 1; aside != 0.0 && first < offsets_.size();
         first = end, end += std::max<std::size_t>(1, end / kSpanGrowth)) {
      const std::span<Deposit> some = std::span(offsets_).subspan(first, std::min(end, offsets_.size()) - first);
      Deposit all{};
      for (const Deposit& each : some) {
        for (std::size_t k = 0; k < kHeld; ++k) all[k] += each[k];
      }
      if (all[0] == 0.0) continue;
      const std::span<const double> shares = coarse_kernel(sigma_of(all));
      for (std::size_t i = 0; i < some.size(); ++i) {
        const double each = std::exchange(some[i], {})[0];
        if (each != 0.0) add_about(middle + first + i, 0.5 * each, shares);
      }
    }
    // Adds the mirrored half on the other side of the axis.
    for (std::size_t i = 2 * middle - farthest_; i <= middle; ++i) {
      profile_[i] = profile_[profile_.size() - 1 - i] = profile_[i] + profile_[profile_.size() - 1 - i];
    }
    std::array<double, kEmitters> sigma{};
    for (std::size_t e = 0; e < kEmitters; ++e) {
      const Deposit all = centred[e].all();
      if (all[0] == 0.0) continue;
      sigma[e] = sigma_of(all);
      if (e > 0) {
        add_about(middle, all[0], coarse_kernel(sigma[e]));
        continue;
      }
      // Around the beam, local deposits are as wide as the beam in this plane, and products as the beam at their
      // emission.
      for (const Deposit& each : {centred[e].local, centred[e].protons, centred[e].deuterons}) {
        if (each[0] == 0.0) continue;
        make_kernel(sigma_of(each), kernel_);
        add_about(middle, each[0], kernel_);
      }
    }
    const std::size_t nearest = 2 * middle - farthest_;
    const std::span<const double> some = reached(profile_);
    below_[nearest] = 0.0;
    std::inclusive_scan(some.begin(), some.end(), &below_[nearest + 1]);
    const double per_step = 1.0 / offset_step_, all = below_[farthest_ + 1];
    double* row = &planes_[u(plane) * u(g_.columns)];
    double sides = 0.0;
    std::array<double, kEmitters> beyond{};  // share of each emitter beyond the columns, times the spots' weights
    for (const Beam* spot : beam.spots) {
      const auto below = [&](double edge) {
        const double place = (edge - spot->x) * per_step + static_cast<double>(middle) + 0.5;
        const double cut = std::clamp(place, static_cast<double>(nearest), static_cast<double>(farthest_ + 1));
        const auto cell = std::min(static_cast<std::size_t>(cut), farthest_);
        return below_[cell] + (cut - static_cast<double>(cell)) * profile_[cell];
      };
      double before = below(edges_.front());
      const double low = spot->weight * before;
      for (std::size_t column = 0; column < u(g_.columns); ++column) {
        const double after = below(edges_[column + 1]);
        row[column] += spot->weight * (after - before);
        before = after;
      }
      const double high = spot->weight * (all - before);
      out_.escaped[kXLow] += low;
      out_.escaped[kXHigh] += high;
      sides += low + high;
      for (std::size_t e = 0; e < kEmitters; ++e) {
        if (sigma[e] == 0.0) continue;
        beyond[e] += spot->weight * (normal_below((edges_.front() - spot->x) / sigma[e]) +
                                     normal_below((spot->x - edges_.back()) / sigma[e]));
      }
    }
    const double weight = weight_of(beam);
    out_.protons += weight * aside - sides;
    for (std::size_t e = 0; e < kEmitters; ++e) {
      const auto inside = [&](const Deposit& deposit) { return (weight - beyond[e]) * deposit[0]; };
      out_.local += inside(centred[e].local);
      out_.deuterons += inside(centred[e].deuterons);
      out_.protons += inside(centred[e].protons) + beyond[e] * centred[e].all()[0];
    }
  }

  const SweepOps& ops_ = sweep_ops();
  const Tables& t_;
  const ReactionGrid& g_;
  const SweptMatter& matter_;
  std::array<double, kKinds> way_{};                       // mm of path per mm of depth
  std::array<std::array<double, kHalf>, kKinds> aside_{};  // mm sideways per mm of depth
  std::map<std::vector<double>, Motion> motions_;          // by thickness of the materials
  std::vector<const Motion*> motion_of_;                   // [planes]
  std::vector<BinRows> held_, source_;                     // [kClasses]
  std::array<std::vector<Age>, kClasses> ages_;            // products that leave the axis, oldest first
  std::array<int, kClasses> top_{}, reach_{};              // ends of the bins with content, and with emission
  std::vector<BinRows> reacted_;                           // [kEmitters] reacted products in this plane
  double range_mm_ = 0;                                    // range of the beam in water
  double offset_step_ = 1;                                 // mm
  std::vector<Deposit> offsets_;                  // MeV in the plane by distance from the axis, both sides together
  std::vector<double> profile_, below_, kernel_;  // MeV in the plane by cell around the axis, and below each cell
  std::size_t farthest_ = 0;                      // last cell of the profile with content
  std::map<std::size_t, std::vector<double>> kernels_;
  std::vector<Deposit> emitting_;  // [materials][nodes]
  BinRows before_, ones_;
  std::vector<BinRows> spare_;  // rows of removed ages
  std::vector<double> edges_;   // mm
  std::vector<double> planes_;  // [plane][column] MeV
  double neutral_ = 0;          // MeV per proton, to be added to out_
  Secondaries out_;
};

}  // namespace

Secondaries follow_layered(const Problem& problem, const Tables& tables, const SweptMatter& matter,
                           std::span<const ReactingBeam> beams) {
  LayeredSweep sweep(problem, tables, matter);
  for (const ReactingBeam& beam : beams) sweep.follow(beam);
  return sweep.take();
}

}  // namespace bb::transport
