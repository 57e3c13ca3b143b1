#include "products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "lateral.hpp"
#include "transport/model/index.hpp"
#include "transport/secondaries/spread_planes.hpp"
#include "transport/secondaries/sweep_matter.hpp"
#include "transport/secondaries/sweep_ops.hpp"

namespace bb::transport {
namespace {

constexpr int kHalf = kAzimuths / 2;    // the other half lies on the other side of the beam
constexpr std::size_t kAgesOfSpan = 2;  // older emissions share an age: at most as many cover the same depth
constexpr std::size_t kSpanGrowth =
    4;  // a span of offsets that share a width is longer than those before by one in so many
constexpr double kOffsetsPerColumn =
    2.0;  // distances from the axis at which the dose of deflected products is gathered

constexpr int kAhead = 0, kDeuteronClass = 1, kFirstAside = 2;
constexpr int kKinds = kFirstAside + physics::kAngleClasses;
/// Products differ in where they were emitted. The first emitter is the beam, with products that go straight ahead. The
/// others are products that had moved off the axis, up to these distances and beyond. Each emitter is one Gaussian.
/// Products that were near when they scattered elastically leave the axis with those of the beam.
constexpr std::array<double, 2> kEmitterEnds{0.04, 0.12};  // of the beam's range in water
constexpr std::size_t kEmitters = 2 + kEmitterEnds.size();
constexpr std::size_t kNear = 1;  // the emitters up to this one are near
/// Products of the emitters further from the axis go straight ahead.
constexpr int kClasses = kKinds + kFirstAside * (static_cast<int>(kEmitters) - 1);

constexpr int kind_of(int c) { return c < kKinds ? c : (c - kKinds) % kFirstAside; }
constexpr std::size_t emitter_of(int c) {
  return c < kKinds ? 0 : 1 + static_cast<std::size_t>((c - kKinds) / kFirstAside);
}
constexpr int class_of(std::size_t emitter, int kind) {
  return kind + (emitter == 0 ? 0 : kKinds + kFirstAside * (static_cast<int>(emitter) - 1));
}
constexpr std::size_t kHeld = std::tuple_size_v<SpreadProtons>;

/// Energy deposited in a plane, and that times the variance.
using Deposit = SpreadProtons;

/// Products of one class of angles that were emitted in neighbouring planes.
struct Age {
  int planes = 1;            // of emission
  double depth = 0;          // mm since emission, mean
  double variance = 0;       // mm² at emission, mean
  int top = 0;               // one more than the highest bin that holds anything
  std::vector<double> held;  // [bins]
};

class LayeredSweep {
 public:
  LayeredSweep(const Problem& problem, const Tables& tables, const SweptMatter& matter)
      : t_(tables), g_(tables.reactions), matter_(matter) {
    const std::vector<ProductDirection> directions = product_directions(0.0);
    for (int c = 0; c < kKinds; ++c) {
      const std::size_t first = c < kFirstAside ? u(c) : u(kFirstAside + kAzimuths * (c - kFirstAside));
      way_[u(c)] = directions[first].way;
      for (int i = 0; i < kHalf; ++i) {
        aside_[u(c)][u(i)] = directions[first + (c < kFirstAside ? 0 : u(i))].aside;
      }
    }
    gone_.assign(u(g_.bins), 0.0);
    for (const SweptMaterial& material : matter.materials) {
      std::vector<double>& goes_on = goes_on_.emplace_back(u(g_.bins), 0.0);
      for (std::size_t b = 0; b < material.scattered.size(); ++b) {
        for (const auto& [angle, bin, each] : material.scattered[b].landings) {
          goes_on[b] += each * matter.energies.proton[u(bin)] / matter.energies.proton[b];
        }
      }
    }
    for (auto& each : held_) each.fill(std::vector<double>(u(g_.bins), 0.0));
    for (auto& each : source_) each.fill(std::vector<double>(u(g_.bins), 0.0));
    for (auto& each : reacted_) each.fill(std::vector<double>(u(g_.bins), 0.0));
    planes_.assign(u(g_.planes) * u(g_.columns), 0.0);
    for (int column = 0; column <= g_.columns; ++column) {
      edges_.push_back((std::min(t_.nx, column * g_.cells) - 0.5 * t_.nx) * t_.dx);
    }
    offset_step_ = g_.cells * t_.dx / kOffsetsPerColumn;
    offsets_.resize(u(static_cast<int>(t_.nx * t_.dx / offset_step_) + 2));
    profile_.resize(4 * offsets_.size() + 1);
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

  /// Adds what a beam's products leave.
  void follow(const ReactingBeam& beam) {
    range_mm_ = 10.0 * matter_.water.range(beam.spots.front()->energy);
    for (auto& one : held_) {
      for (auto& each : one) std::ranges::fill(each, 0.0);
    }
    for (auto& ages : ages_) ages.clear();
    top_.fill(0);
    for (int plane = 0; plane < g_.planes; ++plane) cross(plane, beam);
    double left = 0.0;
    for (int c = 0; c < kClasses; ++c) {
      left += energy_of(c, held_[u(c)][0].data(), top_[u(c)]);
      for (const Age& age : ages_[u(c)]) left += energy_of(c, age.held.data(), age.top);
    }
    out_.escaped[kZHigh] += weight_of(beam) * left;
  }

  Secondaries take() {
    out_.dose = spread_planes(t_, planes_, matter_.stopping);
    return std::move(out_);
  }

 private:
  /// Movement of the content of all bins in a plane, by class.
  struct Motion {
    struct Class {
      bool same_whole = true;  // in all bins
      std::vector<int> whole;
      std::array<std::vector<double>, physics::kRemapTaps> flux;
      std::vector<double> spread, reacts;  // half of a variance in bins², fraction that reacts
    };

    std::vector<double> thickness;  // [materials] mm
    std::array<Class, kKinds> kinds;
    int pad = 0;  // bins below the lowest that a step can reach
  };

  const Motion& motion(std::vector<double> thickness) {
    if (const auto found = motions_.find(thickness); found != motions_.end()) return found->second;
    Motion& m = motions_[thickness];
    int lowest = 0;
    for (int c = 0; c < kKinds; ++c) {
      Motion::Class& to = m.kinds[u(c)];
      const std::size_t kind = c == kDeuteronClass ? 1 : 0;
      for (auto& flux : to.flux) flux.resize(u(g_.bins));
      for (std::size_t b = 0; b < u(g_.bins); ++b) {
        double shift = 0.0, spread = 0.0, removal = 0.0;
        for (std::size_t i = 0; i < thickness.size(); ++i) {
          if (thickness[i] == 0.0) continue;
          const double way = thickness[i] * way_[u(c)];
          const SweptMaterial& material = matter_.materials[i];
          shift += way * material.slowing[kind][b];
          spread += way * material.straggling[kind][b];
          removal += way * material.removal[b];
        }
        const physics::RemapShift split = physics::split_shift(-std::min(shift, static_cast<double>(g_.bins)));
        std::array<double, physics::kRemapTaps> weights{};
        fluxes_.weights(split.fraction, weights.data());
        to.whole.push_back(split.whole);
        for (std::size_t k = 0; k < weights.size(); ++k) to.flux[k][b] = weights[k];
        to.spread.push_back(0.5 * std::min(spread, kWidestSpread));
        to.reacts.push_back(kind == 0 ? -std::expm1(-removal) : 0.0);
        lowest = std::min(lowest, split.whole);
      }
      to.same_whole = std::ranges::all_of(to.whole, [&](int whole) { return whole == to.whole.front(); });
    }
    m.pad = std::max(-lowest, physics::kRemapReach) + 1;
    m.thickness = std::move(thickness);
    before_.resize(std::max(before_.size(), u(g_.bins + 2 * m.pad)));
    after_.resize(before_.size());
    return m;
  }

  double energy_of(int c, const double* p, int n) const {
    return ops_.dot((kind_of(c) == kDeuteronClass ? matter_.energies.deuteron : matter_.energies.proton).data(), p, n);
  }

  /// All content through one plane: reactions, emission, slowing down, and the depth since emission.
  void cross(int plane, const ReactingBeam& beam) {
    const std::size_t row = u(plane) * u(g_.bins);
    const std::span<const SpreadProtons> recorded = std::span(beam.reactions->held).subspan(row, u(g_.bins));
    int highest = *std::ranges::max_element(top_);
    for (const auto& ages : ages_) {
      for (const Age& age : ages) highest = std::max(highest, age.top);
    }
    for (int b = g_.bins; b > highest; --b) {
      if (recorded[u(b - 1)][0] > 0.0) highest = b;
    }
    if (highest == 0) return;
    const Motion& motion = *motion_of_[u(plane)];
    for (auto& one : reacted_) {
      for (auto& each : one) std::fill_n(each.begin(), highest, 0.0);
    }
    for (int c = 0; c < kClasses; ++c) take_reacting(c, motion.kinds[u(kind_of(c))]);
    std::array<int, kClasses> reach{};
    const double weight = weight_of(beam);
    std::array<Centred, kEmitters> centred = emit(motion.thickness, recorded.first(u(highest)), reach);
    out_.neutral += weight * std::exchange(neutral_, 0.0);
    double aside = 0.0;
    for (int c = 0; c < kClasses; ++c) {
      if (kind_of(c) >= kFirstAside) {
        aside += step_aside(c, motion, reach[u(c)], g_.rows(plane) * t_.dz);
        continue;
      }
      const int n = std::min(g_.bins, std::max(top_[u(c)], reach[u(c)]));
      if (n == 0) continue;
      Centred& to = centred[emitter_of(c)];
      (kind_of(c) == kDeuteronClass ? to.deuterons : to.protons) = step_ahead(c, motion, n);
    }
    spread(centred, aside, plane, beam);
    for (int c = 0; c < kClasses; ++c) {
      for (auto& each : source_[u(c)]) std::fill_n(each.begin(), reach[u(c)], 0.0);
    }
  }

  /// Energy that a plane absorbs about the axis from one emitter.
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

  void take_reacting(int c, const Motion::Class& motion) {
    const int kind = kind_of(c);
    if (kind == kDeuteronClass) return;
    if (kind == kAhead) {
      for (std::size_t k = 0; k < kHeld; ++k) {
        ops_.take(held_[u(c)][k].data(), motion.reacts.data(), reacted_[emitter_of(c)][k].data(), top_[u(c)]);
      }
      return;
    }
    // A product reacts as far from the axis as its angle has moved it.
    for (Age& age : ages_[u(c)]) {
      std::fill_n(gone_.begin(), age.top, 0.0);
      ops_.take(age.held.data(), motion.reacts.data(), gone_.data(), age.top);
      std::array<SpreadProtons, kEmitters> shares{};
      for (const double aside : aside_[u(kind)]) {
        const double offset = aside * age.depth;
        SpreadProtons& share = shares[emitter_at(offset)];
        share[0] += 1.0 / kHalf;
        share[1] += (age.variance + offset * offset) / kHalf;
      }
      for (std::size_t e = 0; e < kEmitters; ++e) {
        if (shares[e][0] == 0.0) continue;
        for (std::size_t k = 0; k < kHeld; ++k) ops_.add(reacted_[e][k].data(), gone_.data(), shares[e][k], age.top);
      }
    }
  }

  /// Half of the products enter a plane's step in front of it, half behind it: they start in its middle on the average.
  Deposit step_ahead(int c, const Motion& motion, int n) {
    Deposit deposit{};
    int end = n;
    for (std::size_t k = 0; k < kHeld; ++k) {
      double* p = held_[u(c)][k].data();
      deposit[k] = step(c, motion, p, n, source_[u(c)][k].data());
      if (k == 0) {
        while (end > 0 && p[end - 1] <= kNothingLeft) --end;
      }
      std::fill(p + end, p + n, 0.0);
      deposit[k] -= energy_of(c, p, end);
    }
    top_[u(c)] = end;
    return deposit;
  }

  /// Moves bins through a plane with a source, where there is one; returns the energy before the step, and of the source.
  double step(int c, const Motion& motion, double* p, int n, const double* source) {
    if (source != nullptr) ops_.add(p, source, 0.5, n);
    double energy = energy_of(c, p, n);
    slow_down(motion, motion.kinds[u(kind_of(c))], p, n);
    if (source != nullptr) {
      ops_.add(p, source, 0.5, n);
      energy += 0.5 * energy_of(c, source, n);
    }
    return energy;
  }

  /// Steps all ages of a class, with what it emits in the plane as a new one.
  /// Returns the energy that they leave.
  double step_aside(int c, const Motion& motion, int reach, double thickness) {
    double energy = 0.0;
    std::vector<Age>& ages = ages_[u(c)];
    const auto& source = source_[u(c)];
    if (reach > 0) {
      Age age{.top = reach, .held = std::vector<double>(u(g_.bins), 0.0)};
      const auto sum = [&](const std::vector<double>& from) {
        return std::accumulate(from.begin(), from.begin() + reach, 0.0);
      };
      const double protons = sum(source[0]);
      age.variance = protons > 0.0 ? sum(source[1]) / protons : 0.0;
      ages.push_back(std::move(age));
    }
    for (std::size_t i = 0; i < ages.size(); ++i) {
      Age& age = ages[i];
      double* p = age.held.data();
      const bool is_new = reach > 0 && i + 1 == ages.size();
      const double before = step(c, motion, p, age.top, is_new ? source[0].data() : nullptr);
      const int n = age.top;
      while (age.top > 0 && p[age.top - 1] <= kNothingLeft) --age.top;
      std::fill(p + age.top, p + n, 0.0);
      const double deposit = before - energy_of(c, p, age.top);
      energy += deposit;
      for (const double aside : aside_[u(kind_of(c))]) {
        add_offset(aside * age.depth, {deposit / kHalf, age.variance * deposit / kHalf});
      }
      age.depth += thickness;
    }
    std::erase_if(ages, [](const Age& age) { return age.top == 0; });
    merge(ages);
    return energy;
  }

  static double protons_of(const Age& age) {
    return std::accumulate(age.held.begin(), age.held.begin() + age.top, 0.0);
  }

  /// Merges the oldest two of more than kAgesOfSpan ages that cover as many planes.
  static void merge(std::vector<Age>& ages) {
    for (std::size_t end = ages.size(); end > kAgesOfSpan; --end) {
      Age &older = ages[end - 1 - kAgesOfSpan], &newer = ages[end - kAgesOfSpan];
      if (older.planes != newer.planes || newer.planes != ages[end - 1].planes) continue;
      const double before = protons_of(older), added = protons_of(newer), all = before + added;
      const double part = all > 0.0 ? added / all : 0.5;
      older.planes += newer.planes;
      older.depth += part * (newer.depth - older.depth);
      older.variance += part * (newer.variance - older.variance);
      older.top = std::max(older.top, newer.top);
      for (std::size_t b = 0; b < u(newer.top); ++b) older.held[b] += newer.held[b];
      ages.erase(ages.begin() + static_cast<std::ptrdiff_t>(end - kAgesOfSpan));
    }
  }

  /// Adds energy at a distance from the axis, half of it on either side, to the two offsets next to it.
  void add_offset(double distance, const Deposit& deposit) {
    const double place = std::min(distance / offset_step_, static_cast<double>(offsets_.size() - 2));
    const auto low = static_cast<std::size_t>(place);
    const double upper = place - static_cast<double>(low);
    for (std::size_t k = 0; k < kHeld; ++k) {
      offsets_[low][k] += (1.0 - upper) * deposit[k];
      offsets_[low + 1][k] += upper * deposit[k];
    }
  }

  void slow_down(const Motion& motion, const Motion::Class& of, double* p, int n) {
    BinShifts shifts{.whole = of.whole.data(), .same_whole = of.same_whole, .flux = {}, .spread = of.spread.data()};
    for (std::size_t m = 0; m < of.flux.size(); ++m) shifts.flux[m] = of.flux[m].data();
    ops_.slow_down(shifts, p, n, before_.data() + motion.pad, after_.data() + motion.pad, motion.pad);
  }

  void add_source(int c, const BinShares& shares, const Deposit& from, std::array<int, kClasses>& reach) {
    const int n = static_cast<int>(shares.number.size());
    if (n == 0) return;
    for (std::size_t k = 0; k < kHeld; ++k) {
      ops_.add(&source_[u(c)][k][u(shares.first)], shares.number.data(), from[k], n);
    }
    reach[u(c)] = std::max(reach[u(c)], shares.first + n);
  }

  /// Protons that emit something, gathered at a node, and those times the variance of x: of the beam, and of products by
  /// their own emitter.
  struct Emitting {
    Deposit of_beam{};
    std::array<Deposit, kEmitters> of_products{};

    /// Content of an emitter: the beam with the products that are as near to the axis.
    double by(std::size_t emitter, std::size_t k) const {
      return of_products[emitter][k] + (emitter == 0 ? of_beam[k] : 0.0);
    }
  };

  /// Fills the sources from what has reacted; returns the energy that stays, by emitter. Spectra are smooth: emission is gathered at
  /// the nodes first. `reach`: one more than the highest bin of each source.
  std::array<Centred, kEmitters> emit(const std::vector<double>& thickness, std::span<const SpreadProtons> recorded,
                                      std::array<int, kClasses>& reach) {
    const std::size_t nodes = matter_.nodes.size();
    std::array<Centred, kEmitters> out{};
    emitting_.assign(thickness.size() * nodes, {});
    for (std::size_t b = 0; b < recorded.size(); ++b) {
      const Deposit& beam = recorded[b];
      const double reacted = beam[0] + std::accumulate(reacted_.begin(), reacted_.end(), 0.0,
                                                       [&](double sum, const auto& of) { return sum + of[0][b]; });
      if (!(reacted > 0.0)) continue;
      double all = 0.0;
      for (std::size_t m = 0; m < thickness.size(); ++m) all += thickness[m] * matter_.materials[m].removal[b];
      const bool stays = reacted < kNothingLeft || !(all > 0.0), few = !(beam[0] > kFewReact);
      Emitting of;
      for (std::size_t k = 0; k < kHeld; ++k) {
        (few ? of.of_products[0] : of.of_beam)[k] = beam[k];
        for (std::size_t e = 0; e < kEmitters; ++e) of.of_products[e][k] += reacted_[e][k][b];
        if (!stays) continue;
        for (std::size_t e = 0; e < kEmitters; ++e) out[e].local[k] += of.by(e, k) * matter_.energies.proton[b];
      }
      if (stays) continue;
      for (std::size_t m = 0; m < thickness.size(); ++m) {
        if (thickness[m] == 0.0) continue;
        const SweptMaterial& material = matter_.materials[m];
        const double share = thickness[m] * material.removal[b] / all, elastic = share * material.elastic[b];
        const Scattered& scattered = material.scattered[b];
        Emitting* to = &emitting_[m * nodes + matter_.node_below[b]];
        const double upper = matter_.node_share[b] * (share - elastic), lower = share - elastic - upper;
        for (std::size_t k = 0; k < kHeld; ++k) {
          double near = elastic * of.by(0, k);
          for (std::size_t e = 1; e <= kNear; ++e) near += elastic * of.of_products[e][k];
          out[0].local[k] += near * scattered.local;
          if (near != 0.0) {
            for (const auto& [angle, bin, each] : scattered.landings) {
              source_[u(kFirstAside + angle)][k][u(bin)] += near * each;
            }
          }
          for (std::size_t e = 1 + kNear; e < kEmitters; ++e) {
            const double number = elastic * of.of_products[e][k];
            out[e].local[k] += number * scattered.local;
            source_[u(class_of(e, kAhead))][k][b] += number * goes_on_[m][b];
          }
          to[0].of_beam[k] += lower * of.of_beam[k];
          to[1].of_beam[k] += upper * of.of_beam[k];
          for (std::size_t e = 0; e < kEmitters; ++e) {
            to[0].of_products[e][k] += lower * of.of_products[e][k];
            to[1].of_products[e][k] += upper * of.of_products[e][k];
          }
        }
        for (int k = 0; k < physics::kAngleClasses; ++k) {
          reach[u(kFirstAside + k)] = std::max(reach[u(kFirstAside + k)], scattered.reach[u(k)]);
        }
        for (std::size_t e = 1 + kNear; e < kEmitters; ++e) {
          int& end = reach[u(class_of(e, kAhead))];
          end = std::max(end, static_cast<int>(b) + 1);
        }
      }
    }
    for (std::size_t i = 0; i < emitting_.size(); ++i) {
      const auto& [of_beam, of_products] = emitting_[i];
      const Yield& yield = matter_.materials[i / nodes].yields[i % nodes];
      const auto emit_from = [&](const Deposit& from, std::size_t emitter, bool is_beam) {
        if (!(from[0] > 0.0)) return;
        add_source(class_of(emitter, kDeuteronClass), yield.deuterons, from, reach);
        // The angles of what products emit are left out, as in columns.
        add_source(class_of(emitter, kAhead), is_beam ? yield.ahead : yield.protons, from, reach);
        for (int k = 0; is_beam && k < physics::kAngleClasses; ++k) {
          add_source(kFirstAside + k, yield.aside[u(k)], from, reach);
        }
        for (std::size_t k = 0; k < kHeld; ++k) {
          out[emitter].local[k] += from[k] * (yield.local + (is_beam ? yield.wide : 0.0));
        }
        neutral_ += from[0] * yield.neutral;
      };
      emit_from(of_beam, 0, true);
      for (std::size_t e = 0; e < kEmitters; ++e) emit_from(of_products[e], e, false);
    }
    return out;
  }

  static double sigma_of(const Deposit& deposit) {
    constexpr double kNarrowest = 1e-6;  // mm
    return std::max(std::sqrt(std::max(deposit[1] / deposit[0], 0.0)), kNarrowest);
  }

  /// Shares of cells a step of offsets wide under a Gaussian in the middle of one; what lies further away counts to the
  /// outermost two.
  std::span<const double> kernel(double sigma) {
    constexpr double kFarthest = 6.0;  // sigmas: 2e-9 lies beyond
    const double cell = offset_step_ / sigma;
    const auto half = std::min(offsets_.size(), static_cast<std::size_t>(kFarthest / cell) + 1);
    kernel_.assign(2 * half + 1, 0.0);
    double before = 0.0;
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      const double after = i + 1 == kernel_.size()
                               ? 1.0
                               : normal_below((static_cast<double>(i) + 0.5 - static_cast<double>(half)) * cell);
      kernel_[i] = after - before;
      before = after;
    }
    return kernel_;
  }

