// One file contains the tables of the matter and the sweep through it, because they share the classes of products.
#include "products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
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
constexpr std::size_t kAgesOfSpan = 2;     // maximum number of ages with the same number of planes
constexpr std::size_t kSpanGrowth = 4;     // offsets that share a width: 1/4 of the number of offsets nearer the axis
constexpr int kMaxPlace = 700;             // widths of kernels are rounded to powers of e between -14 and 14
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

/// Bins that move down together, as a band matrix.
struct Band {
  int base = 0, taps = 0;  // parameters of BinStep
  BinRows weight, given;

  BinStep step() const { return {weight.row(), weight.stride(), taps, base, given.row()}; }
  /// End of the bins that receive content from the lowest `n` bins.
  int end(int n, int bins) const { return std::clamp(n - base, 0, bins); }
  /// Number of bins beyond a group that its taps read.
  int reach() const { return std::max(base + taps, 0); }
};

/// Weights that move each bin down by a shift with a spread, in bins and bins². `keep`: share of a bin's content that
/// does not react; null: all of it.
Band slowing(std::span<const double> shift, std::span<const double> spread, std::span<const double> energy,
             const double* keep) {
  const int bins = static_cast<int>(shift.size());
  std::vector<int> whole;
  for (const double each : shift) {
    whole.push_back(static_cast<int>(std::floor(std::min(each, static_cast<double>(bins)) + 0.5)));
  }
  const auto [least, most] = std::ranges::minmax_element(whole);
  const int taps = *most - *least + 2 * kReach + 1;
  Band to{*least - kReach, taps, {taps, bins + kBinGroup}, {1, bins}};
  for (int b = 0; b < bins; ++b) {
    const double kept = keep == nullptr ? 1.0 : keep[b];
    const auto weight = tap_weights(shift[u(b)] - std::floor(shift[u(b)] + 0.5), std::min(spread[u(b)], kWidestSpread));
    double after = 0.0;
    for (int i = 0; i <= 2 * kReach; ++i) {
      // Content that would rise above the highest bin stays there. Content below the lowest bin has stopped.
      const int landing = std::min(b - whole[u(b)] - i + kReach, bins - 1);
      if (landing < 0) continue;
      to.weight.row(b - landing - to.base)[landing] += kept * weight[u(i)];
      after += weight[u(i)] * energy[u(landing)];
    }
    to.given.row()[b] = kept * (energy[u(b)] - after);
  }
  return to;
}

/// Elastic scattering in a material into one class of angles.
struct Deflecting {
  Band band;
  std::vector<int> ends;  // [bins] end of the bins that receive content from this bin and lower ones
};

std::vector<Deflecting> deflections(const SweptMaterial& material) {
  const int bins = static_cast<int>(material.scattered.size());
  std::vector<Deflecting> out;
  for (int angle = 0; angle < physics::kAngleClasses; ++angle) {
    int least = bins, most = 0;
    std::vector<int> ends;
    for (int b = 0; b < bins; ++b) {
      ends.push_back(std::max(ends.empty() ? 0 : ends.back(), material.scattered[u(b)].reach[u(angle)]));
      for (const ElasticProducts::ProductBin& landing : material.scattered[u(b)].landings) {
        if (landing.angle != angle) continue;
        least = std::min(least, b - landing.bin);
        most = std::max(most, b - landing.bin);
      }
    }
    const int taps = std::max(most - least + 1, 0);
    Deflecting to{{least, taps, {taps, bins + kBinGroup}, {1, bins}}, std::move(ends)};
    for (int b = 0; b < bins; ++b) {
      for (const ElasticProducts::ProductBin& landing : material.scattered[u(b)].landings) {
        if (landing.angle == angle) to.band.weight.row(b - landing.bin - least)[landing.bin] += landing.number;
      }
    }
    out.push_back(std::move(to));
  }
  return out;
}

/// Products that reactions at the energy nodes emit, as rows of bins.
struct Emitting {
  struct Kind {
    BinRows number;         // [nodes][bins]
    std::vector<int> ends;  // [nodes] end of the bins that receive products from this node and lower ones
  };

