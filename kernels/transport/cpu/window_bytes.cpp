#include "window_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "physics/fermi_eyges.hpp"
#include "physics/moment_taps.hpp"
#include "slice.hpp"
#include "transport/model/index.hpp"
#include "transport/model/medium.hpp"
#include "transport/run/by_precision.hpp"

namespace bb::transport {
namespace {

constexpr int kSampledDepths = 16;  // depths at which the boxes are estimated
constexpr double kLast = 0.95;      // share of the axis for which sizes are estimated; protons stop beyond it
constexpr int kColumns = 64;        // maximum number of sampled columns
// Safety factors of the estimates. Without them, estimates were 0.8 to 1.6 times the memory of runs, and too low where
// tails reach the cut of FP64.
constexpr double kPathSafety = 1.3, kDepthSafety = 1.4, kFp64Safety = 1.3;
constexpr double kSpareCapacity = 1.25;  // allocated per stored value; see ScratchBuffer::grow
// Depth that the width of a tilted beam spans, in half widths from scattering times the sine of the tilt. Less than 2,
// because rows at the ends of the beam are shorter.
constexpr double kTilted = 1.2;

/// -2 ln of the share of the beam below which a plane of a box is cut, as in SlicedSolver.
double cut_exponent(const Problem& p) { return 2.0 * std::log(p.precision == Precision::kFp32 ? 1e11 : 1e18); }

/// Half width of a box along one axis, in standard deviations. `spent` is the part of the cut used by the other axes.
/// `share` is the content of the middle plane relative to all planes of this axis.
double half_width_sigmas(double cut, double spent, double share) {
  return std::sqrt(std::max(0.0, cut - spent + 2.0 * std::log(std::min(1.0, share))));
}

/// Share of a normal distribution in the cell around its mean.
double share_of(double cell, double sigma) { return cell / std::max(cell, sigma * std::sqrt(2.0 * std::numbers::pi)); }

/// Energy and widths of the beam after some path along its axis.
struct BeamWidths {
  double left_mm;               // residual range in water
  physics::PencilMoments beam;  // moments from the spot and from scattering
  double scattered_mm2 = 0;     // variance in x from scattering alone
  double detour_mm = 0;         // mean
};

/// Distance of a value from an interval; 0 inside.
double distance_outside(double value, double low, double high) { return std::max({0.0, low - value, value - high}); }

class Boxes {
 public:
  Boxes(const Problem& p, const Tables& t);

  /// Number of stored values when the beam has covered `share` of its axis: the slices before and after the step, and
  /// their scores.
  double at(double share) const;
  double scratch() const;

 private:
  double range_mm(double energy) const { return media_[0].table.range(energy) / media_[0].material.density * 10.0; }
  void follow_axis();
  BeamWidths widths(double left_mm) const;
  double lost_mm(int column, double way_mm) const;

