#include "tangents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "cpu/denormals.hpp"
#include "dual.hpp"
#include "engine/problem_error.hpp"
#include "layers.hpp"
#include "march.hpp"
#include "physics/kinematics.hpp"
#include "physics/nuclear.hpp"
#include "physics/scattering.hpp"
#include "physics/straggling.hpp"
#include "transport/model/entry/beam_energies.hpp"
#include "transport/model/index.hpp"
#include "transport/model/medium.hpp"

namespace bb::transport {
namespace {

constexpr std::size_t kWays = 4;  // directions per march: a vector register of doubles
using Number = Dual<kWays>;

constexpr double kBethe_MeV_cm2_g = 0.307075;  // 4π N_A r_e² m_e c² (Particle Data Group, Review of Particle Physics)
constexpr int kMinLayerSteps = 6;              // minimum number of steps per layer
constexpr int kFirstSteps = 12;                // number of first steps, which use three taps
constexpr int kLowBins = 32;                   // bins whose falls are computed from ranges, not from stopping powers
constexpr int kParts = 4;                      // parts of a step, over which the path correction is averaged
constexpr int kMargin = 8;                     // additional bins at both ends of the grid
constexpr double kMinProtonsLeft = 1e-10;      // share of the protons at which the march ends
constexpr double kWindowEdge = 1e-14;          // share of the protons below which a bin is cut,
constexpr double kWindowEdgeBy = 1e-12;        // and the same for their derivatives
constexpr double kWidestAngle = 0.25;          // rad², as in march_ops.simd.cpp
constexpr double kSameDepth = 1e-9;            // mm
constexpr std::size_t kNodes = 6;              // planes for an interpolation between planes

/// Half of the distance between the inputs in a finite difference of tables. Tables are smooth, so the error is
/// quadratic in the distance.
double half_step(Input input) {
  switch (input) {
    case Input::kEnergy:
    case Input::kEnergySpread:
    case Input::kWidth:
    case Input::kThickness:
      return 1e-3;
    default:
      return 1e-4;
  }
}

bool of_layer(Input input) {
  return input != Input::kEnergy && input != Input::kEnergySpread && input != Input::kWidth &&
         input != Input::kAngularSpread;
}

/// Arrays of Numbers that can be read kMargin bins beyond their ends.
class Bins {
 public:
  explicit Bins(int bins) : values_(u(bins + 2 * kMargin)) {}
  Number& operator[](int i) { return values_[u(i + kMargin)]; }
  const Number& operator[](int i) const { return values_[u(i + kMargin)]; }

 private:
  std::vector<Number> values_;
};

/// Directions of differentiation, an offset for each, and the index of the first of the kWays directions of this march.
struct Inputs {
  std::span<const Direction> directions;
  std::vector<double> at;
  std::size_t first = 0;

  std::size_t ways() const { return std::min(kWays, directions.size() - first); }
  const Direction& way(std::size_t k) const { return directions[first + k]; }
};

/// Columns of the tables of a step in one layer, as in March.
enum Column { kShift, kStraggling, kPower, kPowerLg, kLost, kLostEnergy, kColumns };

struct TangentPlane {
  Number z, deposit, number, xx, passed;
};

class TangentMarch {
 public:
  TangentMarch(const Problem& problem, std::span<const Medium> media, std::span<const Layer> layers, const Beam& spot,
               const Inputs& inputs)
      : p_(problem),
        layers_(layers),
        spot_(spot),
        inputs_(inputs),
        nominal_(problem, media, layers, spot, 0.0),
        grid_(nominal_.grid()),
        n_(grid_.size()),
        water_(media[0].table),
        energy_(n_),
        lag_(n_) {
    for (int i = 0; i < kMoments; ++i) {
      f_.emplace_back(n_);
      moved_.emplace_back(n_);
    }
    for (int i = 0; i < kTaps; ++i) weight_.emplace_back(n_);
    for (int i = 0; i < kColumns; ++i) tables_.emplace_back(n_);
    const std::vector<double>& held = grid_.held();
    for (int i = 0; i < n_; ++i) energy_[i] = held[u(i)];
    for (int k = 0; k < kMargin; ++k) {
      energy_[n_ + k] = held[u(n_ - 1)] + (k + 1) * (held[u(n_ - 1)] - held[u(n_ - 2)]);
    }
    start();
  }

