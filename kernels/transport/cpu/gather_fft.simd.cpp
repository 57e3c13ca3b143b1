#include <algorithm>
#include <vector>

#include "gather_stretch.hpp"
#include "physics/row_fft.hpp"

namespace bb::transport::BB_ISA {
namespace {

/// Counts protons that scatter off the angle grid from a run of cells. `kernel` belongs to the material and energy of
/// these cells.
template <typename T>
void count_angle_losses(const GatherContext<T>& c, RowBlock block, int e, int first, int last, const T* kernel,
                        int half, GatherTotals& totals) {
  const Tables& t = *c.tables;
  for (int a = 0; a < t.ntheta; ++a) {
    double below = 0.0, above = 0.0;
    for (int k = 1; k <= half; ++k) {
      if (a - k < 0) below += kernel[k];
      if (a + k >= t.ntheta) above += kernel[k];
    }
    if (below == 0.0 && above == 0.0) continue;
    const double protons = sum_of(c.in + c.state->row(e, a, block.z0) + first, last - first);
    lose(totals, kThetaLow, below * protons, t.energy[u(e)]);
    lose(totals, kThetaHigh, above * protons, t.energy[u(e)]);
  }
}

/// The transform leaves rounding errors in all cells, and some become negative. Negative values of a column are set to
/// zero and subtracted from its largest value, which preserves the number of protons. `part` is [row][lane].
template <typename T>
void remove_negative_values(T* part, int rows) {
  constexpr std::size_t kLanes = physics::BB_ISA::RowFft<T>::kLanes;
  T below[kLanes] = {}, largest[kLanes] = {};
  int place[kLanes] = {};
  for (int a = 0; a < rows; ++a) {
    T* row = part + u(a) * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) {
      const T value = row[l], kept = value > T(0) ? value : T(0);
      below[l] += value - kept;
      row[l] = kept;
      place[l] = kept > largest[l] ? a : place[l];
      largest[l] = kept > largest[l] ? kept : largest[l];
    }
  }
  for (std::size_t l = 0; l < kLanes; ++l) {
    T& top = part[u(place[l]) * kLanes + l];
    top = std::max(T(0), top + below[l]);
  }
}

template <typename T>
GatherTotals scatter_by_fft(const GatherContext<T>& c, RowBlock block, int e) {
  using Fft = physics::BB_ISA::RowFft<T>;
  constexpr int kLanes = static_cast<int>(Fft::kLanes);
  const Tables& t = *c.tables;
  GatherTotals totals;
  const Fft fft(c.spectra->length);
  std::vector<T> parts[2] = {std::vector<T>(fft.values()), std::vector<T>(fft.values())};
  each_material_stretch(c, block, [&](int material, int first, int last) {
    const std::size_t row = t.row(0, material, e);
    const std::size_t begin = u(t.angle_begin[row]);
    count_angle_losses(c, block, e, first, last, &c.typed->angle_weight[begin],
                       t.angle_begin[row + 1] - t.angle_begin[row] - 1, totals);
    for (int at = first; at < last; at += 2 * kLanes) {
      for (int part = 0; part < 2; ++part) {
        const int from = at + part * kLanes, count = std::clamp(last - from, 0, kLanes);
        std::ranges::fill(parts[part], T(0));
        for (int a = 0; a < t.ntheta; ++a) {
          std::copy_n(c.in + c.state->row(e, a, block.z0) + from, count, parts[part].data() + a * kLanes);
        }
      }
      fft.convolve(parts[0].data(), parts[1].data(), c.spectra->of(row));
      for (int part = 0; part < 2; ++part) {
        const int from = at + part * kLanes, count = std::clamp(last - from, 0, kLanes);
        remove_negative_values(parts[part].data(), t.ntheta);
        for (int a = 0; a < t.ntheta; ++a) {
          std::copy_n(parts[part].data() + a * kLanes, count, c.out + c.state->row(e, a, block.z0) + from);
        }
      }
    }
  });
  return totals;
}

}  // namespace

template <typename T>
GatherPass<T> scatter_of() {
  return scatter_by_fft<T>;
}

template GatherPass<float> scatter_of<float>();
template GatherPass<double> scatter_of<double>();

}  // namespace bb::transport::BB_ISA
