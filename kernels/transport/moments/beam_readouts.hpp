#pragma once

#include "march_types.hpp"

// Computes readouts from a beam's planes: first its rows of the map, then range, falloff, peak and width from these
// rows. Formulas are those of electron/host/workloads/transport/metrics/{depth-readouts,cell-curve,stopping-depth}.ts.
// Included by nvcc, by NVRTC and by the host, so it includes no standard header but <cmath>.
namespace bb::transport::beam_march {

/// Returns NaN, for which NVRTC has no macro.
BB_HD inline double not_defined() { return sqrt(-1.0); }

/// Depths are relative to the entrance. NaN if a value is not defined for the beam, for example because the beam leaves
/// the box before it stops.
struct BeamReadouts {
  double r80_mm, r90_mm, r50_mm, r20_mm, r10_mm;
  double w80_20_mm, fwhm_mm, peak_mm;
  double peak, entrance, plateau;  // MeV/mm
  double sigma_entrance_mm, sigma_half_mm,
      sigma_peak_mm;                            // widths of the fluence in x at the entrance, R80 / 2 and the peak
  double energy_in, deposited, reacted, left;   // MeV; `left` is in flight at the end
  double stopped, number_reacted, number_left;  // per entering proton
  double bin_steps, min_over_max;
  double end;  // MarchEnd

  BB_HD double energy_error() const {
    const double open = energy_in - deposited - reacted - left;
    return (open < 0.0 ? -open : open) / energy_in;
  }
  BB_HD double number_error() const {
    const double open = 1.0 - stopped - number_reacted - number_left;
    return open < 0.0 ? -open : open;
  }
};

/// Number of values in BeamReadouts, all of which are doubles.
inline constexpr int kReadoutColumns = sizeof(BeamReadouts) / sizeof(double);

/// Number of rows of a map from that of the entrance on. `entrance` and `dz` in mm.
BB_HD inline int rows_from(double entrance, int nz, double dz) {
  return nz - static_cast<int>(floor(entrance / dz + 1e-9));
}

/// Rows of one beam among several: the values of row r are at [r * stride].
template <typename T>
struct BeamRows {
  T* dose;      // MeV/mm, mean over a row
  T* protons;   // mean number in a row
  T* variance;  // variance of x in the middle of a row, mm²
  T* edges;     // scratch, count + 1 values
  int count;
  long long stride;
  double first;  // mm of depth at the start of row 0
  double dz;     // mm
};

namespace detail {

/// Values of a march at a depth, interpolated by fifth-order polynomials through planes of one layer; see planes_at().
class PlaneCurves {
 public:
  BB_HD PlaneCurves(const PlaneStore& store, int layers) : s_(store), layers_(layers) {}

  BB_HD void place(double depth) {
    int layer = 0;
    while (layer + 1 < layers_ && z(s_.layer_begin[layer + 1] - 1) <= depth) ++layer;
    const int first = s_.layer_begin[layer], end = s_.layer_begin[layer + 1];
    count_ = 1;
    weight_[0] = 1.0;
    from_ = first;
    if (depth <= z(first)) return;
    from_ = end - 1;
    if (depth >= z(end - 1)) return;
    // All steps of a layer are equal except the last.
    int low = first + least(static_cast<int>((depth - z(first)) / (z(first + 1) - z(first))), end - 2 - first);
    while (low > first && z(low) >= depth) --low;
    while (z(low + 1) < depth) ++low;
    count_ = least(kPoints, end - first);
    from_ = low + 1 >= first + count_ / 2 ? low + 1 - count_ / 2 : first;
    from_ = most(first, least(from_, end - count_));
    double at[kPoints];
    for (int i = 0; i < kPoints; ++i) at[i] = i < count_ ? z(from_ + i) : 0.0;
    for (int i = 0; i < kPoints; ++i) {
      double above = 1.0, below = 1.0;
      for (int k = 0; k < kPoints; ++k) {
        if (k == i || k >= count_) continue;
        above *= depth - at[k];
        below *= at[i] - at[k];
      }
      weight_[i] = i < count_ ? above / below : 0.0;
    }
  }

  BB_HD double value(int component) const {
    double sum = 0.0;
    for (int i = 0; i < kPoints; ++i) {
      if (i < count_) sum += weight_[i] * row(from_ + i)[component];
    }
    return sum;
  }

 private:
  static constexpr int kPoints = 6;

  BB_HD const double* row(int plane) const { return s_.rows + static_cast<long long>(plane) * kComponents; }
  BB_HD double z(int plane) const { return row(plane)[kDepth]; }

