#include "slowdown.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "transport/model/index.hpp"

namespace bb::transport {

/// Fills the slowing down over a part of a plane. Returns the lowest shift, whole bins.
int Slowdown::slowing(const std::vector<double>& shift, const std::vector<double>& spread, double part,
                      Motion::SlowingDown& to) const {
  to.whole.resize(u(bins_));
  to.spread.resize(u(bins_));
  for (auto& flux : to.flux) flux.resize(u(bins_));
  for (std::size_t b = 0; b < u(bins_); ++b) {
    const physics::RemapShift split = physics::split_shift(-std::min(part * shift[b], static_cast<double>(bins_)));
    std::array<double, physics::kRemapTaps> c{};
    fluxes_.weights(split.fraction, c.data());
    to.whole[b] = split.whole;
    for (std::size_t m = 0; m < c.size(); ++m) to.flux[m][b] = c[m];
    to.spread[b] = 0.5 * std::min(part * spread[b], kWidestSpread);
  }
  to.same_whole = std::ranges::all_of(to.whole, [&](int whole) { return whole == to.whole.front(); });
  return std::ranges::min(to.whole);
}

/// Fills the slowing down and the reactions of a BeamGroup. Returns the lowest shift, whole bins.
int Slowdown::fill(const BeamGroup& group, const std::vector<double>& thickness, Motion::GroupMotion& to) const {
  std::vector<double> shift(u(bins_)), spread(u(bins_));
  to.reacts.assign(u(bins_), 0.0);
  const std::size_t kind = group.deuterons ? 1 : 0;
  for (std::size_t b = 0; b < u(bins_); ++b) {
    double removal = 0.0;
    for (std::size_t m = 0; m < matter_.size(); ++m) {
      if (thickness[m] == 0.0) continue;
      const double path = thickness[m] * group.length;
      shift[b] += path * matter_[m].slowing[kind][b];
      spread[b] += path * matter_[m].straggling[kind][b];
      removal += path * matter_[m].removal[b];
    }
    if (kind == 0) to.reacts[b] = -std::expm1(-removal);
  }
  return std::min(slowing(shift, spread, 1.0, to.plane), slowing(shift, spread, 0.5, to.half));
}

/// Mean moments of tracks over the materials of a column in a plane, weighted by thickness.
void Slowdown::mix_moments(const std::vector<double>& thickness, TrackMoments& out) const {
  const double all = std::accumulate(thickness.begin(), thickness.end(), 0.0);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].assign(u(bins_), 0.0);
    for (std::size_t m = 0; m < matter_.size(); ++m) {
      if (thickness[m] == 0.0) continue;
      ops_.add(out[k].data(), matter_[m].moments[k].data(), thickness[m] / all, bins_);
    }
  }
}

void Slowdown::prepare(std::vector<double> thickness, Motion& motion) const {
  if (thickness == motion.thickness) return;
  int lowest = 0;
  motion.groups.resize(groups_.size());
  for (std::size_t w = 0; w < groups_.size(); ++w)
    lowest = std::min(lowest, fill(groups_[w], thickness, motion.groups[w]));
  if (tracks_) mix_moments(thickness, motion.moments);
  motion.pad = std::max(-lowest, physics::kRemapReach) + 1;
  motion.before.assign(u(bins_ + 2 * motion.pad), 0.0);
  motion.after.assign(motion.before.size(), 0.0);
  motion.thickness = std::move(thickness);
}

void Slowdown::apply(const Motion::SlowingDown& slowing, double* p, int n, Motion& motion) const {
  BinShifts shifts{
      .whole = slowing.whole.data(), .same_whole = slowing.same_whole, .flux = {}, .spread = slowing.spread.data()};
  for (std::size_t m = 0; m < slowing.flux.size(); ++m) shifts.flux[m] = slowing.flux[m].data();
  ops_.slow_down(shifts, p, n, motion.before.data() + motion.pad, motion.after.data() + motion.pad, motion.pad);
}

}  // namespace bb::transport
