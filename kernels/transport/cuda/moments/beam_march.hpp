#pragma once

#include "physics/kinematics.hpp"
#include "physics/nuclear.hpp"
#include "physics/scattering.hpp"
#include "physics/straggling.hpp"
#include "transport/moments/march_types.hpp"

// March of the moments of one beam through layers, by a team of lanes: a warp on a GPU, or one lane on the host. Tests
// compare it with March on the host, because formulas and constants are those of kernels/transport/moments/march.cpp.
// Included by nvcc, by NVRTC and by the host, so it includes no standard header but <cmath>.
namespace bb::transport::beam_march {

/// March of a beam by the lanes of a `Team`. Each lane has kSlots neighbouring bins in registers. OneLane shows the
/// interface of a team: from_below() and from_above() return the value of the adjacent lane, or 0 at the ends.
template <typename T, int kSlots, class Team>
class BeamMarch {
 public:
  static constexpr int kBins = kSlots * Team::kLanes;  // bins of all lanes together
  static constexpr int kPad = table_pad(kBins, kSlots);

  /// `tables`: kTableArrays times `table_bins` values, not shared with other teams.
  BB_HD BeamMarch(const Team& team, const MarchInput& problem, const BeamInput& beam, T* tables, int table_size,
                  PlaneStore out)
      : team_(team), p_(problem), beam_(beam), bins_(problem, beam), out_(out) {
    tables_ = tables + kPad;
    table_size_ = table_size;
  }

  BB_HD MarchOutcome run() {
    MarchOutcome outcome{MarchEnd::kDone, 0, 0, 0.0, 0.0};
    if (table_bins(bins_.count, kBins, kSlots) > table_size_) {
      outcome.end = MarchEnd::kTooManyBins;
      return outcome;
    }
    make_grid();
    start();
    outcome.energy_in = energy_in_;
    for (int l = 0; l < p_.layer_count; ++l) {
      const LayerInput& layer = p_.layers[l];
      const double from = detail::most(layer.from, p_.entrance), to = detail::least(layer.to, p_.depth);
      if (!(to > from)) continue;
      if (team_.lane() == 0) out_.layer_begin[outcome.layers] = planes_;
      ++outcome.layers;
      z_ = from;
      store_plane();
      const MaterialInput& matter = p_.materials[layer.material];
      const double per_mm = bins_per_mm(matter, detail::most(axis_, 0.0));
      const double all = (to - from) * per_mm;
      const int steps = detail::most(static_cast<int>(ceil(all - 1e-9)), detail::kMinSteps);
      const bool stops = all > axis_ + 1.0;
      const double dz = stops ? 1.0 / per_mm : (to - from) / steps;
      centre_window();
      make_layer(matter, 0.5 * dz * per_mm, dz);
      while (z_ < to - 1e-9 * dz && number_ > detail::kMinShareLeft && planes_ < out_.capacity) {
        step(detail::least(dz, to - z_));
        store_plane();
      }
      if (number_ > detail::kMinShareLeft) continue;
      stop_rest();
      break;
    }
    if (outcome.layers == 0) {
      if (team_.lane() == 0) out_.layer_begin[0] = 0;
      outcome.layers = 1;
      store_plane();
    }
    if (team_.lane() == 0) out_.layer_begin[outcome.layers] = planes_;
    team_.sync();
    outcome.planes = planes_;
    outcome.min_over_max = lowest_;
    const T dropped = team_.largest(dropped_ ? T(1) : T(0));
    if (planes_ >= out_.capacity) outcome.end = MarchEnd::kTooManyPlanes;
    if (dropped > T(0)) outcome.end = MarchEnd::kTooWide;
    return outcome;
  }

  BB_HD const BeamBins& bins() const { return bins_; }

 private:
  enum Table { kEnergy, kLoss, kShift, kStraggling, kPower, kPowerLg, kLostShare, kLostMeV };

  /// Returned by reference, because the called functions use its address.
  BB_HD const physics::StoppingView& water() const { return p_.materials[0].table; }
  BB_HD double range_of(double bin) const { return bins_.bottom + bin * bins_.step; }
  BB_HD double range_at(double bin) const { return detail::most(range_of(bin), 0.02 * bins_.step); }