  Emitting(std::span<const Yield> yields, int bins)
      : deuterons(rows(yields, bins, [](const Yield& y) -> const BinShares& { return y.deuterons; })),
        ahead(rows(yields, bins, [](const Yield& y) -> const BinShares& { return y.ahead; })),
        protons(rows(yields, bins, [](const Yield& y) -> const BinShares& { return y.protons; })) {
    for (std::size_t k = 0; k < physics::kAngleClasses; ++k) {
      aside.push_back(rows(yields, bins, [k](const Yield& y) -> const BinShares& { return y.aside[k]; }));
    }
  }

  Kind deuterons, ahead, protons;
  std::vector<Kind> aside;

 private:
  template <typename Shares>
  static Kind rows(std::span<const Yield> yields, int bins, const Shares& shares_of) {
    Kind out{{static_cast<int>(yields.size()), bins}, {}};
    for (const Yield& yield : yields) {
      const BinShares& shares = shares_of(yield);
      std::ranges::copy(shares.number, out.number.row(static_cast<int>(out.ends.size())) + shares.first);
      const int end = shares.number.empty() ? 0 : shares.first + static_cast<int>(shares.number.size());
      out.ends.push_back(std::max(out.ends.empty() ? 0 : out.ends.back(), end));
    }
    return out;
  }
};

/// Transport of all bins through a plane, by kind of product.
struct Motion {
  struct Kind {
    BinRows reacts;
    Band whole, half;  // half: for products emitted in the middle of the plane
  };
  /// Reactions in one material of the plane, per reacting product of a bin.
  struct Part {
    std::size_t material = 0;
    BinRows elastic;       // share of the reactions
    BinRows lower, upper;  // shares of the others that emit the products of the energy node below, and of that above
    BinRows straight;      // elastically scattered protons that have their full energy, if none changes its direction
  };

  std::vector<double> thickness;  // [materials] mm
  std::vector<Kind> kinds;
  std::vector<Part> parts;
  BinRows local, neutral, rest;  // MeV per reacting product: deposited in place, carried away, and of its products
};

/// Motions and deflections on the bins of a SweptMatter. Beams and runs with the same matter share them.
class LayeredMatter {
 public:
  explicit LayeredMatter(std::shared_ptr<const SweptMatter> swept) : swept_(std::move(swept)) {
    const std::vector<ProductDirection> directions = product_directions(0.0);
    for (int c = 0; c < kKinds; ++c) {
      const std::size_t first = c < kFirstAngleClass ? u(c) : u(kFirstAngleClass + kAzimuths * (c - kFirstAngleClass));
      way_[u(c)] = directions[first].way;
      for (int i = 0; i < kHalf; ++i) {
        aside_[u(c)][u(i)] = directions[first + (c < kFirstAngleClass ? 0 : u(i))].aside;
      }
    }
    for (const SweptMaterial& material : swept_->materials) {
      deflecting_.push_back(material.scattered.empty() ? std::vector<Deflecting>() : deflections(material));
      emitting_.emplace_back(material.yields, static_cast<int>(swept_->energies.proton.size()));
    }
  }

  const std::shared_ptr<const SweptMatter>& swept() const { return swept_; }
  /// [materials]
  const std::vector<Emitting>& emitting() const { return emitting_; }
  /// By class of angles; empty for an unused material.
  const std::vector<Deflecting>& deflecting(std::size_t material) const { return deflecting_[material]; }
  const std::array<double, kHalf>& aside(int kind) const { return aside_[u(kind)]; }