  Number energy_in() const { return energy_in_; }

  void run() {
    const double depth = p_.grid.nz * p_.grid.dz;
    Number border = layers_.front().z0 * p_.grid.dz;
    for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
      const Layer& layer = layers_[u(l)];
      const Number from = border.v > spot_.z ? border : Number(spot_.z);
      border += (layer.z1 - layer.z0) * p_.grid.dz + seeded(Input::kThickness, l);
      const Number to = border.v < depth ? border : Number(depth);
      if (!(to.v > from.v)) continue;
      begin_.push_back(planes_.size());
      plane_.z = from;
      planes_.push_back(plane_);
      cross(l, from, to);
      if (plane_.number.v > kMinProtonsLeft) continue;
      stop_rest();
      planes_.back() = plane_;
      break;
    }
    if (begin_.empty()) {
      begin_.push_back(0);
      planes_.push_back(plane_);
    }
    begin_.push_back(planes_.size());
  }

  /// Between two layers, where the derivative has a kink because the border may move, returns the mean of both sides.
  TangentPlane at(double depth) const {
    if (depth <= planes_.front().z.v) return planes_.front();
    if (depth >= planes_.back().z.v) return planes_.back();
    std::size_t layer = 0;
    while (planes_[begin_[layer + 1] - 1].z.v < depth - kSameDepth) ++layer;
    TangentPlane out;
    if (planes_[begin_[layer + 1] - 1].z.v > depth + kSameDepth) {
      add_at(depth, layer, 1.0, out);
    } else {
      add_at(depth, layer, 0.5, out);
      add_at(depth, layer + 1, 0.5, out);
    }
    return out;
  }

 private:
  /// Adds a Lagrange interpolation through the planes of a layer that are nearest to a depth.
  void add_at(double depth, std::size_t layer, double share, TangentPlane& out) const {
    const std::size_t first = begin_[layer], end = begin_[layer + 1];
    std::size_t low = first;
    while (low + 2 < end && planes_[low + 1].z.v < depth) ++low;
    const std::size_t count = std::min(kNodes, end - first);
    const std::size_t from = std::clamp(low + 1 >= first + count / 2 ? low + 1 - count / 2 : first, first, end - count);
    for (std::size_t i = from; i < from + count; ++i) {
      Number weight = share;
      for (std::size_t k = from; k < from + count; ++k) {
        if (k != i) weight *= (depth - planes_[k].z) / (planes_[i].z - planes_[k].z);
      }
      out.deposit += weight * planes_[i].deposit;
      out.number += weight * planes_[i].number;
      out.xx += weight * planes_[i].xx;
      out.passed += weight * planes_[i].passed;
    }
  }

  /// Material of a layer at some inputs.
  struct Matter {
    Matter(const Material& of, double times) : material(of), medium(material), scattering(times) {}
    Matter(const Matter&) = delete;
    Matter& operator=(const Matter&) = delete;

    Material material;
    Medium medium;
    double scattering;
  };

  /// Parameters of the tables of a layer.
  struct Entrance {
    double axis, dz, range;  // bin of the axis; mm; g/cm² of water at the layer's surface
  };

  /// The sum of the offsets of an input, with its derivatives by the directions.
  Number seeded(Input input, int layer = 0) const {
    Number out;
    for (std::size_t k = 0; k < inputs_.directions.size(); ++k) {
      const Direction& way = inputs_.directions[k];
      if (way.input != input || (of_layer(input) && way.layer != layer)) continue;
      out.v += inputs_.at[k];
      if (k >= inputs_.first && k - inputs_.first < kWays) out.d[k - inputs_.first] = 1.0;
    }
    return out;
  }