  BB_HD double bins_per_mm(const MaterialInput& m, double bin) const {
    const double energy = water().energy_at(range_at(bin));
    return 0.1 * m.density * m.table.stopping(energy) / water().stopping(energy) / bins_.step;
  }

  /// Number of bins by which a proton in bin `i` falls in `dz` mm.
  BB_HD double fall(const MaterialInput& m, int i, double dz) const {
    const double range = range_of(i);
    const double left = m.table.range(water().energy_at(range)), after = left - dz * 0.1 * m.density;
    const double landing = after > 0.0 ? water().range(m.table.energy_at(after)) : after / left * range;
    return (range - landing) / bins_.step;
  }

  /// Fills the tables of the bins' energies and of the loss of (pv)² since the entrance.
  BB_HD void make_grid() {
    const double entrance_pv = physics::pv(beam_.energy);
    for (int i = team_.lane() - kPad; i < table_top(); i += Team::kLanes) {
      const double energy = i < 0 ? 0.0 : water().energy_at(range_of(i));
      const double part = physics::pv(energy) / entrance_pv;
      entry(kEnergy, i) = static_cast<T>(energy);
      entry(kLoss, i) = static_cast<T>(detail::most(1.0 - part * part, 1e-12));
    }
    team_.sync();
    hold_means();
    team_.sync();
  }

  /// Mean energy in bin `k`, weighted by the bin's share of a proton at each range. Lanes share the quadrature nodes.
  BB_HD double mean_energy(int k, double last_range) const {
    constexpr double kNode[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842, 0.953089922969332};
    constexpr double kWeight[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444, 0.239314335249683,
                                   0.118463442528095};
    constexpr int kParts = 4, kOfSide = 5 * kParts;
    const double centre = range_of(k);
    double sum = 0.0;
    for (int at = team_.lane(); at < 2 * detail::kMeanReach * kOfSide; at += Team::kLanes) {
      const int side = at / kOfSide - detail::kMeanReach, part = at % kOfSide / 5, node = at % 5;
      const double low = detail::most(centre + side * bins_.step, last_range);
      const double width = centre + (side + 1) * bins_.step - low;
      if (width <= 0.0) continue;
      const double u = (part + kNode[node]) / kParts, range = low + width * u * u;
      sum += kWeight[node] / kParts * 2.0 * u * width / bins_.step * water().energy_at(range) *
             detail::cubic_share((range - centre) / bins_.step);
    }
    return team_.sum(sum);
  }

  /// Replaces the energies of the last bins by means over each bin; see kernels/transport/model/energy_grid.cpp.
  BB_HD void hold_means() {
    const int count = detail::least(detail::kMeans, (bins_.count + kGuard) / 2);
    const double last_range = water().range(p_.cutoff);
    double centre[detail::kMeans + 1], line[detail::kMeans + 1], parabola[detail::kMeans + 1];
    for (int k = 0; k < detail::kMeans + 1; ++k) centre[k] = water().energy_at(range_of(k));
    for (int k = 0; k < detail::kMeans; ++k) line[k] = parabola[k] = mean_energy(k, last_range);
    for (int m = 1; m <= detail::kMeanReach; ++m) {
      const double beyond = mean_energy(-m, last_range);
      line[0] += (1 + m) * beyond;
      line[1] -= m * beyond;
      parabola[0] += 0.5 * (m + 1) * (m + 2) * beyond;
      parabola[1] -= m * (m + 2) * beyond;
      parabola[2] += 0.5 * m * (m + 1) * beyond;
    }
    constexpr int kTrials = 20;
    for (int trial = 0; trial <= 2 * kTrials + 1; ++trial) {
      const bool first = trial <= kTrials;
      const double part = static_cast<double>(kTrials - (first ? trial : trial - kTrials - 1)) / kTrials;
      bool ascends = true;
      double before = 0.0, held[detail::kMeans];
      for (int k = 0; k < detail::kMeans; ++k) {
        if (k >= count) continue;
        const double a = first ? line[k] : centre[k], b = first ? parabola[k] : line[k];
        held[k] = (1.0 - part) * a + part * b;
        ascends = ascends && held[k] >= before;
        before = held[k];
      }
      if (!ascends || centre[count] < before) continue;
      for (int k = 0; k < detail::kMeans; ++k) {
        if (k < count && team_.lane() == 0) entry(kEnergy, k) = static_cast<T>(held[k]);
      }
      return;
    }
  }