  std::shared_ptr<const Motion> motion(const std::vector<double>& thickness) {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto found = motions_.find(thickness); found != motions_.end()) return found->second;
    }
    auto made = std::make_shared<const Motion>(make(thickness));
    const std::scoped_lock lock(mutex_);
    if (motions_.size() >= kMaxMotions) motions_.clear();
    return motions_.try_emplace(thickness, std::move(made)).first->second;
  }

 private:
  static constexpr std::size_t kMaxMotions = 64;

  double removal_of(const std::vector<double>& thickness, std::size_t b) const {
    double all = 0.0;
    for (std::size_t m = 0; m < thickness.size(); ++m) all += thickness[m] * swept_->materials[m].removal[b];
    return all;
  }

  Motion make(const std::vector<double>& thickness) const {
    const SweptMatter& matter = *swept_;
    const int bins = static_cast<int>(matter.energies.proton.size());
    Motion m{thickness, {}, {}, {1, bins}, {1, bins}, {1, bins}};
    std::vector<double> shift(u(bins)), spread(u(bins)), keep(u(bins));
    for (int c = 0; c < kKinds; ++c) {
      BinRows reacts(1, bins);
      const std::size_t kind = c == kDeuteronClass ? 1 : 0;
      for (int b = 0; b < bins; ++b) {
        double removal = 0.0;
        shift[u(b)] = spread[u(b)] = 0.0;
        for (std::size_t i = 0; i < thickness.size(); ++i) {
          if (thickness[i] == 0.0) continue;
          const double way = thickness[i] * way_[u(c)];
          const SweptMaterial& material = matter.materials[i];
          shift[u(b)] += way * material.slowing[kind][u(b)];
          spread[u(b)] += way * material.straggling[kind][u(b)];
          removal += way * material.removal[u(b)];
        }
        reacts.row()[b] = kind == 0 ? -std::expm1(-removal) : 0.0;
        keep[u(b)] = 1.0 - reacts.row()[b];
      }
      const std::vector<double>& energies = kind == 1 ? matter.energies.deuteron : matter.energies.proton;
      Band whole = slowing(shift, spread, energies, keep.data());
      for (std::size_t b = 0; b < u(bins); ++b) {
        shift[b] *= 0.5;
        spread[b] *= 0.5;
      }
      m.kinds.push_back({std::move(reacts), std::move(whole), slowing(shift, spread, energies, nullptr)});
    }
    for (std::size_t i = 0; i < thickness.size(); ++i) {
      if (thickness[i] == 0.0) continue;
      const SweptMaterial& material = matter.materials[i];
      Motion::Part& part = m.parts.emplace_back(Motion::Part{i, {1, bins}, {1, bins}, {1, bins}, {1, bins}});
      for (std::size_t b = 0; b < u(bins); ++b) {
        const double all = removal_of(thickness, b);
        const double share = all > 0.0 ? thickness[i] * material.removal[b] / all : 0.0;
        if (share == 0.0) continue;
        const double elastic = share * material.elastic[b], other = share - elastic;
        part.elastic.row()[b] = elastic;
        part.straight.row()[b] = elastic * (1.0 - material.scattered[b].local / matter.energies.proton[b]);
        const Yield* yield = &material.yields[matter.node_below[b]];
        const double upper = matter.node_share[b] * other, lower = other - upper;
        part.lower.row()[b] = lower;
        part.upper.row()[b] = upper;
        m.local.row()[b] += elastic * material.scattered[b].local + lower * yield[0].local + upper * yield[1].local;
        m.neutral.row()[b] += lower * yield[0].neutral + upper * yield[1].neutral;
      }
    }
    for (std::size_t b = 0; b < u(bins); ++b) {
      if (!(removal_of(thickness, b) > 0.0)) m.local.row()[b] = matter.energies.proton[b];
      m.rest.row()[b] = matter.energies.proton[b] - m.local.row()[b] - m.neutral.row()[b];
    }
    return m;
  }

  const std::shared_ptr<const SweptMatter> swept_;
  std::array<double, kKinds> way_{};                       // mm of path per mm of depth
  std::array<std::array<double, kHalf>, kKinds> aside_{};  // mm sideways per mm of depth
  std::vector<std::vector<Deflecting>> deflecting_;        // [materials]
  std::vector<Emitting> emitting_;                         // [materials]
  std::mutex mutex_;
  std::map<std::vector<double>, std::shared_ptr<const Motion>> motions_;  // by thickness of the materials
};

/// Returns the LayeredMatter of a SweptMatter. The last one is cached.
std::shared_ptr<LayeredMatter> layered_matter(const std::shared_ptr<const SweptMatter>& swept) {
  static std::mutex mutex;
  static std::shared_ptr<LayeredMatter> last;
  {
    const std::scoped_lock lock(mutex);
    if (last && last->swept() == swept) return last;
  }
  auto made = std::make_shared<LayeredMatter>(swept);
  const std::scoped_lock lock(mutex);
  last = made;
  return made;
}