  void add_about(std::size_t centre, double amount, std::span<const double> kernel) {
    ops_.add(&profile_[centre - kernel.size() / 2], kernel.data(), amount, static_cast<int>(kernel.size()));
  }

  /// Spreads over the columns of a plane what products leave about the axis, and `aside` MeV at the offsets, which it
  /// clears. All spots have the same profile across x: it is made once, on cells a step of offsets wide.
  void spread(const std::array<Centred, kEmitters>& centred, double aside, int plane, const ReactingBeam& beam) {
    std::ranges::fill(profile_, 0.0);
    const std::size_t middle = profile_.size() / 2;
    std::array<double, kEmitters> sigma{};
    for (std::size_t e = 0; e < kEmitters; ++e) {
      const Deposit all = centred[e].all();
      if (all[0] == 0.0) continue;
      sigma[e] = sigma_of(all);
      // About the beam, local deposits are as wide as it is there; products are as wide as it was at their emission.
      for (const Deposit& each :
           e == 0 ? std::vector{centred[e].local, centred[e].protons, centred[e].deuterons} : std::vector{all}) {
        if (each[0] != 0.0) add_about(middle, each[0], kernel(sigma_of(each)));
      }
    }
    // Products far from the axis were emitted earlier, by a narrower beam. Spans of offsets twice as long as those
    // before share a width.
    for (std::size_t first = 0, end = 1; aside != 0.0 && first < offsets_.size();
         first = end, end += std::max<std::size_t>(1, end / kSpanGrowth)) {
      const std::span<Deposit> some = std::span(offsets_).subspan(first, std::min(end, offsets_.size()) - first);
      Deposit all{};
      for (const Deposit& each : some) {
        for (std::size_t k = 0; k < kHeld; ++k) all[k] += each[k];
      }
      if (all[0] == 0.0) continue;
      const std::span<const double> shares = kernel(sigma_of(all));
      for (std::size_t i = 0; i < some.size(); ++i) {
        const double each = std::exchange(some[i], {})[0];
        if (each == 0.0) continue;
        add_about(middle + first + i, 0.5 * each, shares);
        add_about(middle - first - i, 0.5 * each, shares);
      }
    }
    std::inclusive_scan(profile_.begin(), profile_.end(), below_.begin() + 1);
    const double per_step = 1.0 / offset_step_, all = below_.back();
    double* row = &planes_[u(plane) * u(g_.columns)];
    double sides = 0.0;
    std::array<double, kEmitters> beyond{};  // share of an emitter's, times the spots' weights
    for (const Beam* spot : beam.spots) {
      const auto below = [&](double edge) {
        const double place = (edge - spot->x) * per_step + static_cast<double>(middle) + 0.5;
        const double cut = std::clamp(place, 0.0, static_cast<double>(profile_.size()));
        const auto cell = std::min(static_cast<std::size_t>(cut), profile_.size() - 1);
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
  Fluxes fluxes_;
  std::array<double, kKinds> way_{};                       // mm of path per mm of depth
  std::array<std::array<double, kHalf>, kKinds> aside_{};  // mm to one side per mm of depth
  std::map<std::vector<double>, Motion> motions_;          // by thickness
  std::vector<const Motion*> motion_of_;                   // [planes]
  std::array<std::array<std::vector<double>, kHeld>, kClasses> held_;
  std::array<int, kClasses> top_{};              // one more than the highest bin that holds anything
  std::array<std::vector<Age>, kClasses> ages_;  // of products that leave the axis, the oldest first
  std::array<std::array<std::vector<double>, kHeld>, kClasses> source_;
  std::array<std::array<std::vector<double>, kHeld>, kEmitters> reacted_;  // by emitter
  double range_mm_ = 0;                                                    // of the beam in water
  double offset_step_ = 1;                                                 // mm
  std::vector<Deposit> offsets_;                  // MeV of the plane by distance from the axis, on both sides
  std::vector<double> profile_, below_, kernel_;  // MeV of the plane by cell about the axis, and below each cell
  std::vector<Emitting> emitting_;                // [materials][nodes]
  std::vector<std::vector<double>>
      goes_on_;  // [materials][bins] protons as fast that have the energy of a scattered one
  std::vector<double> before_, after_, gone_;
  std::vector<double> edges_;   // mm
  std::vector<double> planes_;  // [plane][column] MeV
  double neutral_ = 0;          // MeV per proton, not yet counted
  Secondaries out_;
};

}  // namespace

void LayeredReactions::record(const MarchView& step, const Tables& t) {
  const ReactionGrid& r = t.reactions;
  const auto row_of = [&](double z) { return std::clamp(static_cast<int>(z / t.dz), 0, t.nz - 1); };
  for (int plane = r.plane_of[u(row_of(step.z))]; plane < r.planes; ++plane) {
    const double from = std::max(step.z, r.first_row[u(plane)] * t.dz);
    const double until = std::min(step.z + step.dz, r.first_row[u(plane) + 1] * t.dz);
    const double part = (until - from) / step.dz;
    if (!(part > 0.0)) {
      if (from >= step.z + step.dz) break;
      continue;
    }
    SpreadProtons* bins = &held[u(plane) * u(r.bins)];
    std::size_t low = 0;
    for (std::size_t i = 0; i < step.lost.size(); ++i) {
      const double lost = part * step.lost[i], energy = step.lost_energy[i];
      if (lost == 0.0) continue;
      while (low + 2 < u(r.bins) && r.energy[low + 1] <= energy) ++low;
      const double upper = lost * (energy - r.energy[low]) / (r.energy[low + 1] - r.energy[low]);
      double below = lost - upper, above = upper;
      for (std::size_t k = 0; k < bins[low].size(); ++k) {
        bins[low][k] += below;
        bins[low + 1][k] += above;
        below *= step.variance[i];
        above *= step.variance[i];
      }
    }
  }
}

Secondaries follow_layered(const Problem& problem, const Tables& tables, const SweptMatter& matter,
                           std::span<const ReactingBeam> beams) {
  LayeredSweep sweep(problem, tables, matter);
  for (const ReactingBeam& beam : beams) sweep.follow(beam);
  return sweep.take();
}

}  // namespace bb::transport