  /// Computes the coefficients of steps of `dz` mm in a medium. `middle` is the number of bins by which a proton has
  /// fallen in the middle of a step.
  BB_HD void make_layer(const MaterialInput& m, double middle, double dz) {
    team_.sync();
    const double per_mm = 0.1 * m.density;
    const double entrance_range = water().range(beam_.energy);
    // Clears the entries below the first bin, which has no protons below it but neighbours that are read.
    for (int i = team_.lane() - kPad; i < 0; i += Team::kLanes) {
      for (int table = kShift; table < kTableArrays; ++table) tables_[table * table_size_ + i] = T(0);
    }
    const int top = detail::least(base_ + kBins + kPad / 2, table_top());
    for (int i = team_.lane(); i < top; i += Team::kLanes) {
      const double range = detail::most(range_at(i - middle), 0.5 * range_at(i));
      const double energy = water().energy_at(range), stopping = water().stopping(energy);
      const double in_medium = m.table.stopping(energy), pv = physics::pv(energy), per_bin = stopping * bins_.step;
      const bool low = i < detail::kLowest;
      entry(kShift, i) = static_cast<T>(low ? fall(m, i, dz) / dz : per_mm * in_medium / per_bin);
      const double spread = per_mm * physics::bohr_straggling(energy, m.z_over_a) / (per_bin * per_bin);
      entry(kStraggling, i) = static_cast<T>(p_.straggling == Straggling::kBohr ? spread : 0.0);
      const double e =
          (p_.scattering == Scattering::kHighland ? physics::kHighlandEnergy_MeV : physics::kScatteringEnergy_MeV) / pv;
      const double power = per_mm * e * e / (p_.scattering == Scattering::kGottschalk ? m.xs : m.x0);
      entry(kPower, i) = static_cast<T>(p_.scattering == Scattering::kOff ? 0.0 : power);
      entry(kPowerLg, i) = static_cast<T>(p_.scattering == Scattering::kGottschalk ? power * log10(pv) : 0.0);
      if (p_.attenuation) {
        const double gone = detail::most(0.0, entrance_range - range);
        entry(kLostShare, i) = static_cast<T>(physics::kFluenceLoss_cm2_g * per_mm * in_medium / stopping /
                                              (1.0 + physics::kFluenceLoss_cm2_g * range));
        entry(kLostMeV, i) = static_cast<T>((1.0 - physics::nuclear_deposited_share(gone)) * energy);
      }
    }
    team_.sync();
  }

  BB_HD int bin_of(int slot) const { return base_ + team_.lane() * kSlots + slot; }