  std::vector<double> shares(double sigma) const {
    const auto same = [](double energy) { return energy; };
    return sigma > 0.0 ? beam_energies(grid_, spot_.energy, sigma, same, same).share : one_energy(grid_, spot_.energy);
  }

  void start() {
    const Number sigma = spot_.energy_sigma + seeded(Input::kEnergySpread);
    const std::vector<double> share = shares(sigma.v);
    std::vector<double> wider(share.size(), 0.0);
    if (spot_.energy_sigma > 0.0) {
      const double h = half_step(Input::kEnergySpread) * spot_.energy_sigma;
      const std::vector<double> above = shares(sigma.v + h), below = shares(sigma.v - h);
      for (std::size_t i = 0; i < share.size(); ++i) wider[i] = (above[i] - below[i]) / (2.0 * h);
    }
    const Number more = seeded(Input::kEnergy);
    const Number width = spot_.x_sigma + seeded(Input::kWidth),
                 spread = spot_.angle_sigma + seeded(Input::kAngularSpread);
    const Number angle = spread * spread, uu = angle * (1.0 + 2.0 * angle);
    const double step = grid_.range_axis().step;
    low_ = n_;
    for (int i = 0; i < n_; ++i) {
      if (share[u(i)] == 0.0 && wider[u(i)] == 0.0) continue;
      Number number = sigma.chained(share[u(i)], wider[u(i)]);
      // Moves content up by a fraction of a bin, with taps of this mean and no variance or skewness.
      const Number up = more / (water_.stopping(grid_.held()[u(i)]) * step), square = up * up;
      const std::array<Number, kTaps> part = taps(-up, square, -up * square, square * square);
      low_ = std::min(low_, std::max(i - 2, 0));
      high_ = std::min(i + 3, n_);
      axis_ += number * (i + up);
      for (int k = 0; k < kTaps; ++k) f_[kNumber][i - k + kTaps / 2] += number * part[u(k)];
    }
    for (int i = low_; i < high_; ++i) {
      const Number& number = f_[kNumber][i];
      f_[kUU][i] = number * uu;
      f_[kXU][i] = -spot_.focus * number * uu;
      f_[kXX][i] = number * width * width;
      energy_in_ += number * energy_[i];
    }
    const Number energy = spot_.energy + more;
    const double pv = physics::pv(energy.v), rise = 1e-4 * energy.v;
    entrance_pv2_ = energy.chained(
        pv * pv,
        (std::pow(physics::pv(energy.v + rise), 2) - std::pow(physics::pv(energy.v - rise), 2)) / (2.0 * rise));
    entrance_range_ = energy.chained(water_.range(energy.v), 1.0 / water_.stopping(energy.v));
    for (const double each : grid_.energies()) pv2_.push_back(std::pow(physics::pv(each), 2));
    sum_state();
  }

  std::unique_ptr<Matter> matter(int layer, const Inputs& inputs) const {
    Material material = p_.materials[u(layers_[u(layer)].material)];
    double scattering = 1.0;
    for (std::size_t k = 0; k < inputs.directions.size(); ++k) {
      const auto& [input, of] = inputs.directions[k];
      const double by = inputs.at[k];
      if (!of_layer(input) || of != layer || by == 0.0) continue;
      if (input == Input::kDensity) material.density *= 1.0 + by;
      if (input == Input::kScattering) scattering *= 1.0 + by;
      for (std::size_t i = 0; i < material.energies.size(); ++i) {
        if (input == Input::kStopping) material.stopping[i] *= 1.0 + by;
        if (input == Input::kMeanExcitation) {
          const double slope = kBethe_MeV_cm2_g * material.z_over_a / physics::beta_squared(material.energies[i]);
          material.stopping[i] -= slope * by;
        }
      }
    }
    return std::make_unique<Matter>(material, scattering);
  }

  double range_at(double bin) const {
    const RangeAxis axis = grid_.range_axis();
    return std::max(axis.bottom + bin * axis.step, 0.02 * axis.step);
  }