  const PlaneStore& s_;
  int layers_, count_ = 1, from_ = 0;
  double weight_[kPoints] = {};
};

}  // namespace detail

/// Fills the rows; each lane fills a share of them.
template <typename T, class Team>
BB_HD void fill_rows(const Team& team, const PlaneStore& planes, const MarchOutcome& outcome, const BeamRows<T>& rows) {
  detail::PlaneCurves curves(planes, outcome.layers);
  for (int r = team.lane(); r < rows.count; r += Team::kLanes) {
    const double from = rows.first + r * rows.dz;
    curves.place(from);
    const double deposit = curves.value(kDeposit), passed = curves.value(kPassed);
    curves.place(from + 0.5 * rows.dz);
    const double number = curves.value(kInFlightNumber), xx = curves.value(kInFlightXX);
    curves.place(from + rows.dz);
    const long long at = r * rows.stride;
    rows.dose[at] = static_cast<T>((curves.value(kDeposit) - deposit) / rows.dz);
    rows.protons[at] = static_cast<T>((curves.value(kPassed) - passed) / rows.dz);
    rows.variance[at] = static_cast<T>(number > 1e-6 && xx > 0.0 ? xx / number : 0.0);
  }
}

/// Computes the readouts that depend on rows; other fields of `out` do not change.
template <typename T>
class RowReader {
 public:
  /// `entrance`: mm of depth at the entrance of the beam, which is in row 0.
  BB_HD RowReader(const BeamRows<T>& rows, double entrance) : r_(rows), start_(rows.first - entrance) {}

  BB_HD void read(BeamReadouts& out) {
    find_edges();
    const int first = stopping_from(out.stopped);
    int top = first;
    for (int i = first + 1; i < r_.count; ++i) {
      if (dose(i) > dose(top)) top = i;
    }
    if (r_.count < 3 || top == r_.count - 1 || !(dose(top) > 0.0)) return;
    cell_ = top;
    place_ = 0.5;
    height_ = in_cell(top, 0.5);
    for (int cell = detail::most(top - 1, first); cell <= detail::least(top + 1, r_.count - 1); ++cell) {
      const double a = edge(cell), b = edge(cell + 1), m = dose(cell), curvature = 6.0 * (a + b - 2.0 * m);
      const double vertex = curvature < 0.0 ? (4.0 * a + 2.0 * b - 6.0 * m) / curvature : 0.0;
      higher(cell, 0.0);
      higher(cell, detail::least(1.0, detail::most(0.0, vertex)));
      higher(cell, 1.0);
    }
    out.peak_mm = depth_of(cell_ + place_);
    out.peak = height_;
    out.r90_mm = falls_to(0.9);
    out.r80_mm = falls_to(0.8);
    out.r50_mm = falls_to(0.5);
    out.r20_mm = falls_to(0.2);
    out.r10_mm = falls_to(0.1);
    out.w80_20_mm = out.r20_mm - out.r80_mm;
    out.fwhm_mm = out.r50_mm - rises_to(0.5);
    out.entrance = entrance_dose(out.peak_mm);
    out.plateau = plateau(out.r80_mm);
    out.sigma_entrance_mm = sqrt(variance_at(0.0));
    out.sigma_half_mm = sqrt(variance_at(0.5 * out.r80_mm));
    out.sigma_peak_mm = sqrt(variance_at(out.peak_mm));
  }

 private:
  /// Depth from the entrance in mm; `place` is in rows.
  BB_HD double depth_of(double place) const { return start_ + place * r_.dz; }
  BB_HD double dose(int i) const { return static_cast<double>(r_.dose[i * r_.stride]); }
  BB_HD double edge(int i) const { return static_cast<double>(r_.edges[i * r_.stride]); }

  /// Solves for the slopes of the spline through the running integral with Thomas' algorithm. The factors of the
  /// elimination are the same for all curves and converge within twenty rows.
  BB_HD void find_edges() {
    const int n = r_.count;
    constexpr double kLimit = 0.26794919243112270647;  // 2 - √3
    double upper = 0.5, before = 1.5 * dose(0);
    set_edge(0, before);
    for (int i = 1; i <= n; ++i) {
      const double right = 3.0 * (dose(i - 1) + (i < n ? dose(i) : 0.0));
      const double inverse = 1.0 / ((i < n ? 4.0 : 2.0) - upper);
      before = (right - before) * inverse;
      set_edge(i, before);
      upper = inverse;
    }
    double after = before;
    for (int i = n - 1; i >= 0; --i) {
      double factor = kLimit;
      if (i < kFactors) {
        factor = 0.5;
        for (int k = 0; k < i; ++k) factor = 1.0 / (4.0 - factor);
      }
      after = edge(i) - factor * after;
      set_edge(i, after);
    }
  }
  BB_HD void set_edge(int i, double value) { r_.edges[i * r_.stride] = static_cast<T>(value); }

  /// Last row before protons begin to stop; 0 if none do.
  BB_HD int stopping_from(double stopped) const {
    constexpr double kUnstoppedShare = 0.999;
    if (!(stopped > 0.0)) return 0;
    const auto crosses = [&](int i) {
      return static_cast<double>(r_.protons[i * r_.stride]) >= kUnstoppedShare * stopped;
    };
    int i = 0;
    while (i < r_.count && !crosses(i)) ++i;
    ++i;
    while (i < r_.count && crosses(i)) ++i;
    return i < r_.count ? i - 1 : 0;
  }