  BB_HD void start() {
    base_ = bins_.start - kBins / 2;
    T share[kSlots];
    if (beam_.energy_sigma > 0.0) {
      share_spread(share);
    } else {
      BB_UNROLL
      for (int k = 0; k < kSlots; ++k) share[k] = bin_of(k) == bins_.start ? T(1) : T(0);
    }
    const double angle = beam_.angle_sigma * beam_.angle_sigma;
    const double uu = angle * (1.0 + 2.0 * angle);
    double axis = 0.0, energy = 0.0, number = 0.0, kept = 0.0;
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      if (share[k] < detail::least_content<T>()) share[k] = T(0);
      kept += static_cast<double>(share[k]);
    }
    kept = team_.sum(kept);
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      const double s = static_cast<double>(share[k]) / kept;
      number_of_[k] = static_cast<T>(s);
      uu_[k] = static_cast<T>(s * uu);
      xu_[k] = static_cast<T>(-s * beam_.focus * uu);
      xx_[k] = static_cast<T>(s * beam_.x_sigma * beam_.x_sigma);
      axis += s * bin_of(k);
      if (s != 0.0) energy += s * static_cast<double>(energy_at(bin_of(k)));
      number += s;
    }
    axis_ = team_.sum(axis);
    energy_in_ = team_.sum(energy);
    number_ = team_.sum(number);
    q_ = number_ > 0.0 ? uu : 0.0;
    T values[kComponents] = {};
    add_state(values);
    rows_.add(team_, values);
  }

  /// Distributes a Gaussian in energy to the bins, as in kernels/transport/model/entry/beam_energies.cpp, but with
  /// closed formulas for the moments of the part on the grid.
  BB_HD void share_spread(T (&share)[kSlots]) {
    const double sigma = beam_.energy_sigma;
    const auto in_sigmas = [&](double bin) {
      return ((bin < 0.0 ? p_.cutoff : water().energy_at(range_of(bin))) - beam_.energy) / sigma;
    };
    constexpr double kFar = 9.0;
    const double low = detail::most(in_sigmas(-0.5), -kFar),
                 high = detail::least(in_sigmas(bins_.count + kGuard - 0.5), kFar);
    const auto density = [](double t) { return 0.39894228040143267794 * exp(-0.5 * t * t); };
    const double all = detail::normal_share(high) - detail::normal_share(low);
    const double shift = (density(low) - density(high)) / all;
    const double mean = beam_.energy + sigma * shift;
    const double variance = sigma * sigma * (1.0 + (low * density(low) - high * density(high)) / all - shift * shift);
    const double middle = (water().range(mean) - bins_.bottom) / bins_.step;
    const double width = water().energy_at(range_of(middle + 0.5)) - water().energy_at(range_of(middle - 0.5));
    constexpr double kNarrow = 0.8;
    if (variance < kNarrow * kNarrow * width * width) {
      share_few(mean, variance, middle, share);
      return;
    }
    const double narrower = sqrt(1.0 - width * width / (12.0 * variance));
    double one[kSlots], sum = 0.0;
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      const int i = bin_of(k);
      one[k] = 0.0;
      if (i < 0 || i >= bins_.count + kGuard) continue;
      one[k] = detail::normal_share(in_sigmas(i + 0.5) / narrower) -
               detail::normal_share((i == 0 ? in_sigmas(-0.5) : in_sigmas(i - 0.5)) / narrower);
      sum += one[k];
    }
    sum = team_.sum(sum);
    double power[5] = {};
    const double deviation = sqrt(variance);
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      one[k] /= sum;
      const double off = (static_cast<double>(energy_at(bin_of(k))) - mean) / deviation;
      double term = one[k];
      BB_UNROLL
      for (int n = 0; n < 5; ++n) {
        power[n] += term;
        term *= off;
      }
    }
    BB_UNROLL
    for (int n = 0; n < 5; ++n) power[n] = team_.sum(power[n]);
    correct(power, mean, deviation, one);
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) share[k] = static_cast<T>(one[k]);
  }

  /// Corrects the mean and variance of the shares by a factor that is a parabola in energy, or a straight line.
  BB_HD void correct(const double (&p)[5], double mean, double deviation, double (&share)[kSlots]) const {
    const auto apply = [&](double c0, double c1, double c2) {
      double changed[kSlots];
      T negative = T(0);
      BB_UNROLL
      for (int k = 0; k < kSlots; ++k) {
        const double off = (static_cast<double>(energy_at(bin_of(k))) - mean) / deviation;
        changed[k] = share[k] * (c0 + off * (c1 + off * c2));
        if (changed[k] < 0.0) negative = T(1);
      }
      if (team_.largest(negative) > T(0)) return false;
      BB_UNROLL
      for (int k = 0; k < kSlots; ++k) share[k] = changed[k];
      return true;
    };
    const double whole =
        p[0] * (p[2] * p[4] - p[3] * p[3]) - p[1] * (p[1] * p[4] - p[2] * p[3]) + p[2] * (p[1] * p[3] - p[2] * p[2]);
    if (whole != 0.0) {
      // Cramer's rule: the corrected shares have moments 1, 0 and 1, from the powers 0 to 4 of the shares.
      const double c0 = (p[2] * p[4] - p[3] * p[3]) + (p[1] * p[3] - p[2] * p[2]);
      const double c1 = -(p[1] * p[4] - p[2] * p[3]) - (p[0] * p[3] - p[1] * p[2]);
      const double c2 = (p[1] * p[3] - p[2] * p[2]) + (p[0] * p[2] - p[1] * p[1]);
      if (apply(c0 / whole, c1 / whole, c2 / whole)) return;
    }
    const double line = p[0] * p[2] - p[1] * p[1];
    if (line != 0.0) apply(p[2] / line, -p[1] / line, 0.0);
  }

  /// Distributes the protons to three bins, or to two if a third would need a negative weight.
  BB_HD void share_few(double mean, double variance, double place, T (&share)[kSlots]) const {
    const int last = bins_.count + kGuard - 1;
    int above = static_cast<int>(place);
    while (above > 0 && static_cast<double>(energy_at(above)) > mean) --above;
    while (above <= last && static_cast<double>(energy_at(above)) <= mean) ++above;
    int middle = detail::least(detail::most(above, 1), last);
    const auto off = [&](int bin) { return static_cast<double>(energy_at(bin)) - mean; };
    if (-off(middle - 1) < off(middle)) --middle;
    double weight[3] = {-1.0, -1.0, -1.0};
    int first = middle - 1;
    if (middle > 0 && middle < last) {
      const double a = off(middle - 1), b = off(middle), c = off(middle + 1);
      weight[0] = (variance + b * c) / ((a - b) * (a - c));
      weight[1] = (variance + a * c) / ((b - a) * (b - c));
      weight[2] = (variance + a * b) / ((c - a) * (c - b));
    }
    if (!(weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0)) {
      first = detail::least(detail::most(above - 1, 0), last - 1);
      const double part = -off(first) / (off(first + 1) - off(first));
      weight[1] = detail::least(detail::most(part, 0.0), 1.0);
      weight[0] = 1.0 - weight[1];
      weight[2] = 0.0;
    }
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      const int i = bin_of(k) - first;
      share[k] = static_cast<T>(i == 0 ? weight[0] : i == 1 ? weight[1] : i == 2 ? weight[2] : 0.0);
    }
  }

  BB_HD T energy_at(int bin) const { return entry(kEnergy, bin); }
  BB_HD T& entry(Table table, int bin) const { return tables_[table * table_size_ + bin]; }
  BB_HD int table_top() const { return table_size_ - kPad; }

  /// Moves the window of bins so that the axis is in the middle of the lanes. Beyond the end of the range, the first
  /// bin is in the middle.
  BB_HD void centre_window() {
    const double middle = detail::most(axis_, 0.0);
    while (middle - base_ > kBins / 2 + kSlots) move_window(1);
    while (middle - base_ < kBins / 2 - kSlots) move_window(-1);
  }

  /// Moves the window by the bins of one lane, up or down in range.
  BB_HD void move_window(int lanes) {
    const bool leaves = lanes > 0 ? team_.lane() == 0 : team_.lane() == Team::kLanes - 1;
    const auto shift = [&](T& f) { f = lanes > 0 ? team_.from_above(f) : team_.from_below(f); };
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      if (leaves && number_of_[k] != T(0)) dropped_ = true;
      shift(number_of_[k]);
      shift(uu_[k]);
      shift(xu_[k]);
      shift(xx_[k]);
    }
    base_ += lanes * kSlots;
  }

  /// Mean log10 of the loss of (pv)², or mean square of Highland's correction, over a step in which the axis falls by
  /// `bins`.
  BB_HD T mean_path_term(double bins) const {
    return team_.mean_of_parts([&](int part) -> T {
      const double at = axis_ - (part + 0.5) / detail::kPathParts * bins;
      if (p_.scattering == Scattering::kHighland) {
        const double crossed = (water().range(beam_.energy) - range_at(at)) / p_.materials[0].x0;
        const T correction = crossed > 0.0 ? T(1) + log10(static_cast<T>(crossed)) / T(9) : T(0);
        return correction > T(0) ? correction * correction : T(0);
      }
      const int low = detail::most(static_cast<int>(floor(at)), 0);
      const T share = static_cast<T>(detail::most(at - low, -1.0));
      const T here = entry(kLoss, low), loss = here + share * (entry(kLoss, low + 1) - here);
      return log10(detail::least(detail::most(loss, T(1e-12)), T(1)));
    });
  }

  struct Scales {
    T power, power_lg;
  };

  BB_HD Scales scattering_scales(double bins) const {
    if (p_.scattering == Scattering::kFermiRossi || p_.scattering == Scattering::kOff) return {T(1), T(0)};
    const T mean = mean_path_term(bins);
    if (p_.scattering == Scattering::kHighland) return {mean, T(0)};
    return {T(0.5244) + T(0.1975) * mean, T(0.2320) - T(0.0098) * mean};
  }

  /// Upper limit for the variance of x, in mm², of a bin in a step.
  BB_HD T widest_of(const Scales& scales, int centre, double dz) const {
    if (!(number_ > 0.0)) return T(0);
    const T power =
        detail::most(scales.power * entry(kPower, centre) + scales.power_lg * entry(kPowerLg, centre), T(0));
    const double xx =
        rows_.get(team_, kInFlightXX) + dz * (rows_.get(team_, kInFlightXU) + dz * rows_.get(team_, kInFlightUU) / 3.0);
    return static_cast<T>(detail::kTimesMean * (xx / number_ + static_cast<double>(power) * dz * dz * dz / 12.0));
  }

  BB_HD void step(double length) {
    centre_window();
    const int centre = detail::most(static_cast<int>(round(axis_)), 0);
    const double falls = static_cast<double>(entry(kShift, centre)) * length * (1.0 + 0.5 * q_);
    const int whole = static_cast<int>(round(falls));
    const Scales scales = scattering_scales(falls);
    const bool five = p_.straggling == Straggling::kBohr && steps_ >= detail::kSettling;
    ++steps_;
    const T dz = static_cast<T>(length), widest = widest_of(scales, centre, length);
    T w[5][kSlots], lag[kSlots];
    T values[kComponents] = {};
    // Energies around the bins to which this lane's content moves.
    T landing[kSlots + 4];
    BB_UNROLL
    for (int k = 0; k < kSlots + 4; ++k) landing[k] = energy_at(bin_of(k) - whole - 2);
    const bool at_low_end = team_.lane() == 0, at_high_end = team_.lane() == Team::kLanes - 1;
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      const int i = bin_of(k);
      const T n = number_of_[k];
      const T inverse = n != T(0) ? T(1) / n : T(0);
      const T before = detail::least(detail::most(uu_[k] * inverse, T(0)), T(detail::kWidest));
      const T power = detail::most(scales.power * entry(kPower, i) + scales.power_lg * entry(kPowerLg, i), T(0));
      const T gained = power * dz * (T(1) + T(4.5) * before);
      const T half = before + T(0.5) * gained;
      const T path = dz * (T(1) + T(0.5) * half - T(0.375) * half * half);
      T taken = T(0), lost_energy = T(0);
      if (p_.attenuation) {
        const T removed = entry(kLostShare, i) * path;
        taken = removed - T(0.5) * removed * removed;
        lost_energy = entry(kLostMeV, i);
      }
      const T kept = T(1) - taken, lost = n * taken;
      const T spread = n * gained;
      const T x2 = xx_[k] + dz * (T(2) * xu_[k] + dz * (uu_[k] + spread * T(1.0 / 3.0)));
      const T wide = (xx_[k] + dz * (xu_[k] + dz * (uu_[k] * T(1.0 / 3.0) + spread * T(1.0 / 12.0)))) * inverse;
      const T variance = detail::least(detail::most(wide, T(0)), widest);
      const T to_number = kept * n;
      xx_[k] = kept * x2;
      xu_[k] = kept * (xu_[k] + dz * (uu_[k] + T(0.5) * spread));
      uu_[k] = kept * (uu_[k] + spread);
      number_of_[k] = to_number;
      const T shift = entry(kShift, i);
      lag[k] = shift * dz * half;
      tap_weights(shift * path - static_cast<T>(whole), entry(kStraggling, i) * path, five, w, k);
      const T held = energy_at(i);
      T given = T(0);
      BB_UNROLL
      for (int tap = 0; tap < 5; ++tap) given += w[tap][k] * (held - landing[k + 4 - tap]);
      T deposit = to_number * given + lost * (held - lost_energy);
      values[kDeposit] += deposit;
      deposit *= variance;
      values[kDepositX2] += deposit;
      deposit *= variance;
      values[kDepositX4] += deposit;
      values[kDepositX6] += deposit * variance;
      values[kLost] += lost;
      values[kLostEnergy] += lost * lost_energy;
      values[kBinSteps] += n != T(0) ? T(1) : T(0);
      if (n != T(0) && ((at_low_end && k < 2) || (at_high_end && k >= kSlots - 2))) dropped_ = true;
    }
    carry(lag);
    move(w);
    base_ -= whole;
    empty_ends(values);
    add_state(values);
    z_ += length;
    axis_ -= falls;
    rows_.add(team_, values);
    const double before = number_;
    number_ = rows_.get(team_, kInFlightNumber);
    q_ = number_ > 0.0 ? detail::least(rows_.get(team_, kInFlightUU) / number_, detail::kWidest) : 0.0;
    rows_.add_one(team_, kPassed, 0.5 * (before + number_) * length);
    if (steps_ % kSampled == 0 && number_ > detail::kMeaningful) sample_extremes();
  }

  /// Weights of the bins 2, 1, 0, -1 and -2 above the whole shift. Their mean is `a` below it, their variance `v`.
  BB_HD void tap_weights(T a, T v, bool five, T (&w)[5][kSlots], int k) const {
    const T square = a * a;
    T m2 = v + square, m3 = a, m4;
    if (five) {
      m3 = a * (square + T(3) * v);
      m4 = square * square + T(6) * square * v + T(3) * v * v;
    } else {
      if (p_.straggling == Straggling::kOff) m2 = detail::most(m2, a < T(0) ? -a : a);
      m4 = m2;
    }
    w[0][k] = (m4 - m2 - T(2) * (m3 - a)) * T(1.0 / 24.0);
    w[4][k] = (m4 - m2 + T(2) * (m3 - a)) * T(1.0 / 24.0);
    w[1][k] = (T(4) * m2 - m4 - T(4) * a + m3) * T(1.0 / 6.0);
    w[3][k] = (T(4) * m2 - m4 + T(4) * a - m3) * T(1.0 / 6.0);
    w[2][k] = T(1) - (T(5) * m2 - m4) * T(0.25);
  }

  /// Paths are longer at larger angles, so moments weighted by u² fall further than the number of protons, by `lag`
  /// bins.
  BB_HD void carry(const T (&lag)[kSlots]) {
    T by_xx[kSlots], by_xu[kSlots], by_uu[kSlots];
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      by_xx[k] = uu_[k] > T(0) ? lag[k] * xu_[k] * xu_[k] / uu_[k] : T(0);
      by_xu[k] = lag[k] * xu_[k];
      by_uu[k] = lag[k] * uu_[k];
    }
    add_differences(by_xx, xx_);
    add_differences(by_xu, xu_);
    add_differences(by_uu, uu_);
  }

  BB_HD void add_differences(const T (&carried)[kSlots], T (&to)[kSlots]) const {
    const T below = team_.from_below(carried[kSlots - 1]), above = team_.from_above(carried[0]);
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      to[k] += T(0.5) * ((k + 1 < kSlots ? carried[k + 1] : above) - (k > 0 ? carried[k - 1] : below));
    }
  }

  /// Moves the content down by the whole shift, which only renumbers the bins, and by the taps around it.
  BB_HD void move(const T (&w)[5][kSlots]) {
    move_one(w, number_of_);
    move_one(w, uu_);
    move_one(w, xu_);
    move_one(w, xx_);
  }

  BB_HD void move_one(const T (&w)[5][kSlots], T (&f)[kSlots]) const {
    constexpr int kLast = kSlots - 1;
    const T up_first = team_.from_below(w[1][kLast] * f[kLast] + w[0][kLast - 1] * f[kLast - 1]);
    const T up_second = team_.from_below(w[0][kLast] * f[kLast]);
    const T down_last = team_.from_above(w[3][0] * f[0] + w[4][1] * f[1]);
    const T down_before = team_.from_above(w[4][0] * f[0]);
    T out[kSlots];
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      T sum = w[2][k] * f[k];
      if (k > 0) sum += w[1][k - 1] * f[k - 1];
      if (k > 1) sum += w[0][k - 2] * f[k - 2];
      if (k < kLast) sum += w[3][k + 1] * f[k + 1];
      if (k + 1 < kLast) sum += w[4][k + 2] * f[k + 2];
      out[k] = sum;
    }
    out[0] += up_first;
    out[1] += up_second;
    out[kLast] += down_last;
    out[kLast - 1] += down_before;
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) f[k] = out[k];
  }

  /// Stops the protons below the first bin and in bins with almost no content.
  BB_HD void empty_ends(T (&values)[kComponents]) {
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      const int i = bin_of(k);
      const T n = number_of_[k];
      const bool few = (n < T(0) ? -n : n) < detail::least_content<T>();
      if (i >= 0 && !few) continue;
      values[kStopped] += n;
      if (i >= 0) values[kDeposit] += n * energy_at(i);
      number_of_[k] = uu_[k] = xu_[k] = xx_[k] = T(0);
    }
  }

  BB_HD void add_state(T (&values)[kComponents]) const {
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      values[kInFlightNumber] += number_of_[k];
      values[kInFlightUU] += uu_[k];
      values[kInFlightXU] += xu_[k];
      values[kInFlightXX] += xx_[k];
      values[kInFlightEnergyNow] += number_of_[k] * energy_at(bin_of(k));
    }
  }

  BB_HD void sample_extremes() {
    T high = T(0), low = T(0);
    BB_UNROLL
    for (int k = 0; k < kSlots; ++k) {
      high = detail::most(high, number_of_[k]);
      low = detail::most(low, -number_of_[k]);
    }
    high = team_.largest(high);
    low = team_.largest(low);
    if (high > T(0)) lowest_ = detail::least(lowest_, -static_cast<double>(low / high));
  }

  BB_HD void store_plane() {
    if (planes_ >= out_.capacity) return;
    rows_.set_one(team_, kDepth, z_);
    rows_.store(team_, out_.rows + static_cast<long long>(planes_) * kComponents);
    ++planes_;
  }

  /// Stops the last few protons at the current depth.
  BB_HD void stop_rest() {
    const double energy = rows_.get(team_, kInFlightEnergyNow);
    rows_.add_one(team_, kStopped, number_);
    rows_.add_one(team_, kDeposit, energy);
    for (int c = kInFlightNumber; c <= kInFlightEnergyNow; ++c) rows_.set_one(team_, c, 0.0);
    number_ = 0.0;
    if (planes_ == 0) return;
    --planes_;
    store_plane();
  }

  const Team& team_;
  const MarchInput& p_;
  const BeamInput beam_;

  const BeamBins bins_;
  PlaneStore out_;
  T* tables_;       // [table][bin], at bin 0 of the first table, which has kPad bins before it
  int table_size_;  // values per table
  T number_of_[kSlots], uu_[kSlots], xu_[kSlots], xx_[kSlots];
  int base_ = 0;  // bin of the first lane's first slot
  typename Team::Rows rows_{};
  double axis_ = 0.0;  // bin of a proton on a straight path without straggling
  double z_ = 0.0, number_ = 0.0, q_ = 0.0, energy_in_ = 0.0, lowest_ = 0.0;
  int steps_ = 0, planes_ = 0;
  bool dropped_ = false;
};

}  // namespace bb::transport::beam_march