  double bins_per_mm(const Medium& medium, double bin) const {
    const double energy = water_.energy_at(range_at(bin));
    return 0.1 * medium.material.density * medium.table.stopping(energy) / water_.stopping(energy) /
           grid_.range_axis().step;
  }

  double fall(const Medium& medium, int i, double dz) const {
    const RangeAxis axis = grid_.range_axis();
    const double range = axis.bottom + i * axis.step;
    const double left = medium.table.range(water_.energy_at(range)), after = left - medium.thickness(dz);
    const double landing = after > 0.0 ? water_.range(medium.table.energy_at(after)) : after / left * range;
    return (range - landing) / axis.step;
  }

  /// [kColumns][bins] tables of a layer.
  std::array<std::vector<double>, kColumns> tables_of(const Matter& matter, const Entrance& at) const {
    std::array<std::vector<double>, kColumns> out;
    for (auto& each : out) each.resize(u(n_ + 2 * kMargin));
    const Medium& medium = matter.medium;
    const Material& material = medium.material;
    const double per_mm = 0.1 * material.density, step = grid_.range_axis().step;
    const double middle = 0.5 * at.dz * bins_per_mm(medium, std::max(at.axis, 0.0));
    for (int i = -kMargin; i < n_ + kMargin; ++i) {
      const auto put = [&](Column column, double value) { out[column][u(i + kMargin)] = value; };
      const double range = std::max(range_at(i - middle), 0.5 * range_at(i));
      const double energy = water_.energy_at(range);
      const double stopping = water_.stopping(energy), in_medium = medium.table.stopping(energy);
      put(kShift, i >= 0 && i < kLowBins ? fall(medium, i, at.dz) / at.dz : per_mm * in_medium / stopping / step);
      if (p_.straggling == Straggling::kBohr) {
        const double bins = stopping * step;
        put(kStraggling, per_mm * physics::bohr_straggling(energy, material.z_over_a) / (bins * bins));
      }
      const double pv = physics::pv(energy);
      const double e =
          (p_.scattering == Scattering::kHighland ? physics::kHighlandEnergy_MeV : physics::kScatteringEnergy_MeV) / pv;
      const double length = p_.scattering == Scattering::kGottschalk ? material.xs : material.x0;
      const double power = matter.scattering * per_mm * e * e / length;
      if (p_.scattering != Scattering::kOff) put(kPower, power);
      if (p_.scattering == Scattering::kGottschalk) put(kPowerLg, power * std::log10(pv));
      if (p_.nuclear == Nuclear::kAttenuation) {
        put(kLost,
            physics::kFluenceLoss_cm2_g * per_mm * in_medium / stopping / (1.0 + physics::kFluenceLoss_cm2_g * range));
        put(kLostEnergy, (1.0 - physics::nuclear_deposited_share(std::max(0.0, at.range - range))) * energy);
      }
    }
    return out;
  }

  /// Computes the tables and their derivatives, which are finite differences of tables.
  void tabulate(int layer, const Number& dz) {
    const auto own = matter(layer, inputs_);
    const auto values = tables_of(*own, {axis_.v, dz.v, entrance_range_.v});
    for (std::size_t c = 0; c < kColumns; ++c) {
      for (int i = -kMargin; i < n_ + kMargin; ++i) tables_[c][i] = values[c][u(i + kMargin)];
    }
    for (std::size_t k = 0; k < inputs_.ways(); ++k) {
      const Direction& way = inputs_.way(k);
      const bool here = of_layer(way.input) && way.layer == layer && way.input != Input::kThickness;
      if (!here && axis_.d[k] == 0.0 && dz.d[k] == 0.0 && entrance_range_.d[k] == 0.0) continue;
      const double h = half_step(way.input);
      const auto moved = [&](double by) {
        Inputs inputs = inputs_;
        inputs.at[inputs.first + k] += by;
        const auto there = matter(layer, inputs);
        return tables_of(
            *there, {axis_.v + by * axis_.d[k], dz.v + by * dz.d[k], entrance_range_.v + by * entrance_range_.d[k]});
      };
      const auto above = moved(h), below = moved(-h);
      for (std::size_t c = 0; c < kColumns; ++c) {
        for (int i = -kMargin; i < n_ + kMargin; ++i) {
          const std::size_t at = u(i + kMargin);
          tables_[c][i].d[k] = (above[c][at] - below[c][at]) / (2.0 * h);
        }
      }
    }
  }

