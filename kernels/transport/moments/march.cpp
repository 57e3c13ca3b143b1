// Beams along z and tilted beams are in one file, because they share the state, its tables, and the functions that move
// bins.
#include "march.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "build_config.hpp"
#include "cpu/denormals.hpp"
#include "cpu/host.hpp"
#include "march_ops.hpp"
#include "physics/kinematics.hpp"
#include "physics/nuclear.hpp"
#include "physics/scattering.hpp"
#include "transport/model/entry/beam_energies.hpp"
#include "transport/model/entry/start.hpp"
#include "transport/model/index.hpp"
#include "transport/model/nuclear_matter.hpp"

namespace bb::transport {

#define BB_DECLARE(isa)                       \
  namespace isa {                             \
  extern const MarchOps<float> kMarchFloat;   \
  extern const MarchOps<double> kMarchDouble; \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

template <>
const MarchOps<float>& march_ops() {
#define BB_ENTRY(isa) &isa::kMarchFloat,
  static const MarchOps<float>* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

template <>
const MarchOps<double>& march_ops() {
#define BB_ENTRY(isa) &isa::kMarchDouble,
  static const MarchOps<double>* const all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return *all[cpu::instruction_set()];
}

namespace {

// Width of a bin relative to the straggling at the end of the range. R80 and W80–20 differ by less than 0.1 % from
// those with half this width.
constexpr double kBinPerSigma = 0.3;
constexpr int kGuard = 16;               // bins above the beam's, which taps reach in thin material
constexpr int kMinSteps = 6;             // minimum steps per layer: scattering rises with the logarithm of the path
constexpr int kLowest = 32;              // bins near the end of the range, whose falls are computed from ranges
constexpr int kSettling = 12;            // first steps, in which five taps would undershoot because content is narrow
constexpr int kPathParts = 4;            // parts of a step, over which the correction by the path so far is averaged
constexpr double kWidestAngle = 0.25;    // rad², as in march_ops.simd.cpp
constexpr double kTimesMean = 8.0;       // largest variance of x of a bin, relative to the mean
constexpr double kMeaningful = 1e-3;     // share of the protons below which negative numbers are rounding errors
constexpr double kMinShareLeft = 1e-10;  // share of the protons at which the march ends

/// Share of the protons below which a bin at the edge of the window is added to its neighbour.
template <typename T>
constexpr double kEdge = sizeof(T) == sizeof(float) ? 1e-9 : 1e-12;

/// Approximate straggling (mm of water) of a range in mm.
double range_straggling(double range_mm) { return 0.12 * std::pow(0.1 * range_mm, 0.935); }

/// ln of StoppingView::energy_at() to 1e-9, in a third of the time because Newton's step is omitted.
double log_energy_near(const physics::StoppingView& of, double range) {
  if (range <= of.mesh_range[0] || range >= of.mesh_range[of.cells - 1]) return std::log(of.energy_at(range));
  const int hi = physics::not_above(of.mesh_range, of.cells, range), lo = hi - 1;
  const double h = of.mesh_range[hi] - of.mesh_range[lo];
  const double t = (range - of.mesh_range[lo]) / h, rest = 1.0 - t;
  return rest * rest * ((1.0 + 2.0 * t) * of.mesh[lo] + t * h * of.mesh_slope[lo]) +
         t * t * ((1.0 + 2.0 * rest) * of.mesh[hi] - rest * h * of.mesh_slope[hi]);
}

/// Arrays of bins with kMarchPad additional bins at both ends.
template <typename T>
class BinArray {
 public:
  explicit BinArray(int bins) : values_(u(bins) + 2 * kMarchPad + 2 * kMarchGroup, T(0)) {}
  T* data() { return values_.data() + kMarchPad; }
  const T* data() const { return values_.data() + kMarchPad; }
  std::size_t bytes() const { return values_.size() * sizeof(T); }

 private:
  std::vector<T> values_;
};

/// Moments of a proton's track in one medium.
struct TrackTable {
  physics::TrackMoments moments;
  std::vector<std::vector<double>> held;  // [kMoments][bins]
};

/// Coefficients by bin for the steps of layers of one material and one step length.
template <typename T>
struct LayerTables {
  explicit LayerTables(int bins)
      : shift(bins), straggling(bins), scattering(bins), scattering_lg(bins), lost(bins), lost_energy(bins) {}

  BinArray<T> shift, straggling, scattering, scattering_lg, lost, lost_energy;

  MarchMatter<T> view() const {
    return {shift.data(), straggling.data(), scattering.data(), scattering_lg.data(), lost.data(), lost_energy.data()};
  }
};

}  // namespace

/// The march in one precision.
template <typename T>
class March::Work {
 public:
  Work(March& march, const Problem& problem)
      : m_(march),
        p_(problem),
        grid_(*march.grid_),
        n_(grid_.size()),
        water_(march.media_[0].table),
        energy_(n_),
        deposit_(n_),
        variance_(n_),
        lost_(n_),
        lag_(n_),
        carried_(n_) {
    for (int i = 0; i < kMoments; ++i) {
      state_.emplace_back(n_);
      moved_.emplace_back(n_);
    }
    for (int i = 0; i < kTaps; ++i) weight_.emplace_back(n_);
    const std::vector<double>& held = grid_.held();
    for (int i = 0; i < n_; ++i) energy_.data()[i] = static_cast<T>(held[u(i)]);
    for (int k = 0; k < kMarchPad; ++k) {
      energy_.data()[n_ + k] = static_cast<T>(held[u(n_ - 1)] + (k + 1) * (held[u(n_ - 1)] - held[u(n_ - 2)]));
    }
    for (std::size_t c = 0; c < kMoments; ++c) {
      f_[c] = state_[c].data();
      scratch_.moved[c] = moved_[c].data();
      all_.push_back(f_[c]);
    }
    if (tilted()) {
      for (int k = kMeanU; k < kTiltedMoments; ++k) {
        all_.push_back(state_.emplace_back(n_).data());
        moved_.emplace_back(n_);
      }
      for (int k = 0; k < 2 * kTiltedMoments; ++k) delayed_.emplace_back(n_);
      mean_.resize(u(n_));
      rate_.resize(u(n_));
    }
    for (std::size_t k = 0; k < kTaps; ++k) scratch_.weight[k] = weight_[k].data();
    scratch_.deposit = deposit_.data();
    scratch_.variance = variance_.data();
    scratch_.lost = lost_.data();
    scratch_.lag = lag_.data();
    scratch_.carried = carried_.data();
    const auto bytes = [](const auto& arrays) {
      double sum = 0.0;
      for (const auto& each : arrays) sum += static_cast<double>(each.bytes());
      return sum;
    };
    m_.state_bytes_ = bytes(state_) + bytes(moved_) + bytes(weight_);
    if (p_.nuclear == Nuclear::kIcru63) nuclei_ = nuclear_tables(p_);
    start();
  }

  void run(double depth, const std::function<void(const MarchView&)>& look) {
    const double entrance = m_.spot_.z;
    plane_.z = entrance;
    for (const Layer& layer : m_.layers_) {
      const double from = std::max(layer.z0 * p_.grid.dz, entrance), to = std::min(layer.z1 * p_.grid.dz, depth);
      if (!(to > from)) continue;
      m_.layer_begin_.push_back(m_.planes_.size());
      plane_.z = from;
      m_.planes_.push_back(plane_);
      const Medium& medium = m_.media_[u(layer.material)];
      const double path = std::sqrt(1.0 + m_.slope_ * m_.slope_);  // of the axis, per depth
      const double per_mm = bins_per_mm(medium, std::max(axis_, 0.0)) * path;
      const double bins = (to - from) * per_mm;
      const int steps = std::max(static_cast<int>(std::ceil(bins - 1e-9)), kMinSteps);
      // If the beam stops in a layer, steps are one bin long, so that in water all content moves by whole bins.
      const bool stops = bins > axis_ + 1.0;
      const double dz = stops ? 1.0 / per_mm : (to - from) / steps;
      const LayerTables<T>& tables = tables_of(layer.material, 0.5 * dz * per_mm, dz * path);
      while (plane_.z < to - 1e-9 * dz && plane_.state[kNumber] > kMinShareLeft) {
        const double length = std::min(dz, to - plane_.z);
        if (tilted()) {
          step_tilted(layer.material, tables, 0.5 * dz * per_mm, length, look);
        } else {
          step(layer.material, tables, 0.5 * dz * per_mm, length, look);
        }
        m_.planes_.push_back(plane_);
      }
      if (plane_.state[kNumber] > kMinShareLeft) continue;
      stop_rest();
      m_.planes_.back() = plane_;
      break;
    }
    if (m_.layer_begin_.empty()) {
      m_.layer_begin_.push_back(0);
      m_.planes_.push_back(plane_);
    }
    m_.layer_begin_.push_back(m_.planes_.size());
    m_.last_first_ = low_;
    m_.last_.clear();
    m_.last_means_.clear();
    for (int i = low_; i < high_; ++i) {
      for (const T* f : f_) m_.last_.push_back(static_cast<double>(f[i]));
      for (std::size_t k = kMoments; k < all_.size(); ++k) m_.last_means_.push_back(static_cast<double>(all_[k][i]));
    }
  }

 private:
  bool tilted() const { return m_.slope_ != 0.0; }

  void start() {
    const Beam& b = m_.spot_;
    const double angle = b.angle_sigma * b.angle_sigma;
    // Mean square of the tangent of a normally distributed angle, to second order in its variance.
    const double uu = angle * (1.0 + 2.0 * angle);
    low_ = n_;
    for (int i = 0; i < n_; ++i) {
      const double share = m_.start_[u(i)];
      if (share == 0.0) continue;
      low_ = std::min(low_, i);
      high_ = i + 1;
      axis_ += share * i;
      f_[kNumber][i] = static_cast<T>(share);
      f_[kUU][i] = static_cast<T>(share * uu);
      f_[kXU][i] = static_cast<T>(-share * b.focus * uu);
      f_[kXX][i] = static_cast<T>(share * b.x_sigma * b.x_sigma);
      if (tilted()) start_tilted(i, share);
    }
    entrance_pv2_ = std::pow(physics::pv(b.energy), 2);
    entrance_range_ = water_.range(b.energy);
    for (const double energy : grid_.energies()) pv2_.push_back(std::pow(physics::pv(energy), 2));
    sum_state();
  }

  void sum_state() {
    const MarchState state = ops_.measure(f_, energy_.data(), low_, high_);
    if (plane_.state[kNumber] > kMeaningful) m_.min_over_max_ = std::min(m_.min_over_max_, state.least / state.most);
    plane_.state = state.sums;
    plane_.energy = state.energy;
    if (!tilted()) return;
    plane_.mean_u = std::accumulate(all_[kMeanU] + low_, all_[kMeanU] + high_, 0.0);
    plane_.mean_x = std::accumulate(all_[kMeanX] + low_, all_[kMeanX] + high_, 0.0);
  }

  double range_at(double bin) const {
    const RangeAxis axis = grid_.range_axis();
    return std::max(axis.bottom + bin * axis.step, 0.02 * axis.step);
  }

  /// Bins of residual range that a proton loses per mm of a medium, at a position between bins.
  double bins_per_mm(const Medium& medium, double bin) const {
    const double energy = water_.energy_at(range_at(bin));
    return 0.1 * medium.material.density * medium.table.stopping(energy) / water_.stopping(energy) /
           grid_.range_axis().step;
  }

  /// Bins by which a proton in bin `i` falls in `dz` mm. Uses its ranges in the medium and in water, because their
  /// ratio changes fast near the end. A step beyond the end of the range is extrapolated linearly.
  double fall(const Medium& medium, int i, double dz) const {
    const RangeAxis axis = grid_.range_axis();
    const double range = axis.bottom + i * axis.step;
    const double left = medium.table.range(water_.energy_at(range)), after = left - medium.thickness(dz);
    const double landing = after > 0.0 ? water_.range(medium.table.energy_at(after)) : after / left * range;
    return (range - landing) / axis.step;
  }

  /// `middle`: bins by which a proton has fallen in the middle of a step of `dz` mm of path.
  const LayerTables<T>& tables_of(int material, double middle, double dz) {
    const auto key = std::pair(material, static_cast<int>(std::lround(middle * 64.0)));
    if (const auto found = tables_.find(key); found != tables_.end()) return found->second;
    LayerTables<T>& t = tables_.try_emplace(key, n_).first->second;
    const Medium& medium = m_.media_[u(material)];
    const Material& matter = medium.material;
    const double per_mm = 0.1 * matter.density, step = grid_.range_axis().step;
    std::unique_ptr<NuclearMatter> nuclei;
    if (nuclei_) nuclei = std::make_unique<NuclearMatter>(matter, *nuclei_);
    for (int i = -kMarchPad; i < n_ + kMarchPad; ++i) {
      const double range = std::max(range_at(i - middle), 0.5 * range_at(i));
      const double log_energy = log_energy_near(water_.view(), range), energy = std::exp(log_energy);
      const double stopping = std::exp(water_.view().log_stopping(log_energy));
      const double there = &medium.table == &water_ ? stopping : std::exp(medium.table.view().log_stopping(log_energy));
      t.shift.data()[i] =
          static_cast<T>(i >= 0 && i < kLowest ? fall(medium, i, dz) / dz : per_mm * there / stopping / step);
      if (p_.straggling == Straggling::kBohr) {
        const double bins = stopping * step;
        t.straggling.data()[i] =
            static_cast<T>(per_mm * physics::bohr_straggling(energy, matter.z_over_a) / (bins * bins));
      }
      const double pv = physics::pv(energy);
      const double e =
          (p_.scattering == Scattering::kHighland ? physics::kHighlandEnergy_MeV : physics::kScatteringEnergy_MeV) / pv;
      const double length = p_.scattering == Scattering::kGottschalk ? matter.xs : matter.x0;
      const double power = per_mm * e * e / length;
      if (p_.scattering != Scattering::kOff) t.scattering.data()[i] = static_cast<T>(power);
      if (p_.scattering == Scattering::kGottschalk) t.scattering_lg.data()[i] = static_cast<T>(power * std::log10(pv));
      if (p_.nuclear == Nuclear::kAttenuation) {
        const double water_per_mm = per_mm * there / stopping;
        const double gone = std::max(0.0, entrance_range_ - range);
        t.lost.data()[i] =
            static_cast<T>(physics::kFluenceLoss_cm2_g * water_per_mm / (1.0 + physics::kFluenceLoss_cm2_g * range));
        t.lost_energy.data()[i] = static_cast<T>((1.0 - physics::nuclear_deposited_share(gone)) * energy);
      } else if (nuclei && energy >= m_.least_reacting_) {
        t.lost.data()[i] = static_cast<T>(per_mm * nuclei->removal(energy));
        t.lost_energy.data()[i] = static_cast<T>(energy);
      }
    }
    return t;
  }

  /// Factors of the scattering power that depend on the path so far, for a proton without straggling. Mean over a step
  /// in which it falls by `bins`.
  void scale_scattering(double bins, MarchStep& step) const {
    step.scale = 1.0;
    if (p_.scattering == Scattering::kFermiRossi || p_.scattering == Scattering::kOff) return;
    double scale = 0.0, losses = 1.0;
    for (int k = 0; k < kPathParts; ++k) {
      const double at = axis_ - (k + 0.5) / kPathParts * bins;
      if (p_.scattering == Scattering::kHighland) {
        const double crossed = (entrance_range_ - range_at(at)) / p_.materials[0].x0;
        const double correction = crossed > 0.0 ? std::max(0.0, 1.0 + std::log10(crossed) / 9.0) : 0.0;
        scale += correction * correction;
        continue;
      }
      const int low = std::clamp(static_cast<int>(std::floor(at)), 0, n_ - 2);
      const double part = std::max(at - low, -1.0);
      const double pv2 = std::max(0.0, pv2_[u(low)] + part * (pv2_[u(low + 1)] - pv2_[u(low)]));
      losses *= std::max(1.0 - pv2 / entrance_pv2_, 1e-12);
    }
    if (p_.scattering == Scattering::kHighland) {
      step.scale = scale / kPathParts;
      return;
    }
    // The terms are linear in the logarithm of the loss, so their mean follows from its mean.
    const physics::GottschalkTerms terms = physics::gottschalk_terms(std::log10(losses) / kPathParts);
    step.scale = terms.constant;
    step.scale_lg = terms.per_lg;
  }

  void step(int material, const LayerTables<T>& tables, double middle, double dz,
            const std::function<void(const MarchView&)>& look) {
    const MarchMatter<T> matter = tables.view();
    const double number = plane_.state[kNumber];
    const double q = number > 0.0 ? std::min(plane_.state[kUU] / number, kWidestAngle) : 0.0;
    const int centre = std::clamp(static_cast<int>(std::lround(axis_)), 0, n_ - 1);
    const double fall = static_cast<double>(matter.shift[centre]) * dz * (1.0 + 0.5 * q);
    MarchStep s{.dz = dz,
                .whole = static_cast<int>(std::lround(fall)),
                .both_planes = p_.nuclear == Nuclear::kIcru63,
                .taps = p_.straggling == Straggling::kOff ? TapRule::kPositive
                        : steps_ < kSettling              ? TapRule::kThree
                                                          : TapRule::kFive,
                .low = low_,
                .high = high_};
    ++steps_;
    scale_scattering(fall, s);
    if (number > 0.0) {
      const double power = s.scale * static_cast<double>(matter.scattering[centre]) +
                           s.scale_lg * static_cast<double>(matter.scattering_lg[centre]);
      const double xx = plane_.state[kXX] + dz * (plane_.state[kXU] + dz * plane_.state[kUU] / 3.0);
      s.widest = kTimesMean * (xx / number + std::max(power, 0.0) * dz * dz * dz / 12.0);
    }
    const MarchSums sums = ops_.collide(matter, s, f_, energy_.data(), scratch_);
    for (std::size_t k = 0; k < sums.deposit.size(); ++k) plane_.deposit[k] += sums.deposit[k];
    plane_.lost += sums.lost;
    plane_.lost_energy += sums.lost_energy;
    m_.bin_steps_ += high_ - low_;
    auto tracks = p_.track_scores ? score_tracks(material, s, matter) : std::vector<std::vector<double>>();
    if (look) {
      look({plane_.z,
            dz,
            middle,
            low_,
            doubles(scratch_.lost),
            doubles(matter.lost_energy),
            doubles(scratch_.variance),
            std::move(tracks),
            {},
            {},
            {}});
    }
    move(s);
    plane_.z += dz;
    axis_ -= fall;
    sum_state();
    plane_.passed += 0.5 * (number + plane_.state[kNumber]) * dz;
  }

  /// Moments of the remaining track of a proton, by bin; 0 below the first bin.
  const TrackTable& track_table(int material) {
    if (const auto found = track_tables_.find(material); found != track_tables_.end()) return found->second;
    const Medium& medium = m_.media_[u(material)];
    TrackTable& made =
        track_tables_
            .try_emplace(material, TrackTable{physics::TrackMoments(water_, medium.table, medium.material.density), {}})
            .first->second;
    for (int k = 0; k < TrackScores::kMoments; ++k) {
      made.held.push_back(grid_.held([&](double energy) { return made.moments.at(k, energy); }));
    }
    return made;
  }

  /// Adds the contribution of a step to the moments of tracks. Returns it by moment and bin.
  std::vector<std::vector<double>> score_tracks(int material, const MarchStep& s, const MarchMatter<T>& matter) {
    const TrackTable& table = track_table(material);
    std::vector<std::vector<double>> given_by(table.held.size());
    for (std::size_t k = 0; k < table.held.size(); ++k) {
      const auto held = [&](int bin) { return bin < 0 ? 0.0 : table.held[k][u(std::min(bin, n_ - 1))]; };
      for (int i = s.low; i < s.high; ++i) {
        double given = 0.0;
        for (int tap = 0; tap < kTaps; ++tap) {
          given += static_cast<double>(scratch_.weight[u(tap)][i]) * (held(i) - held(i - s.whole - tap + kTaps / 2));
        }
        const double reacts_at = static_cast<double>(matter.lost_energy[i]);
        const double left =
            static_cast<double>(scratch_.moved[kNumber][i]) * given +
            static_cast<double>(scratch_.lost[i]) * (held(i) - table.moments.at(static_cast<int>(k), reacts_at));
        double power = left;
        for (double& sum : plane_.tracks[k]) {
          sum += power;
          power *= static_cast<double>(scratch_.variance[i]);
        }
        given_by[k].push_back(left);
      }
    }
    return given_by;
  }

  std::vector<double> doubles(const T* values) const { return std::vector<double>(values + low_, values + high_); }

  void move(const MarchStep& s) {
    const int reach = kTaps / 2;
    const int from = low_ - s.whole - reach, to = high_ - s.whole + reach;
    for (T* f : all_) std::fill(f + std::min(std::max(to, low_), high_), f + high_, T(0));
    if (tilted()) {
      shift_tilted(s, from, to);
    } else {
      ops_.shift(s, scratch_, from, to, f_);
    }
    for (int i = from; i < 0; ++i) {
      plane_.stopped += static_cast<double>(f_[kNumber][i]);
      for (T* f : all_) f[i] = T(0);
    }
    low_ = std::max(from, 0);
    high_ = std::max(std::min(to, n_), low_);
    for (int i = n_; i < to; ++i) fold(i, n_ - 1);
    const auto small = [&](int i) { return std::abs(static_cast<double>(f_[kNumber][i])) < kEdge<T>; };
    while (high_ - low_ > 1 && small(high_ - 1)) {
      --high_;
      fold(high_, high_ - 1);
    }
    while (high_ - low_ > 1 && small(low_)) {
      fold(low_, low_ + 1);
      ++low_;
    }
  }

  /// Stops the last few protons at the current depth.
  void stop_rest() {
    plane_.stopped += plane_.state[kNumber];
    plane_.deposit[0] += plane_.energy;
    for (T* f : all_) std::fill(f + low_, f + high_, T(0));
    sum_state();
  }

  /// Adds the content of a bin to its neighbour. The difference in energy is deposited.
  void fold(int from, int to) {
    const double number = static_cast<double>(f_[kNumber][from]);
    plane_.deposit[0] += number * (static_cast<double>(energy_.data()[from]) - static_cast<double>(energy_.data()[to]));
    for (T* f : all_) {
      f[to] += f[from];
      f[from] = T(0);
    }
  }

  // Tilted beams. The moments are relative to the axis, x = slope · depth. Their means differ between bins, because
  // protons at steeper angles lose more range per depth.

  void start_tilted(int i, double share) {
    const Beam& b = m_.spot_;
    const double s = m_.slope_, c = 1.0 + s * s, angle = b.angle_sigma * b.angle_sigma;
    // To second order in the variance of the angle. The axes of all directions meet at the focus.
    const double uu = c * c * angle * (1.0 + (2.0 + 8.0 * s * s) * angle), mean_u = s * c * angle;
    const double mean_x = 0.5 * b.focus * angle * s / std::sqrt(c), xu = -b.focus * std::sqrt(c) * angle;
    const double xx = b.x_sigma * b.x_sigma + b.focus * b.focus * angle * (1.0 / c - 1.0);
    all_[kMeanU][i] = static_cast<T>(share * mean_u);
    all_[kMeanX][i] = static_cast<T>(share * mean_x);
    f_[kUU][i] = static_cast<T>(share * (uu + mean_u * mean_u));
    f_[kXU][i] = static_cast<T>(share * (xu + mean_x * mean_u));
    f_[kXX][i] = static_cast<T>(share * (xx + mean_x * mean_x));
  }

  void step_tilted(int material, const LayerTables<T>& tables, double middle, double dz,
                   const std::function<void(const MarchView&)>& look) {
    const MarchMatter<T> matter = tables.view();
    const double number = plane_.state[kNumber];
    const double mean_u = plane_.mean_u / number, mean_x = plane_.mean_x / number;
    const PathTerms of(m_.slope_ + mean_u);
    const double uu = std::clamp(plane_.state[kUU] / number - mean_u * mean_u, 0.0, kWidestAngle * of.c * of.c);
    const int centre = std::clamp(static_cast<int>(std::lround(axis_)), 0, n_ - 1);
    const double fall = static_cast<double>(matter.shift[centre]) * dz * (of.p + 0.5 * of.p2 * uu);
    MarchStep s{.dz = dz,
                .whole = static_cast<int>(std::lround(fall)),
                .both_planes = p_.nuclear == Nuclear::kIcru63,
                .taps = p_.straggling == Straggling::kOff ? TapRule::kPositive
                        : steps_ < kSettling              ? TapRule::kThree
                                                          : TapRule::kFive,
                .low = low_,
                .high = high_};
    ++steps_;
    scale_scattering(fall, s);
    const double xx = std::max(plane_.state[kXX] / number - mean_x * mean_x, 0.0);
    const double xu = plane_.state[kXU] / number - mean_x * mean_u;
    const double power = s.scale * static_cast<double>(matter.scattering[centre]) +
                         s.scale_lg * static_cast<double>(matter.scattering_lg[centre]);
    s.widest = kTimesMean * (xx + dz * (xu + dz * (uu / 3.0 + std::max(power, 0.0) * dz * of.p * of.c * of.c / 12.0)));
    for (int i = low_; i < high_; ++i) collide_tilted(matter, s, i);
    m_.bin_steps_ += high_ - low_;
    auto tracks = p_.track_scores ? score_tracks(material, s, matter) : std::vector<std::vector<double>>();
    if (look) {
      look({plane_.z, dz, middle, low_, doubles(scratch_.lost), doubles(matter.lost_energy), doubles(scratch_.variance),
            std::move(tracks), std::vector<double>(mean_.begin() + low_, mean_.begin() + high_),
            std::vector<double>(rate_.begin() + low_, rate_.begin() + high_), doubles(scratch_.deposit)});
    }
    move(s);
    plane_.z += dz;
    axis_ -= fall;
    sum_state();
    plane_.passed += 0.5 * (number + plane_.state[kNumber]) * dz;
  }

  /// Path per depth at the tangent u, p = √(1 + u²), and its derivatives.
  struct PathTerms {
    explicit PathTerms(double u)
        : c(1.0 + u * u), p(std::sqrt(c)), p1(u / p), p2(1.0 / (c * p)), p4((15.0 * u * u / c - 3.0) / (c * c * p)) {}
    double c, p, p1, p2, p4;
  };

  /// Scatters and streams a bin, and computes its deposit, losses and taps. u is the tangent of the angle. Its mean and
  /// variance change by Itô's rule, to second order around the mean of the bin.
  void collide_tilted(const MarchMatter<T>& matter, const MarchStep& step, int i) {
    const auto at = [i](const T* values) { return static_cast<double>(values[i]); };
    const double n = at(f_[kNumber]), each = n != 0.0 ? 1.0 / n : 0.0, dz = step.dz;
    const double sum_u = at(all_[kMeanU]), sum_x = at(all_[kMeanX]);
    const double uu = at(f_[kUU]), xu = at(f_[kXU]), xx = at(f_[kXX]);
    // In bins that contain only rounding errors, these ratios have no meaning and are limited.
    const double steepest = 2.0 * std::sqrt(kWidestAngle), far = std::sqrt(step.widest);
    const double w = std::clamp(sum_u * each, -steepest, steepest), x = std::clamp(sum_x * each, -far, far);
    const double u0 = m_.slope_ + w;
    const PathTerms of(u0);
    const double var_u = std::clamp(uu * each - w * w, 0.0, kWidestAngle * of.c * of.c);
    const double var_x = std::clamp(xx * each - x * x, 0.0, step.widest);
    const double limit = std::sqrt(var_u * var_x), cov = std::clamp(xu * each - x * w, -limit, limit);

    const double power =
        dz * std::max(0.0, step.scale * at(matter.scattering) + step.scale_lg * at(matter.scattering_lg));
    const double f1 = of.p * (of.c + 3.0 * u0 * u0), f2 = 3.0 * u0 * (3.0 * of.p + u0 * u0 / of.p);
    const double drift = power * (u0 * of.c * of.p + 0.5 * f2 * var_u);
    const double gained = power * (of.c * of.c * of.p + (2.5 * of.c * of.p + 7.5 * u0 * u0 * of.p + 2.0 * f1) * var_u);
    const double dragged = power * f1 * cov;  // covariance from the drift's slope

    const double half = var_u + 0.5 * gained, cov_half = cov + 0.5 * dz * var_u;
    const double w_half = w + 0.5 * drift, x_half = x + 0.5 * dz * w;
    // The angles out of the plane add as much as those in the plane; the fourth order is that of both.
    const double longer =
        step.both_planes ? of.p2 * half + of.p4 / 3.0 * half * half : 0.5 * of.p2 * half + of.p4 / 8.0 * half * half;
    const double path = dz * (of.p + 0.5 * of.p1 * drift + longer);

    const double removed = at(matter.lost) * path, taken = removed - 0.5 * removed * removed, kept = 1.0 - taken;
    const double gone = n * taken, passing = kept * n;
    scratch_.lost[i] = static_cast<T>(gone);
    const double spread = n * gained, pushed = n * drift;
    const auto put = [&](T* to, double value) { to[i] = static_cast<T>(value); };
    put(scratch_.moved[kNumber], passing);
    put(moved_[kMeanU].data(), kept * (sum_u + pushed));
    put(moved_[kMeanX].data(), kept * (sum_x + dz * (sum_u + 0.5 * pushed)));
    put(scratch_.moved[kUU], kept * (uu + spread + pushed * (2.0 * w + drift)));
    put(scratch_.moved[kXU], kept * (xu + dz * (uu + 0.5 * spread + pushed * w) + n * dragged + pushed * x));
    put(scratch_.moved[kXX], kept * (xx + dz * (2.0 * xu + dz * (uu + spread / 3.0) + pushed * x + n * dragged)));
    // Protons with longer paths have steeper angles, which moves the mean position of the deposit.
    mean_[u(i)] = m_.slope_ * (plane_.z + 0.5 * dz - m_.spot_.z) + x_half + of.p1 / of.p * cov_half;
    rate_[u(i)] = u0 + 0.5 * drift;
    put(scratch_.variance, var_x + dz * (cov + dz * (var_u / 3.0 + gained / 12.0)));

    // Falls of the moments beyond that of the number, to first and second order: paths depend on u.
    const double shift = at(matter.shift) * dz, l1 = shift * of.p1, l2 = shift * of.p2;
    const double lag_u = l1 * half, lag_x = l1 * cov_half;
    const std::array<double, kTiltedMoments> first = {0.0,
                                                      2.0 * w_half * lag_u + l2 * half * half,
                                                      x_half * lag_u + w_half * lag_x + l2 * half * cov_half,
                                                      2.0 * x_half * lag_x + l2 * cov_half * cov_half,
                                                      lag_u,
                                                      lag_x};
    const std::array<double, kTiltedMoments> second = {0.0, lag_u * lag_u, lag_u * lag_x, lag_x * lag_x, 0.0, 0.0};
    for (std::size_t k = 0; k < first.size(); ++k) {
      put(delayed_[k].data(), passing * first[k]);
      put(delayed_[first.size() + k].data(), passing * second[k]);
    }

    const double a = at(matter.shift) * path - step.whole, square = a * a;
    const double v = at(matter.straggling) * path + l1 * l1 * half;
    double m2 = v + square, m3 = a, m4 = m2;
    if (step.taps == TapRule::kFive) {
      m3 = a * (square + 3.0 * v);
      m4 = square * square + 6.0 * square * v + 3.0 * v * v;
    }
    if (step.taps == TapRule::kPositive) m2 = m4 = std::max(m2, std::abs(a));
    const std::array<double, kTaps> weight = {(m4 - m2 - 2.0 * (m3 - a)) / 24.0, (4.0 * m2 - m4 - 4.0 * a + m3) / 6.0,
                                              1.0 - (5.0 * m2 - m4) / 4.0, (4.0 * m2 - m4 + 4.0 * a - m3) / 6.0,
                                              (m4 - m2 + 2.0 * (m3 - a)) / 24.0};
    const double held = at(energy_.data()), gone_energy = at(matter.lost_energy);
    double given = 0.0;
    for (int k = 0; k < kTaps; ++k) {
      put(scratch_.weight[u(k)], weight[u(k)]);
      given += static_cast<double>(scratch_.weight[u(k)][i]) *
               (held - static_cast<double>(energy_.data()[i - step.whole - k + kTaps / 2]));
    }
    const double deposit = static_cast<double>(scratch_.moved[kNumber][i]) * given + gone * (held - gone_energy);
    put(scratch_.deposit, deposit);
    plane_.deposit[0] += deposit;
    plane_.lost += gone;
    plane_.lost_energy += gone * gone_energy;
  }

  /// Moves the content of the bins down, each by its own taps.
  void shift_tilted(const MarchStep& step, int from, int to) {
    for (std::size_t k = 0; k < kTiltedMoments; ++k) {
      const T *moved = moved_[k].data(), *first = delayed_[k].data(), *second = delayed_[kTiltedMoments + k].data();
      const auto in = [&](const T* values, int i) {
        return i >= step.low && i < step.high ? static_cast<double>(values[i]) : 0.0;
      };
      T* out = all_[k];
      std::fill(out + from, out + to, T(0));
      for (int i = step.low - 1; i <= step.high; ++i) {
        const double content = in(moved, i) + 0.5 * (in(first, i + 1) - in(first, i - 1)) + in(second, i + 1) -
                               2.0 * in(second, i) + in(second, i - 1);
        const int bin = std::clamp(i, step.low, step.high - 1);
        for (int tap = 0; tap < kTaps; ++tap) {
          const int landing = i - step.whole - tap + kTaps / 2;
          if (landing >= from && landing < to) {
            out[landing] += static_cast<T>(content * static_cast<double>(scratch_.weight[u(tap)][bin]));
          }
        }
      }
    }
  }

  March& m_;
  const Problem& p_;
  const EnergyGrid& grid_;
  const int n_;
  const physics::StoppingTable& water_;
  const MarchOps<T>& ops_ = march_ops<T>();
  std::vector<BinArray<T>> state_, moved_, weight_;
  BinArray<T> energy_, deposit_, variance_, lost_, lag_, carried_;
  std::array<T*, kMoments> f_{};
  std::vector<T*> all_;  // f_, then the further moments of a tilted beam
  MarchScratch<T> scratch_{};
  std::vector<BinArray<T>> delayed_;  // of a tilted beam, by moment: what falls further, to first and second order
  std::vector<double> mean_, rate_;   // of a tilted beam: mean x in the middle of the step (mm), and its change per mm
  std::map<std::pair<int, int>, LayerTables<T>> tables_;
  std::shared_ptr<const std::vector<physics::NuclearTable>> nuclei_;
  std::map<int, TrackTable> track_tables_;  // by material
  std::vector<double> pv2_;                 // [bins] MeV²
  double entrance_pv2_ = 0, entrance_range_ = 0;
  double axis_ = 0;  // bin of a proton on a straight path without straggling
  int low_ = 0, high_ = 0, steps_ = 0;
  MarchPlane plane_;
};

March::March(const Problem& problem, std::span<const Medium> media, std::span<const Layer> layers, const Beam& spot,
             double least_reacting)
    : problem_(problem),
      media_(media),
      layers_(layers),
      spot_(spot),
      slope_(is_tilted(spot) ? std::tan(spot.angle) : 0.0),
      least_reacting_(least_reacting) {
  const cpu::FlushDenormals flush;  // results have the same bits on all threads
  const physics::StoppingTable& water = media[0].table;
  const double range_mm = 10.0 * water.range(spot.energy);
  GridSpec spec = problem.grid;
  spec.energy_kind = EnergyGridKind::kRange;
  // The end of the range is at a bin edge, so that the beam stops at the lower edge of the first bin.
  const double wanted = kBinPerSigma * range_straggling(range_mm);
  spec.energy_step = range_mm / (std::ceil(range_mm / wanted) - 0.5);
  const double top = spot.energy + EnergyGrid::kBeamSigmas * spot.energy_sigma;
  grid_ = std::make_unique<EnergyGrid>(spec, water, spot.energy, top, kGuard);
  const auto same = [](double energy) { return energy; };
  start_ = spot.energy_sigma > 0.0 ? beam_energies(*grid_, spot.energy, spot.energy_sigma, same, same).share
                                   : one_energy(*grid_, spot.energy);
  for (int i = 0; i < grid_->size(); ++i) energy_in_ += start_[u(i)] * grid_->held()[u(i)];
}

March::~March() = default;

void March::take(Outcome outcome) {
  planes_ = std::move(outcome.planes);
  layer_begin_ = std::move(outcome.layer_begin);
  bin_steps_ = outcome.bin_steps;
  min_over_max_ = outcome.min_over_max;
}

void March::run(double depth, const std::function<void(const MarchView&)>& look) {
  const cpu::FlushDenormals flush;
  planes_.clear();
  layer_begin_.clear();
  bin_steps_ = 0.0;
  if (problem_.precision == Precision::kFp64) {
    run_in<double>(depth, look);
  } else {
    run_in<float>(depth, look);
  }
}

template <typename T>
void March::run_in(double depth, const std::function<void(const MarchView&)>& look) {
  Work<T>(*this, problem_).run(depth, look);
}

std::vector<double> March::state(int& first) const {
  first = last_first_;
  return last_;
}

namespace {

constexpr std::size_t kPoints = 6;

void add(const MarchPlane& plane, double weight, bool tracks, MarchPlane& to) {
  for (std::size_t k = 0; k < to.deposit.size(); ++k) to.deposit[k] += weight * plane.deposit[k];
  to.z += weight * plane.z;
  to.passed += weight * plane.passed;
  for (std::size_t k = 0; tracks && k < to.tracks.size(); ++k) {
    for (std::size_t i = 0; i < to.tracks[k].size(); ++i) to.tracks[k][i] += weight * plane.tracks[k][i];
  }
  to.lost += weight * plane.lost;
  to.lost_energy += weight * plane.lost_energy;
  to.stopped += weight * plane.stopped;
  to.energy += weight * plane.energy;
  for (std::size_t c = 0; c < kMoments; ++c) to.state[c] += weight * plane.state[c];
  to.mean_u += weight * plane.mean_u;
  to.mean_x += weight * plane.mean_x;
}

/// Lagrange interpolation through neighbouring planes. Depths between the same planes share the denominators.
class BetweenPlanes {
 public:
  void add_to(MarchPlane& out, std::span<const MarchPlane> planes, double depth, bool tracks) {
    const std::size_t n = planes.size();
    if (planes.data() != planes_.data() || n != planes_.size()) {
      planes_ = planes;
      for (std::size_t i = 0; i < n; ++i) {
        double product = 1.0;
        for (std::size_t k = 0; k < n; ++k) product *= k == i ? 1.0 : planes[i].z - planes[k].z;
        factor_[i] = 1.0 / product;
      }
    }
    std::array<double, kPoints> above{};  // product of the distances to the following planes
    double product = 1.0;
    for (std::size_t i = n; i-- > 0;) {
      above[i] = product;
      product *= depth - planes[i].z;
    }
    product = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      add(planes[i], factor_[i] * product * above[i], tracks, out);
      product *= depth - planes[i].z;
    }
  }

 private:
  std::span<const MarchPlane> planes_;
  std::array<double, kPoints> factor_{};
};

}  // namespace

std::vector<MarchPlane> planes_at(const March& march, std::span<const double> depths) {
  const std::span<const MarchPlane> planes(march.planes());
  const std::vector<std::size_t>& begin = march.layer_begin();
  const bool tracks = march.scores_tracks();
  std::vector<MarchPlane> out;
  out.reserve(depths.size());
  std::size_t layer = 0, low = 0;
  BetweenPlanes between;
  for (const double depth : depths) {
    while (layer + 2 < begin.size() && planes[begin[layer + 1] - 1].z <= depth) low = begin[++layer];
    const std::size_t first = begin[layer], end = begin[layer + 1];
    MarchPlane& value = out.emplace_back();
    if (depth <= planes[first].z || depth >= planes[end - 1].z) {
      add(depth <= planes[first].z ? planes[first] : planes[end - 1], 1.0, tracks, value);
    } else {
      low = std::max(low, first);
      while (planes[low + 1].z < depth) ++low;
      const std::size_t count = std::min(kPoints, end - first);
      const std::size_t from =
          std::clamp(low + 1 >= first + count / 2 ? low + 1 - count / 2 : first, first, end - count);
      between.add_to(value, planes.subspan(from, count), depth, tracks);
    }
  }
  return out;
}

}  // namespace bb::transport