class LayeredSweep {
 public:
  LayeredSweep(const Problem& problem, const Tables& tables, const std::shared_ptr<const SweptMatter>& matter)
      : dose_map_(problem.dose_map),
        t_(tables),
        g_(tables.reactions),
        layered_(layered_matter(matter)),
        matter_(*matter),
        ones_(1, g_.bins) {
    std::fill_n(ones_.row(), g_.bins, 1.0);
    make_motions(problem);
    for (int c = 0; c < kClasses; ++c) {
      held_.emplace_back(goes_aside(c) ? 0 : static_cast<int>(kHeld), room_);
      source_.emplace_back(kHeld, room_);
    }
    for (std::size_t e = 0; e < kEmitters; ++e) {
      reacted_.emplace_back(kHeld, g_.bins);
    }
    for (std::size_t m = 0; m < matter_.materials.size(); ++m) scattering_.emplace_back(kHeld, room_);
    pair_ = BinRows(kHeld, room_);
    for (int i = 0; i < kRowsTogether; ++i) next_.emplace_back(1, room_);
    planes_.assign(u(g_.planes) * u(g_.columns), 0.0);
    for (int column = 0; column <= g_.columns; ++column) {
      edges_.push_back((std::min(t_.nx, column * g_.cells) - 0.5 * t_.nx) * t_.dx);
    }
    offset_step_ = g_.cells * t_.dx / kOffsetsPerColumn;
    per_offset_step_ = 1.0 / offset_step_;
    offsets_.resize(u(static_cast<int>(t_.nx * t_.dx / offset_step_) + 2));
    profile_.resize(4 * offsets_.size() + 1);
    farthest_ = profile_.size() / 2;
    below_.resize(profile_.size() + 1);
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
    if (dose_map_) {
      out_.dose = spread_planes(t_, planes_, matter_.stopping);
    } else {
      out_.rows = rows_of_planes(t_, planes_, matter_.stopping);
    }
    return std::move(out_);
  }

 private:
  /// Finds the motions of all planes, and the number of bins that their steps may read.
  void make_motions(const Problem& problem) {
    int reach = 0;
    std::vector<double> before;
    std::size_t cell = 0;
    for (int plane = 0; plane < g_.planes; ++plane) {
      std::vector<double> thickness(problem.materials.size(), 0.0);
      for (int z = g_.first_row[u(plane)]; z < g_.first_row[u(plane) + 1]; ++z, cell += u(t_.nx)) {
        thickness[t_.origin[t_.map[cell]]] += t_.dz;
      }
      motion_of_.push_back(plane > 0 && thickness == before ? motion_of_.back() : layered_->motion(thickness));
      before = std::move(thickness);
      for (const Motion::Kind& kind : motion_of_.back()->kinds) {
        reach = std::max({reach, kind.whole.reach(), kind.half.reach()});
      }
    }
    for (std::size_t m = 0; m < matter_.materials.size(); ++m) {
      for (const Deflecting& each : layered_->deflecting(m)) reach = std::max(reach, each.band.reach());
    }
    room_ = g_.bins + kBinGroup + reach;
  }

  const std::vector<double>& energies(int c) const {
    return kind_of(c) == kDeuteronClass ? matter_.energies.deuteron : matter_.energies.proton;
  }
  double energy_of(int c, const double* p, int n) const { return ops_.dot(energies(c).data(), p, n); }