  void cross(int l, const Number& from, const Number& to) {
    // The number of steps is that of the unchanged inputs. Offsets and derivatives only change their length.
    const double per_mm = bins_per_mm(nominal_medium(l), std::max(axis_.v, 0.0));
    const double bins = (to.v - from.v) * per_mm;
    const int steps = std::max(static_cast<int>(std::ceil(bins - 1e-9)), kMinLayerSteps);
    const bool stops = bins > axis_.v + 1.0;
    const Number dz = stops ? Number(1.0 / per_mm) : (to - from) / static_cast<double>(steps);
    tabulate(l, dz);
    while (plane_.z.v < to.v - 1e-9 * dz.v && plane_.number.v > kMinProtonsLeft) {
      const Number left = to - plane_.z;
      step(left.v < dz.v ? left : dz);
      planes_.push_back(plane_);
    }
  }

  const Medium& nominal_medium(int l) {
    auto& found = nominal_media_[u(layers_[u(l)].material)];
    if (!found) found = std::make_unique<Medium>(p_.materials[u(layers_[u(l)].material)]);
    return *found;
  }

  void sum_state() {
    plane_.number = 0.0;
    plane_.xx = 0.0;
    for (int i = low_; i < high_; ++i) {
      plane_.number += f_[kNumber][i];
      plane_.xx += f_[kXX][i];
    }
  }

  /// Factors of the scattering power that depend on the path so far, as in March.
  std::pair<Number, Number> scale_scattering(const Number& bins) const {
    Number scale, scale_lg;
    if (p_.scattering == Scattering::kFermiRossi || p_.scattering == Scattering::kOff) return {1.0, 0.0};
    for (int k = 0; k < kParts; ++k) {
      const Number at = axis_ - (k + 0.5) / kParts * bins;
      if (p_.scattering == Scattering::kHighland) {
        const RangeAxis axis = grid_.range_axis();
        const Number crossed = (entrance_range_ - (axis.bottom + at * axis.step)) / p_.materials[0].x0;
        if (!(crossed.v > 0.0)) continue;
        const Number correction = 1.0 + log10(crossed) / 9.0;
        if (correction.v > 0.0) scale += correction * correction;
        continue;
      }
      const int low = std::clamp(static_cast<int>(std::floor(at.v)), 0, n_ - 2);
      const Number part = at.v - low > -1.0 ? at - low : Number(-1.0);
      Number pv2 = pv2_[u(low)] + part * (pv2_[u(low + 1)] - pv2_[u(low)]);
      if (pv2.v < 0.0) pv2 = 0.0;
      Number loss = 1.0 - pv2 / entrance_pv2_;
      if (loss.v < 1e-12) loss = 1e-12;
      const Number lg = log10(loss);
      const physics::GottschalkTerms terms = physics::gottschalk_terms(lg.v),
                                     next = physics::gottschalk_terms(lg.v + 1.0);
      scale += lg.chained(terms.constant, next.constant - terms.constant);
      scale_lg += lg.chained(terms.per_lg, next.per_lg - terms.per_lg);
    }
    return {scale / kParts, scale_lg / kParts};
  }

  void step(const Number& dz) {
    const Number before = plane_.number;
    Number q = before.v > 0.0 ? sum_of(kUU) / before : Number(0.0);
    if (q.v > kWidestAngle) q = kWidestAngle;
    const int centre = std::clamp(static_cast<int>(std::lround(axis_.v)), 0, n_ - 1);
    const Number fall = tables_[kShift][centre] * dz * (1.0 + 0.5 * q);
    const int whole = static_cast<int>(std::lround(fall.v));
    collide(dz, fall, whole, q);
    carry_lag();
    shift(whole);
    plane_.z += dz;
    axis_ -= fall;
    sum_state();
    plane_.passed += 0.5 * (before + plane_.number) * dz;
    ++steps_;
  }