  BB_HD double in_cell(int i, double t) const {
    return edge(i) * (1.0 - 4.0 * t + 3.0 * t * t) + edge(i + 1) * (-2.0 * t + 3.0 * t * t) +
           dose(i) * (6.0 * t - 6.0 * t * t);
  }

  BB_HD void higher(int cell, double t) {
    const double height = in_cell(cell, t);
    if (!(height > height_)) return;
    height_ = height;
    cell_ = cell;
    place_ = t;
  }

  BB_HD double falls_to(double share) const {
    const double level = share * height_;
    for (int i = cell_; i < r_.count; ++i) {
      if (edge(i + 1) <= level) return depth_of(i + solve(i, level, i == cell_ ? place_ : 0.0, 1.0));
    }
    return not_defined();
  }
  BB_HD double rises_to(double share) const {
    const double level = share * height_;
    for (int i = cell_; i >= 0; --i) {
      if (edge(i) <= level) return depth_of(i + solve(i, level, i == cell_ ? place_ : 1.0, 0.0));
    }
    return not_defined();
  }
  /// Bisects between a position above the level and one below it, to 1e-9 of a cell.
  BB_HD double solve(int cell, double level, double high, double low) const {
    const double a = edge(cell), b = edge(cell + 1), m = dose(cell);
    for (int k = 0; k < 30; ++k) {
      const double t = 0.5 * (high + low);
      const bool above =
          a * (1.0 - 4.0 * t + 3.0 * t * t) + b * (3.0 * t * t - 2.0 * t) + m * (6.0 * t - 6.0 * t * t) > level;
      high = above ? t : high;
      low = above ? low : t;
    }
    return 0.5 * (high + low);
  }

  /// Dose at depth 0, extrapolated by a straight line through the first rows.
  BB_HD double entrance_dose(double peak_mm) const {
    const double over = detail::least(2.0, 0.1 * peak_mm);
    const int count = detail::least(detail::most(1, static_cast<int>(round(over / r_.dz))), r_.count);
    if (count < 3) return dose(0);
    const double centre = depth_of(0.5 * count);
    double mean = 0.0, slope = 0.0, spread = 0.0;
    for (int i = 0; i < count; ++i) mean += dose(i) / count;
    for (int i = 0; i < count; ++i) {
      const double offset = depth_of(i + 0.5) - centre;
      slope += offset * (dose(i) - mean);
      spread += offset * offset;
    }
    return mean - slope / spread * centre;
  }

  BB_HD double plateau(double r80) const {
    double sum = 0.0;
    int used = 0;
    for (int i = 0; i < r_.count && depth_of(i + 0.5) <= 0.5 * r80; ++i) {
      if (depth_of(i + 0.5) < 0.2 * r80) continue;
      sum += dose(i);
      ++used;
    }
    return used > 0 ? sum / used : not_defined();
  }

  BB_HD double variance_at(double depth) const {
    if (!(depth >= 0.0)) return not_defined();
    const double place = detail::most(0.0, detail::least((depth - start_) / r_.dz - 0.5, r_.count - 1.0));
    const int low = detail::least(static_cast<int>(place), detail::most(0, r_.count - 2));
    const double at = static_cast<double>(r_.variance[low * r_.stride]);
    const double next = r_.count > 1 ? static_cast<double>(r_.variance[(low + 1) * r_.stride]) : at;
    return at + (place - low) * (next - at);
  }

  static constexpr int kFactors = 24;

  const BeamRows<T> r_;
  const double start_;
  int cell_ = 0;
  double place_ = 0.5, height_ = 0.0;
};

/// Readouts with the sums of a march's last plane; values from rows are NaN.
BB_HD inline BeamReadouts begin_readouts(const PlaneStore& planes, const MarchOutcome& outcome) {
  BeamReadouts out;
  double* const depths[] = {&out.r80_mm,        &out.r90_mm,       &out.r50_mm,  &out.r20_mm,
                            &out.r10_mm,        &out.w80_20_mm,    &out.fwhm_mm, &out.peak_mm,
                            &out.peak,          &out.entrance,     &out.plateau, &out.sigma_entrance_mm,
                            &out.sigma_half_mm, &out.sigma_peak_mm};
  for (double* each : depths) *each = not_defined();
  const double* last = planes.rows + static_cast<long long>(detail::most(outcome.planes - 1, 0)) * kComponents;
  const bool any = outcome.planes > 0;
  out.energy_in = outcome.energy_in;
  out.deposited = any ? last[kDeposit] : 0.0;
  out.reacted = any ? last[kLostEnergy] : 0.0;
  out.left = any ? last[kInFlightEnergyNow] : 0.0;
  out.stopped = any ? last[kStopped] : 0.0;
  out.number_reacted = any ? last[kLost] : 0.0;
  out.number_left = any ? last[kInFlightNumber] : 0.0;
  out.bin_steps = any ? last[kBinSteps] : 0.0;
  out.min_over_max = outcome.min_over_max;
  out.end = static_cast<double>(static_cast<int>(outcome.end));
  return out;
}

}  // namespace bb::transport::beam_march