  /// Transports all content through one plane: reactions, emission, slowing down, and the depth since emission.
  void cross(int plane, const ReactingBeam& beam) {
    const std::size_t row = u(plane) * u(g_.bins);
    const std::span<const SpreadProtons> recorded = std::span(beam.reactions->held).subspan(row, u(g_.bins));
    const auto [first, end] = beam.reactions->filled[u(plane)];
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
    scatter(motion, highest);
    out_.neutral += weight_of(beam) * std::exchange(neutral_, 0.0);
    double aside = 0.0;
    for (int c = 0; c < kClasses; ++c) {
      const Motion::Kind& of = motion.kinds[u(kind_of(c))];
      if (goes_aside(c)) {
        aside += step_aside(c, of, g_.rows(plane) * t_.dz);
        continue;
      }
      Centred& to = centred[emitter_of(c)];
      (kind_of(c) == kDeuteronClass ? to.deuterons : to.protons) = step(c, of);
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
    std::size_t emitter = 1;
    for (const double end : kEmitterEnds) emitter += distance >= end * range_mm_ ? 1 : 0;
    return emitter;
  }

  /// Adds reacting products of a class to those of their emitter. The following step removes them.
  void take_reacting(int c, const Motion::Kind& motion) {
    const int kind = kind_of(c), top = top_[u(c)];
    if (kind == kDeuteronClass) return;
    const double* reacts = motion.reacts.row();
    if (kind == kAhead) {
      BinRows& to = reacted_[emitter_of(c)];
      ops_.react({reacts, held_[u(c)].row(0), held_[u(c)].row(1)}, 1.0, 1.0, to.row(0), to.row(1), top);
      return;
    }
    // A product reacts at the distance from the axis to which its angle has moved it.
    int highest = 0;
    for (std::vector<const double*>& each : from_) each.clear();
    for (std::vector<double>& each : from_shares_) each.clear();
    for (const Age& age : ages_[u(c)]) {
      std::array<SpreadProtons, kEmitters> shares{};
      for (const double aside : layered_->aside(kind)) {
        const double offset = aside * age.depth;
        SpreadProtons& share = shares[emitter_at(offset)];
        share[0] += 1.0 / kHalf;
        share[1] += (age.variance + offset * offset) / kHalf;
      }
      for (std::size_t e = 0; e < kEmitters; ++e) {
        if (!(shares[e][0] > 0.0)) continue;
        from_[e].push_back(age.held.row());
        from_shares_[e].insert(from_shares_[e].end(), shares[e].begin(), shares[e].end());
      }
      highest = std::max(highest, age.top);
    }
    for (std::size_t e = 0; e < kEmitters; ++e) {
      const int count = static_cast<int>(from_[e].size());
      if (count == 0) continue;
      ops_.react_rows(reacts, from_[e].data(), from_shares_[e].data(), count, reacted_[e].row(0), reacted_[e].row(1),
                      highest);
    }
  }

  /// Steps the rows of a class, and its source in this plane, which starts in the middle of the plane. Returns the
  /// energy that they deposit.
  Deposit step(int c, const Motion::Kind& motion) {
    Deposit deposit{};
    BinRows& held = held_[u(c)];
    int& top = top_[u(c)];
    int end = 0;
    if (top > 0) {
      end = motion.whole.end(top, g_.bins);
      const std::array from{std::as_const(held).row(0), std::as_const(held).row(1)};
      const std::array to{pair_.row(0), pair_.row(1)};
      ops_.advance(motion.whole.step(), {from.data(), to.data(), kHeld, top, end}, false, deposit.data());
      for (int k = 0; k < static_cast<int>(kHeld); ++k) std::fill_n(held.row(k), top, 0.0);
      std::swap(held, pair_);
    }
    const int reach = reach_[u(c)];
    if (reach > 0) {
      const BinRows& source = source_[u(c)];
      const std::array from{source.row(0), source.row(1)};
      const std::array to{held.row(0), held.row(1)};
      const int filled = motion.half.end(reach, g_.bins);
      ops_.advance(motion.half.step(), {from.data(), to.data(), kHeld, reach, filled}, true, deposit.data());
      end = std::max(end, filled);
    }
    while (end > 0 && std::abs(held.row()[end - 1]) <= kNothingLeft) {
      --end;
      for (std::size_t k = 0; k < kHeld; ++k) {
        deposit[k] += std::exchange(held.row(static_cast<int>(k))[end], 0.0) * energies(c)[u(end)];
      }
    }
    top = end;
    return deposit;
  }

  /// Steps all ages of a class. Its emission in this plane becomes a new age. Returns the energy that they deposit.
  double step_aside(int c, const Motion::Kind& motion, double thickness) {
    std::vector<Age>& ages = ages_[u(c)];
    deposits_.assign(ages.size() + 1, 0.0);
    for (std::size_t first = 0; first < ages.size(); first += kRowsTogether) {
      step_together(motion.whole,
                    std::span(ages).subspan(first, std::min<std::size_t>(kRowsTogether, ages.size() - first)),
                    &deposits_[first]);
    }
    const int reach = reach_[u(c)];
    if (reach > 0) {
      const BinRows& source = source_[u(c)];
      const double protons = sum(source.row(0), reach), variance = sum(source.row(1), reach);
      Age& made = ages.emplace_back(Age{.variance = protons > 0.0 ? variance / protons : 0.0, .held = row_for_age()});
      const double* from = source.row();
      double* to = made.held.row();
      made.top = motion.half.end(reach, g_.bins);
      ops_.advance(motion.half.step(), {&from, &to, 1, reach, made.top}, true, &deposits_[ages.size() - 1]);
    }
    double energy = 0.0;
    for (std::size_t i = 0; i < ages.size(); ++i) {
      Age& age = ages[i];
      double deposit = deposits_[i];
      double* row = age.held.row();
      while (age.top > 0 && std::abs(row[age.top - 1]) <= kNothingLeft) {
        --age.top;
        deposit += std::exchange(row[age.top], 0.0) * energies(c)[u(age.top)];
      }
      energy += deposit;
      for (const double aside : layered_->aside(kind_of(c))) {
        add_offset(aside * age.depth, {deposit / kHalf, age.variance * deposit / kHalf});
      }
      age.depth += thickness;
      if (age.top == 0) spare_.push_back(std::move(age.held));
    }
    std::erase_if(ages, [](const Age& age) { return age.top == 0; });
    merge(ages);
    return energy;
  }

  /// Steps at most kRowsTogether ages, and sets their deposits.
  void step_together(const Band& band, std::span<Age> ages, double* deposits) {
    std::array<const double*, kRowsTogether> from{};
    std::array<double*, kRowsTogether> to{};
    int highest = 0;
    for (std::size_t i = 0; i < ages.size(); ++i) {
      from[i] = ages[i].held.row();
      to[i] = next_[i].row();
      highest = std::max(highest, ages[i].top);
    }
    ops_.advance(band.step(),
                 {from.data(), to.data(), static_cast<int>(ages.size()), highest, band.end(highest, g_.bins)}, false,
                 deposits);
    for (std::size_t i = 0; i < ages.size(); ++i) {
      std::fill_n(ages[i].held.row(), ages[i].top, 0.0);
      std::swap(ages[i].held, next_[i]);
      ages[i].top = band.end(ages[i].top, g_.bins);
    }
  }

  /// Returns an empty row.
  BinRows row_for_age() {
    if (spare_.empty()) return {1, room_};
    BinRows out = std::move(spare_.back());
    spare_.pop_back();
    return out;
  }

  double sum(const double* row, int n) const { return ops_.dot(row, ones_.row(), n); }

  /// Merges the two oldest of more than kAgesOfSpan ages with the same number of planes.
  void merge(std::vector<Age>& ages) {
    for (std::size_t end = ages.size(); end > kAgesOfSpan; --end) {
      Age &older = ages[end - 1 - kAgesOfSpan], &newer = ages[end - kAgesOfSpan];
      if (older.planes != newer.planes || newer.planes != ages[end - 1].planes) continue;
      const double before = sum(older.held.row(), older.top), added = sum(newer.held.row(), newer.top);
      const double all = before + added;
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
    const double place = std::min(distance * per_offset_step_, static_cast<double>(offsets_.size() - 2));
    const auto low = static_cast<std::size_t>(place);
    const double upper = place - static_cast<double>(low);
    for (std::size_t k = 0; k < kHeld; ++k) {
      offsets_[low][k] += (1.0 - upper) * deposit[k];
      offsets_[low + 1][k] += upper * deposit[k];
    }
  }

  /// Lists the nodes of `emitting_` in a material at which products are emitted, in descending order.
  void list_nodes(std::size_t material) {
    const std::size_t nodes = matter_.nodes.size();
    emitted_.clear();
    emitted_weights_.clear();
    for (std::size_t node = nodes; node-- > 0;) {
      const Deposit& from = emitting_[material * nodes + node];
      if (from[0] == 0.0) continue;
      emitted_.push_back(static_cast<int>(node));
      emitted_weights_.insert(emitted_weights_.end(), from.begin(), from.end());
    }
  }

  /// Adds the products of the listed nodes to the source of a class.
  void emit(int c, const Emitting::Kind& kind) {
    const int end = emitted_.empty() ? 0 : kind.ends[u(emitted_.front())];
    if (end == 0) return;
    BinRows& to = source_[u(c)];
    ops_.add_rows({kind.number.row(), kind.number.stride(), kind.ends.data()}, emitted_.data(), emitted_weights_.data(),
                  static_cast<int>(emitted_.size()), to.row(0), to.row(1));
    reach_[u(c)] = std::max(reach_[u(c)], end);
  }

  /// Adds elastically scattered protons near the axis to the classes that leave the axis.
  void scatter(const Motion& motion, int highest) {
    for (const Motion::Part& part : motion.parts) {
      BinRows& near = scattering_[part.material];
      const std::vector<Deflecting>& deflecting = layered_->deflecting(part.material);
      const std::array from{std::as_const(near).row(0), std::as_const(near).row(1)};
      for (int angle = 0; angle < static_cast<int>(deflecting.size()); ++angle) {
        const Deflecting& each = deflecting[u(angle)];
        const int end = each.ends[u(highest - 1)];
        if (end == 0) continue;
        BinRows& source = source_[u(kFirstAngleClass + angle)];
        const std::array to{source.row(0), source.row(1)};
        BinStep step = each.band.step();
        step.given = nullptr;
        ops_.advance(step, {from.data(), to.data(), kHeld, highest, end}, true, nullptr);
        reach_[u(kFirstAngleClass + angle)] = std::max(reach_[u(kFirstAngleClass + angle)], end);
      }
      for (int k = 0; k < static_cast<int>(kHeld); ++k) std::fill_n(near.row(k), highest, 0.0);
    }
  }

  /// Fills the sources from the beam's reactions in a plane, and adds the local energy. Spectra are smooth, so emission
  /// is summed at the energy nodes first. Reactions too few to be followed by angle are added to those of the products.
  void emit_of_beam(const Motion& motion, std::span<const SpreadProtons> recorded, int first, int end, Deposit& local) {
    const std::size_t nodes = matter_.nodes.size();
    emitting_.assign(motion.thickness.size() * nodes, {});
    for (std::size_t b = u(first); b < u(end); ++b) {
      const Deposit& of = recorded[b];
      if (!(of[0] > kFewReact) || !(motion.rest.row()[b] > 0.0)) {
        for (std::size_t k = 0; k < kHeld; ++k) reacted_[0].row(static_cast<int>(k))[b] += of[k];
        continue;
      }
      for (const Motion::Part& part : motion.parts) {
        const double elastic = part.elastic.row()[b], lower = part.lower.row()[b], upper = part.upper.row()[b];
        Deposit* to = &emitting_[part.material * nodes + matter_.node_below[b]];
        for (std::size_t k = 0; k < kHeld; ++k) {
          const double near = elastic * of[k];
          scattering_[part.material].row(static_cast<int>(k))[b] += near;
          local[k] += near * matter_.materials[part.material].scattered[b].local;
          to[0][k] += lower * of[k];
          to[1][k] += upper * of[k];
        }
      }
    }
    for (std::size_t i = 0; i < emitting_.size(); ++i) {
      const Deposit& from = emitting_[i];
      if (from[0] == 0.0) continue;
      const Yield& yield = matter_.materials[i / nodes].yields[i % nodes];
      for (std::size_t k = 0; k < kHeld; ++k) local[k] += from[k] * (yield.local + yield.wide);
      neutral_ += from[0] * yield.neutral;
    }
    if (first >= end) return;
    for (const Motion::Part& part : motion.parts) {
      const Emitting& of = layered_->emitting()[part.material];
      list_nodes(part.material);
      emit(kDeuteronClass, of.deuterons);
      emit(kAhead, of.ahead);
      for (int k = 0; k < physics::kAngleClasses; ++k) emit(kFirstAngleClass + k, of.aside[u(k)]);
    }
  }

  /// Fills the sources from reacted products of an emitter, and adds the local energy. The angles of emitted products
  /// are neglected, as in columns.
  void emit_of_products(std::size_t e, const Motion& motion, int highest, Deposit& local) {
    const std::size_t nodes = matter_.nodes.size();
    emitting_.assign(motion.thickness.size() * nodes, {});
    double *protons = reacted_[e].row(0), *variance = reacted_[e].row(1);
    neutral_ += ops_.dot(motion.neutral.row(), protons, highest);
    local[0] += ops_.dot(motion.local.row(), protons, highest);
    local[1] += ops_.dot(motion.local.row(), variance, highest);
    for (int b = 0; b < highest; ++b) {
      if (std::abs(protons[b]) >= kNothingLeft || protons[b] == 0.0) continue;
      local[0] += std::exchange(protons[b], 0.0) * motion.rest.row()[b];
      local[1] += std::exchange(variance[b], 0.0) * motion.rest.row()[b];
    }
    for (const Motion::Part& part : motion.parts) {
      if (e <= kNear) {
        BinRows& near = scattering_[part.material];
        ops_.react({part.elastic.row(), protons, variance}, 1.0, 1.0, near.row(0), near.row(1), highest);
      } else {
        // Products farther away go straight on, with unchanged speed but in a number that has the remaining energy.
        const int c = class_of(e, kAhead);
        BinRows& to = source_[u(c)];
        ops_.react({part.straight.row(), protons, variance}, 1.0, 1.0, to.row(0), to.row(1), highest);
        reach_[u(c)] = std::max(reach_[u(c)], highest);
      }
      Deposit* to = &emitting_[part.material * nodes];
      const double *lower = part.lower.row(), *upper = part.upper.row();
      for (std::size_t b = 0; b < u(highest);) {
        const std::size_t node = matter_.node_below[b];
        double below = 0.0, below_variance = 0.0, above = 0.0, above_variance = 0.0;
        for (; b < u(highest) && matter_.node_below[b] == node; ++b) {
          below += lower[b] * protons[b];
          below_variance += lower[b] * variance[b];
          above += upper[b] * protons[b];
          above_variance += upper[b] * variance[b];
        }
        to[node][0] += below;
        to[node][1] += below_variance;
        to[node + 1][0] += above;
        to[node + 1][1] += above_variance;
      }
    }
    for (const Motion::Part& part : motion.parts) {
      const Emitting& of = layered_->emitting()[part.material];
      list_nodes(part.material);
      emit(class_of(e, kDeuteronClass), of.deuterons);
      emit(class_of(e, kAhead), of.protons);
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
    const int place = std::clamp(static_cast<int>(std::lround(std::log(sigma) * kPerE)), -kMaxPlace, kMaxPlace);
    std::vector<double>& kernel = kernels_[u(place + kMaxPlace)];
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
  const bool dose_map_;
  const Tables& t_;
  const ReactionGrid& g_;
  const std::shared_ptr<LayeredMatter> layered_;
  const SweptMatter& matter_;
  std::vector<std::shared_ptr<const Motion>> motion_of_;    // [planes]
  int room_ = 0;                                            // bins of a row, with those that taps of a group may read
  std::vector<BinRows> held_, source_;                      // [kClasses]
  BinRows pair_{0, 0};                                      // rows that a class advances into
  std::vector<BinRows> next_;                               // [kRowsTogether] rows that ages advance into
  std::vector<BinRows> scattering_;                         // [materials] elastically scattered protons near the axis
  std::vector<double> deposits_;                            // MeV by age
  std::array<std::vector<const double*>, kEmitters> from_;  // rows that react for an emitter
  std::array<std::vector<double>, kEmitters> from_shares_;  // two weights of each of these rows
  std::array<std::vector<Age>, kClasses> ages_;             // products that leave the axis, oldest first
  std::array<int, kClasses> top_{}, reach_{};               // ends of the bins with content, and with emission
  std::vector<BinRows> reacted_;                            // [kEmitters] reacted products in this plane
  double range_mm_ = 0;                                     // range of the beam in water
  double per_offset_step_ = 1;
  double offset_step_ = 1;                        // mm
  std::vector<Deposit> offsets_;                  // MeV in the plane by distance from the axis, both sides together
  std::vector<double> profile_, below_, kernel_;  // MeV in the plane by cell around the axis, and below each cell
  std::size_t farthest_ = 0;                      // last cell of the profile with content
  std::vector<std::vector<double>> kernels_{2 * kMaxPlace + 1};  // by rounded width
  std::vector<Deposit> emitting_;                                // [materials][nodes]
  std::vector<int> emitted_;  // energy nodes that emit products, and two weights of each
  std::vector<double> emitted_weights_;
  BinRows ones_;
  std::vector<BinRows> spare_;  // rows of removed ages
  std::vector<double> edges_;   // mm
  std::vector<double> planes_;  // [plane][column] MeV
  double neutral_ = 0;          // MeV per proton, to be added to out_
  Secondaries out_;
};

}  // namespace

Secondaries follow_layered(const Problem& problem, const Tables& tables,
                           const std::shared_ptr<const SweptMatter>& matter, std::span<const ReactingBeam> beams) {
  LayeredSweep sweep(problem, tables, matter);
  for (const ReactingBeam& beam : beams) sweep.follow(beam);
  return sweep.take();
}

}  // namespace bb::transport