  Number sum_of(Moment moment) const {
    Number sum;
    for (int i = low_; i < high_; ++i) sum += f_[moment][i];
    return sum;
  }

  /// Scatters and streams each bin (Fermi and Eyges) and computes its taps and deposit; see collide_bins() in
  /// march_ops.simd.cpp. `mean`: mean square angle for bins that have only a derivative.
  void collide(const Number& dz, const Number& fall, int whole, const Number& mean) {
    const auto [scale, scale_lg] = scale_scattering(fall);
    for (int i = low_; i < high_; ++i) {
      const Number& n = f_[kNumber][i];
      // If the number is negative, the sum of squares is too, so their quotient is valid.
      Number angle = std::abs(n.v) > kWindowEdge ? f_[kUU][i] / n : mean;
      if (angle.v < 0.0) angle = 0.0;
      if (angle.v > kWidestAngle) angle = kWidestAngle;
      Number power = scale * tables_[kPower][i] + scale_lg * tables_[kPowerLg][i];
      if (power.v < 0.0) power = 0.0;
      const Number gained = power * dz * (1.0 + 4.5 * angle), half = angle + 0.5 * gained;
      const Number path = dz * (1.0 + 0.5 * half - 0.375 * half * half);
      const Number removed = tables_[kLost][i] * path, taken = removed - 0.5 * removed * removed, kept = 1.0 - taken;
      const Number gone = n * taken, spread = n * gained;
      moved_[kNumber][i] = kept * n;
      moved_[kXX][i] = kept * (f_[kXX][i] + dz * (2.0 * f_[kXU][i] + dz * (f_[kUU][i] + spread / 3.0)));
      moved_[kXU][i] = kept * (f_[kXU][i] + dz * (f_[kUU][i] + 0.5 * spread));
      moved_[kUU][i] = kept * (f_[kUU][i] + spread);
      lag_[i] = tables_[kShift][i] * dz * half;
      const auto part = taps_of(tables_[kShift][i] * path - whole, tables_[kStraggling][i] * path);
      for (int k = 0; k < kTaps; ++k) weight_[u(k)][i] = part[u(k)];
      Number given;
      for (int k = 0; k < kTaps; ++k) given += weight_[u(k)][i] * (energy_[i] - energy_[i - whole - k + kTaps / 2]);
      // The first tap is `whole` - 2 bins down.
      plane_.deposit += moved_[kNumber][i] * given + gone * (energy_[i] - tables_[kLostEnergy][i]);
    }
  }

  /// Weights of a step's taps with mean `a`; see TapRule.
  std::array<Number, kTaps> taps_of(const Number& a, const Number& variance) const {
    const Number square = a * a, m2 = variance + square;
    if (p_.straggling == Straggling::kOff) {
      const Number least = a.v < 0.0 ? -a : a;
      const Number some = m2.v < least.v ? least : m2;
      return taps(a, some, a, some);
    }
    if (steps_ < kFirstSteps) return taps(a, m2, a, m2);
    return taps(a, m2, a * (square + 3.0 * variance),
                square * square + 6.0 * square * variance + 3.0 * variance * variance);
  }

  /// Weights of the taps k - 2 bins further down, from their moments.
  static std::array<Number, kTaps> taps(const Number& a, const Number& m2, const Number& m3, const Number& m4) {
    return {(m4 - m2 - 2.0 * (m3 - a)) / 24.0, (4.0 * m2 - m4 - 4.0 * a + m3) / 6.0, 1.0 - (5.0 * m2 - m4) / 4.0,
            (4.0 * m2 - m4 + 4.0 * a - m3) / 6.0, (m4 - m2 + 2.0 * (m3 - a)) / 24.0};
  }