  const Problem& p_;
  const Tables& t_;
  bool depth_;
  std::vector<Medium> media_;
  std::vector<double> relative_;  // stopping power of each material relative to water, by path length
  std::vector<double> bin_mm_;    // [ne] range in water of a bin
  std::vector<int> half_;         // [ne] half width of the angle kernels, over the materials
  std::vector<BeamWidths> followed_;
  double behind_;         // tail of a row in depth, in mean detours per unit of the cut (it is exponential)
  double rows_ = 4.0;     // minimum rows in depth: steps of whole cells and parts of cells
  double length_mm_ = 0;  // path length along the axis
  double slowest_mm_ = 0, fastest_mm_ = 0, low_x_ = 0, high_x_ = 0, spread_mm_ = 0;
};

Boxes::Boxes(const Problem& p, const Tables& t)
    : p_(p), t_(t), depth_(p.stepping == Stepping::kDepth), behind_(p.precision == Precision::kFp32 ? 0.33 : 1.7) {
  for (const Material& m : p.materials) media_.emplace_back(m);
  constexpr double kReferenceEnergy_MeV = 100.0, kReferencePath_mm = 1.0;
  for (const Medium& m : media_) {
    const double after = m.energy_after(kReferenceEnergy_MeV, kReferencePath_mm);
    relative_.push_back((range_mm(kReferenceEnergy_MeV) - range_mm(after)) / kReferencePath_mm);
  }
  const double path = depth_ ? p.grid.dz / std::cos(t.theta.back()) : p.step;
  for (int e = 0; e < t.ne; ++e) {
    const double energy = std::max(t.energy[u(e)], 1e-3);
    bin_mm_.push_back(range_mm(energy));
    double widest = 0.0;
    for (const Medium& m : media_) {
      const double thickness = m.thickness(path);
      const double before = m.table.energy_at(m.table.range(energy) + 0.5 * thickness);
      widest = std::max(widest, thickness * scattering_power(p, m.material, media_[0].table, before));
    }
    const double cells = physics::MomentTaps::kTailSigmas * std::sqrt(widest) / p.grid.dtheta;
    half_.push_back(static_cast<int>(std::min(std::ceil(cells), static_cast<double>(t.ntheta))));
  }
  fastest_mm_ = t.beam_range_mm;
  slowest_mm_ = t.beam_range_mm - t.spots_span_mm;
  low_x_ = std::numeric_limits<double>::max();
  high_x_ = -low_x_;
  double energy_sigma = 0.0;
  for (const Beam& spot : spots_of(p)) {
    low_x_ = std::min(low_x_, spot.x);
    high_x_ = std::max(high_x_, spot.x);
    energy_sigma = std::max(energy_sigma, spot.energy_sigma / spot.energy);
  }
  constexpr double kExponent = 1.77;  // exponent of the range as a power of the energy
  spread_mm_ = std::hypot(kExponent * t.beam_range_mm * energy_sigma, t.extra_straggling_mm);
  follow_axis();
  length_mm_ = t.axis_steps * (depth_ ? p.grid.dz / std::cos(p.beam.angle) : p.step);
  // Mean detour above which build_streaming() remaps small lags in first order, which widens the rows.
  constexpr double kLongDetour_mm = 0.09;
  if (!depth_ && followed_.back().detour_mm > kLongDetour_mm) rows_ += 2.0;
}

/// Computes the beam's widths along the axis, in the materials there.
void Boxes::follow_axis() {
  double sigma = 0.0, width = 0.0;
  for (const Beam& spot : spots_of(p_)) {
    sigma = std::max(sigma, spot.angle_sigma);
    width = std::max(width, spot.x_sigma);
  }
  BeamWidths now{t_.beam_range_mm, {sigma * sigma, -p_.beam.focus * sigma * sigma, width * width}};
  double energy = p_.beam.energy, way = 0.0;
  const double step = std::max(p_.grid.dz, t_.beam_range_mm / 256.0);
  while (energy > p_.grid.cutoff) {
    followed_.push_back(now);
    const int z = static_cast<int>((p_.beam.z + way * std::cos(p_.beam.angle)) / p_.grid.dz);
    const int x = static_cast<int>(std::floor((p_.beam.x + way * std::sin(p_.beam.angle)) / p_.grid.dx + 0.5 * t_.nx));
    if (z >= t_.nz) break;
    const Medium& m = media_[p_.map[u(z) * u(t_.nx) + u(std::clamp(x, 0, t_.nx - 1))]];
    const double after = m.energy_after(energy, step);
    const double middle = std::max(m.energy_after(energy, 0.5 * step), p_.grid.cutoff);
    const double power = scattering_power(p_, m.material, media_[0].table, middle) * 0.1 * m.material.density;
    now.beam = physics::drifted(now.beam, step, power);
    now.detour_mm += 0.5 * (now.beam.theta_theta - sigma * sigma) * step;
    now.scattered_mm2 = std::max(0.0, now.beam.x_x - width * width - sigma * sigma * way * way);
    way += step;
    energy = after;
    now.left_mm = after > 0.0 ? range_mm(after) : 0.0;
  }
  followed_.push_back(now);
}

BeamWidths Boxes::widths(double left_mm) const {
  const auto found = std::ranges::find_if(followed_, [&](const BeamWidths& w) { return w.left_mm <= left_mm; });
  return found == followed_.end() ? followed_.back() : *found;
}

/// Residual range (mm of water) that a proton loses over `way_mm` along the beam, which enters in `column`.
double Boxes::lost_mm(int column, double way_mm) const {
  const double cosine = std::cos(p_.beam.angle), shift = std::tan(p_.beam.angle) * p_.grid.dz / p_.grid.dx;
  const int first = static_cast<int>(p_.beam.z / p_.grid.dz);
  const double cells = way_mm * cosine / p_.grid.dz;
  double lost = 0.0;
  for (int i = 0; i < cells && first + i < t_.nz; ++i) {
    const int x = std::clamp(column + static_cast<int>(std::floor((i + 0.5) * shift)), 0, t_.nx - 1);
    const double part = std::min(1.0, cells - i);
    lost += part * p_.grid.dz / cosine * relative_[p_.map[u(first + i) * u(t_.nx) + u(x)]];
  }
  return lost;
}

double Boxes::scratch() const {
  const double pitch = align_up(t_.nx) + kRowAlign;
  return pitch * (2.0 * kRowsTogether + t_.ntheta * (depth_ ? 1.0 : 1.0 + physics::kRemapTaps));
}

double Boxes::at(double share) const {
  const double bin = std::max(1e-9, bin_mm_.back() - (t_.ne > 1 ? bin_mm_[u(t_.ne - 2)] : 0.0));
  const double way = share * length_mm_;
  const int middle = static_cast<int>(std::floor(0.5 * (low_x_ + high_x_) / p_.grid.dx + 0.5 * t_.nx));
  const BeamWidths mean = widths(t_.beam_range_mm - lost_mm(std::clamp(middle, 0, t_.nx - 1), way));
  // Range straggling of protons in water: kStraggling times the kPower-th power of the range in cm, in mm.
  constexpr double kStraggling = 0.12, kPower = 0.935, kGrowth = 1.87;
  const double straggling = kStraggling * std::pow(0.1 * t_.beam_range_mm, kPower);
  const double sigma = std::hypot(
      spread_mm_, straggling * std::sqrt(1.0 - std::pow(std::max(0.0, mean.left_mm / t_.beam_range_mm), kGrowth)), bin);
  const double place = std::sqrt(mean.beam.x_x);
  const double cut = cut_exponent(p_) + 2.0 * std::log(share_of(bin, sigma));
  const double reach_x = half_width_sigmas(cut, 0.0, share_of(p_.grid.dx, place)) * place;
  const double along_x = way * std::sin(p_.beam.angle);
  const auto column_of = [&](double x) {
    return std::clamp(static_cast<int>(std::floor(x / p_.grid.dx + 0.5 * t_.nx)), 0, t_.nx - 1);
  };
  const int low = column_of(low_x_ - reach_x), high = column_of(high_x_ + reach_x);
  const int stride = 1 + (high - low) / kColumns;
  struct Column {
    double x, spent, lost;
  };
  std::vector<Column> columns;
  for (int c = low; c <= high; c += stride) {
    const double x = (c + 0.5 - 0.5 * t_.nx) * p_.grid.dx;
    const double away = distance_outside(x, low_x_, high_x_) / place;
    columns.push_back({x, away * away, lost_mm(c, way)});
  }
  const double sine = std::abs(std::sin(p_.beam.angle));
  double cells = 0.0, left = 0.0;
  for (int e = 0; e < t_.ne; ++e) {
    double from = t_.nx, to = 0.0, least = std::numeric_limits<double>::max();
    for (const Column& c : columns) {
      const double away = distance_outside(bin_mm_[u(e)], slowest_mm_ - c.lost, fastest_mm_ - c.lost) / sigma;
      const double spent = away * away;
      if (spent + c.spent > cut + 2.0 * std::log(share_of(p_.grid.dx, place))) continue;
      least = std::min(least, spent);
      const double x = (c.x + along_x) / p_.grid.dx + 0.5 * t_.nx;
      from = std::min(from, x - stride);
      to = std::max(to, x + stride);
    }
    if (from > to || least > cut) continue;
    const BeamWidths w = widths(std::min(bin_mm_[u(e)], mean.left_mm));
    const double angle = std::sqrt(w.beam.theta_theta);
    const double reach_a = half_width_sigmas(cut, least, share_of(p_.grid.dtheta, angle)) * angle / p_.grid.dtheta;
    const double angles = std::min<double>(t_.ntheta, 2.0 * (reach_a + half_[u(e)]) + 1.0);
    // Streaming at the outermost angles extends the box by one step.
    const double tangent = std::tan(std::min(1.4, reach_a * p_.grid.dtheta));
    const double on = t_.path_step * tangent / p_.grid.dx + 1.0;
    const double x0 = std::clamp(from - on, 0.0, static_cast<double>(t_.nx)),
                 x1 = std::clamp(to + on, 0.0, static_cast<double>(t_.nx));
    if (x0 >= x1) continue;
    const double pitch = align_up(static_cast<int>(std::ceil(x1))) - align_down(static_cast<int>(x0));
    double rows = 1.0;
    if (!depth_) {
      const double tail = behind_ * (cut - least) * w.detour_mm;
      const double tilted = kTilted * half_width_sigmas(cut, least, 1.0) * std::sqrt(w.scattered_mm2) * sine;
      rows = std::min<double>(t_.nz, (tail + tilted) / p_.grid.dz + rows_);
    }
    cells += rows * angles * pitch;
    left += rows * static_cast<double>(kDeferredRows) * pitch;
  }
  return kSpareCapacity * (2.0 * cells + left);
}

}  // namespace

double window_bytes(const Problem& p, const Tables& t, int threads) {
  if (p.filled) return estimate_dense(p, t);
  const Boxes boxes(p, t);
  double most = 0.0;
  for (int i = 1; i <= kSampledDepths; ++i) most = std::max(most, boxes.at(kLast * i / kSampledDepths));
  const double safety = (p.stepping == Stepping::kDepth ? kDepthSafety : kPathSafety) *
                        (p.precision == Precision::kFp64 ? kFp64Safety : 1.0);
  return value_bytes(p) * (safety * most + threads * boxes.scratch());
}

}  // namespace bb::transport