  /// Moves moments weighted by u² down by the lag, because paths are longer at larger angles.
  void carry_lag() {
    for (const Moment c : {kXX, kXU, kUU}) {
      std::vector<Number> carried(u(high_ - low_ + 4));
      for (int i = low_; i < high_; ++i) {
        Number& to = carried[u(i - low_ + 2)];
        if (c != kXX) {
          to = lag_[i] * moved_[c][i];
        } else if (moved_[kUU][i].v > 0.0) {
          to = lag_[i] * moved_[kXU][i] * moved_[kXU][i] / moved_[kUU][i];
        }
      }
      moved_[c][low_ - 1] = moved_[c][high_] = 0.0;
      for (int i = low_ - 1; i <= high_; ++i) {
        moved_[c][i] += 0.5 * (carried[u(std::min(i + 1, high_ + 1) - low_ + 2)] - carried[u(i - 1 - low_ + 2)]);
      }
    }
    moved_[kNumber][low_ - 1] = moved_[kNumber][high_] = 0.0;
  }

  void shift(int whole) {
    constexpr int kReach = kTaps / 2;
    const int from = low_ - whole - kReach, to = high_ - whole + kReach;
    for (int c = 0; c < kMoments; ++c) {
      std::vector<Number> landed(u(to - from));
      for (int i = low_ - 1; i <= high_; ++i) {
        // Bins next to the window receive content from the lag. They use the taps of the window's edge.
        const int edge = std::clamp(i, low_, high_ - 1);
        for (int k = 0; k < kTaps; ++k) {
          const int at = i - whole - k + kReach;
          if (at < from || at >= to) continue;
          landed[u(at - from)] += weight_[u(k)][edge] * moved_[u(c)][i];
        }
      }
      for (int i = std::min(low_, 0); i < high_; ++i) f_[u(c)][i] = 0.0;
      for (int i = std::max(from, -kMargin); i < std::min(to, n_ + kMargin); ++i) f_[u(c)][i] = landed[u(i - from)];
    }
    for (int i = std::max(from, -kMargin); i < 0; ++i) {
      for (Bins& f : f_) f[i] = 0.0;
    }
    low_ = std::max(from, 0);
    high_ = std::max(std::min(to, n_), low_);
    for (int i = n_; i < std::min(to, n_ + kMargin); ++i) fold(i, n_ - 1);
    const auto small = [&](int i) {
      const Number& number = f_[kNumber][i];
      return std::abs(number.v) < kWindowEdge &&
             std::ranges::all_of(number.d, [](double each) { return std::abs(each) < kWindowEdgeBy; });
    };
    while (high_ - low_ > 1 && small(high_ - 1)) {
      --high_;
      fold(high_, high_ - 1);
    }
    while (high_ - low_ > 1 && small(low_)) {
      fold(low_, low_ + 1);
      ++low_;
    }
  }

  void fold(int from, int to) {
    plane_.deposit += f_[kNumber][from] * (energy_[from] - energy_[to]);
    for (Bins& f : f_) {
      f[to] += f[from];
      f[from] = 0.0;
    }
  }

  void stop_rest() {
    for (int i = low_; i < high_; ++i) {
      plane_.deposit += f_[kNumber][i] * energy_[i];
      for (Bins& f : f_) f[i] = 0.0;
    }
    sum_state();
  }

  const Problem& p_;
  const std::span<const Layer> layers_;
  const Beam spot_;
  const Inputs& inputs_;
  const March nominal_;  // used for its grid
  const EnergyGrid& grid_;
  const int n_;
  const physics::StoppingTable& water_;
  std::vector<Bins> f_, moved_, weight_, tables_;
  Bins energy_, lag_;
  std::vector<std::unique_ptr<Medium>> nominal_media_{p_.materials.size()};
  std::vector<double> pv2_;  // [bins] MeV²
  Number energy_in_, entrance_pv2_, entrance_range_, axis_;
  int low_ = 0, high_ = 0, steps_ = 0;
  TangentPlane plane_;
  std::vector<TangentPlane> planes_;
  std::vector<std::size_t> begin_;
};

/// Sums by row over kinds of spots.
struct Sums {
  std::vector<Number> dose, number, x, xx;
  Number energy_in;
};

Sums sums_of(const Problem& p, std::span<const Medium> media, const Inputs& inputs) {
  const auto rows = u(p.grid.nz);
  Sums out{
      std::vector<Number>(rows), std::vector<Number>(rows), std::vector<Number>(rows), std::vector<Number>(rows), {}};
  const std::vector<Layer> layers = layers_of(p);
  for (const SpotKind& kind : spot_kinds(p)) {
    TangentMarch march(p, media, layers, kind.spot, inputs);
    march.run();
    out.energy_in += kind.weight * march.energy_in();
    double x = 0.0, xx = 0.0;
    for (const Beam* spot : kind.spots) {
      x += spot->weight * spot->x;
      xx += spot->weight * spot->x * spot->x;
    }
    for (std::size_t z = 0; z < rows; ++z) {
      const double top = static_cast<double>(z) * p.grid.dz;
      const TangentPlane above = march.at(top), below = march.at(top + p.grid.dz),
                         middle = march.at(top + 0.5 * p.grid.dz);
      out.dose[z] += kind.weight * (below.deposit - above.deposit);
      const Number passed = (below.passed - above.passed) / p.grid.dz;
      if (!(passed.v > 0.0) || !(middle.number.v > 0.0)) continue;
      out.number[z] += kind.weight * passed;
      out.x[z] += x * passed;
      out.xx[z] += passed * (kind.weight * middle.xx / middle.number + xx);
    }
  }
  return out;
}

}  // namespace

std::string tangents_refusal(const Problem& p) {
  if (p.nuclear == Nuclear::kIcru63) {
    return "physics.nuclear = icru63: products of reactions have no derivatives; allowed: attenuation, off, or "
           "differences of runs";
  }
  return straight_moments_refusal(p);
}

DoseTangents dose_tangents(const Problem& p, std::span<const Direction> directions, std::span<const double> offsets) {
  if (const std::string reason = tangents_refusal(p); !reason.empty()) throw ProblemError("unsupported", reason);
  const cpu::FlushDenormals flush;
  const std::size_t layers = layers_of(p).size();
  for (const Direction& way : directions) {
    if (!of_layer(way.input) || (way.layer >= 0 && u(way.layer) < layers)) continue;
    throw ProblemError("invalid",
                       "layer = " + std::to_string(way.layer) + "; allowed: 0 to " + std::to_string(layers - 1));
  }
  std::vector<Medium> media;
  for (const Material& material : p.materials) media.emplace_back(material);
  const auto rows = u(p.grid.nz);
  DoseTangents out;
  out.dose_by.resize(directions.size() * rows);
  out.x_sigma_by.resize(directions.size() * rows);
  out.energy_by.resize(directions.size());
  Inputs inputs{directions, std::vector<double>(offsets.begin(), offsets.end())};
  inputs.at.resize(directions.size());
  for (std::size_t first = 0; first == 0 || first < directions.size(); first += kWays) {
    inputs.first = first;
    const Sums sums = sums_of(p, media, inputs);
    if (first == 0) {
      out.energy_in = sums.energy_in.v;
      out.depth_dose.resize(rows);
      out.x_sigma.resize(rows);
    }
    for (std::size_t k = 0; k < inputs.ways(); ++k) out.energy_by[first + k] = sums.energy_in.d[k];
    for (std::size_t z = 0; z < rows; ++z) {
      Number sigma;
      if (sums.number[z].v > 0.0) {
        const Number mean = sums.x[z] / sums.number[z];
        sigma = sqrt(sums.xx[z] / sums.number[z] - mean * mean);
      }
      if (first == 0) {
        out.depth_dose[z] = sums.dose[z].v;
        out.x_sigma[z] = sigma.v;
      }
      for (std::size_t k = 0; k < inputs.ways(); ++k) {
        out.dose_by[(first + k) * rows + z] = sums.dose[z].d[k];
        out.x_sigma_by[(first + k) * rows + z] = sigma.d[k];
      }
    }
  }
  return out;
}

}  // namespace bb::transport
