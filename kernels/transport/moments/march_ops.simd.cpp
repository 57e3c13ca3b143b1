#include "march_ops.hpp"

namespace bb::transport::BB_ISA {
namespace {

constexpr int kLanes = 8;         // the same in every copy: sums do not depend on the instruction set
constexpr int kReach = 2;         // bins that taps reach beyond the whole shift
constexpr int kBlock = 256;       // bins at a time
constexpr double kWidest = 0.25;  // rad²: a bin's mean square angle that a step counts with

template <typename T>
double dot(const T* a, const T* b, int n) {
  double lane[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lane[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  }
  double sum = 0.0;
  for (; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (const double part : lane) sum += part;
  return sum;
}

/// Moments 2 to 4 of taps whose mean is `a` and whose variance is `v`.
template <typename T, TapRule kRule>
struct TapMoments {
  T m2, m3, m4;

  TapMoments(T a, T v) {
    const T square = a * a;
    m2 = v + square;
    if constexpr (kRule == TapRule::kFive) {
      m3 = a * (square + T(3) * v);
      m4 = square * square + T(6) * square * v + T(3) * v * v;
      return;
    }
    const T least = a < T(0) ? -a : a;
    if constexpr (kRule == TapRule::kPositive) m2 = m2 < least ? least : m2;
    m3 = a;
    m4 = m2;
  }
};

template <typename T, TapRule kRule, bool kBothPlanes>
void collide_bins(const MarchMatter<T>& matter, const MarchStep& step, const std::array<T*, kMoments>& state,
                  const T* __restrict energy, const MarchScratch<T>& s, T* __restrict gone_energy) {
  const T dz = static_cast<T>(step.dz), scale = static_cast<T>(step.scale), scale_lg = static_cast<T>(step.scale_lg);
  const T whole = static_cast<T>(step.whole);
  const T *__restrict shift = matter.shift, *__restrict straggling = matter.straggling,
          *__restrict scattering = matter.scattering, *__restrict scattering_lg = matter.scattering_lg,
          *__restrict lost = matter.lost, *__restrict lost_energy = matter.lost_energy;
  const T* __restrict number = state[kNumber], * __restrict uu = state[kUU], * __restrict xu = state[kXU], * __restrict xx = state[kXX];
  T* __restrict to_number = s.moved[kNumber], * __restrict to_uu = s.moved[kUU], * __restrict to_xu = s.moved[kXU], * __restrict to_xx = s.moved[kXX];
  T* __restrict w0 = s.weight[0], * __restrict w1 = s.weight[1], * __restrict w2 = s.weight[2], * __restrict w3 = s.weight[3], * __restrict w4 = s.weight[4];
  T* __restrict deposit = s.deposit, * __restrict variance = s.variance, * __restrict gone = s.lost, * __restrict lag = s.lag;
  const T* __restrict landing = energy - step.whole;
  const int low = step.low;
  for (int i = low; i < step.high; ++i) {
    const T n = number[i];
    const T safe = n > T(0) ? n : T(1);
    const T some = n > T(0) ? T(1) : T(0);
    // Edge bins of the window may hold rounding alone.
    const T ratio = uu[i] / safe * some;
    const T above = ratio > T(0) ? ratio : T(0);
    const T before = above < T(kWidest) ? above : T(kWidest);
    T power = scale * scattering[i] + scale_lg * scattering_lg[i];
    power = power > T(0) ? power : T(0);
    // Angles are tangents: their spread grows faster than that of the angle, and by the longer path.
    const T gained = power * dz * (T(1) + T(4.5) * before);
    const T half = before + T(0.5) * gained;
    const T longer = kBothPlanes ? half - half * half : T(0.5) * half - T(0.375) * half * half;
    const T path = dz * (T(1) + longer);

    const T removed = lost[i] * path;
    const T taken = removed - T(0.5) * removed * removed;
    const T kept = T(1) - taken;
    gone[i] = n * taken;
    gone_energy[i - low] = gone[i] * lost_energy[i];

    const T spread = n * gained;
    const T x2 = xx[i] + dz * (T(2) * xu[i] + dz * (uu[i] + spread * T(1.0 / 3.0)));
    // The variance halfway is that of what the step leaves.
    variance[i] = T(0.5) * (xx[i] + x2) / safe * some;
    to_number[i] = kept * n;
    to_xx[i] = kept * x2;
    to_xu[i] = kept * (xu[i] + dz * (uu[i] + T(0.5) * spread));
    to_uu[i] = kept * (uu[i] + spread);

    // Larger angles go longer ways: <u⁴> / <u²> is 3 <u²> of a Gaussian, twice of which is beyond the mean.
    lag[i] = shift[i] * dz * half;
    const T a = shift[i] * path - whole;
    const TapMoments<T, kRule> m(a, straggling[i] * path);
    w0[i] = (m.m4 - m.m2 - T(2) * (m.m3 - a)) * T(1.0 / 24.0);
    w4[i] = (m.m4 - m.m2 + T(2) * (m.m3 - a)) * T(1.0 / 24.0);
    w1[i] = (T(4) * m.m2 - m.m4 - T(4) * a + m.m3) * T(1.0 / 6.0);
    w3[i] = (T(4) * m.m2 - m.m4 + T(4) * a - m.m3) * T(1.0 / 6.0);
    w2[i] = T(1) - (T(5) * m.m2 - m.m4) * T(0.25);
    const T held = energy[i];
    const T given = w0[i] * (held - landing[i + 2]) + w1[i] * (held - landing[i + 1]) + w2[i] * (held - landing[i]) +
                    w3[i] * (held - landing[i - 1]) + w4[i] * (held - landing[i - 2]);
    deposit[i] = to_number[i] * given + gone[i] * (held - lost_energy[i]);
  }
}

template <typename T>
MarchSums collide(const MarchMatter<T>& matter, const MarchStep& step, const std::array<T*, kMoments>& state,
                  const T* energy, const MarchScratch<T>& s) {
  MarchSums sums;
  double deposit[4][kLanes] = {}, lost[kLanes] = {}, lost_energy[kLanes] = {};
  T gone_energy[kBlock];
  for (int first = step.low; first < step.high; first += kBlock) {
    MarchStep part = step;
    part.low = first;
    part.high = first + kBlock < step.high ? first + kBlock : step.high;
    const auto bins = [&]<TapRule kRule>() {
      step.both_planes ? collide_bins<T, kRule, true>(matter, part, state, energy, s, gone_energy)
                       : collide_bins<T, kRule, false>(matter, part, state, energy, s, gone_energy);
    };
    if (step.taps == TapRule::kFive) bins.template operator()<TapRule::kFive>();
    if (step.taps == TapRule::kThree) bins.template operator()<TapRule::kThree>();
    if (step.taps == TapRule::kPositive) bins.template operator()<TapRule::kPositive>();
    const auto add = [&](int i, int k) {
      const double d = static_cast<double>(s.deposit[i]), v = static_cast<double>(s.variance[i]);
      deposit[0][k] += d;
      deposit[1][k] += d * v;
      deposit[2][k] += d * v * v;
      deposit[3][k] += d * v * v * v;
      lost[k] += static_cast<double>(s.lost[i]);
      lost_energy[k] += static_cast<double>(gone_energy[i - first]);
    };
    int i = part.low;
    for (; i + kLanes <= part.high; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) add(i + k, k);
    }
    for (int k = 0; i < part.high; ++i, ++k) add(i, k);
  }
  for (int k = 0; k < kLanes; ++k) {
    for (int power = 0; power < 4; ++power) sums.deposit[static_cast<unsigned>(power)] += deposit[power][k];
    sums.lost += lost[k];
    sums.lost_energy += lost_energy[k];
  }
  return sums;
}

template <typename T>
void shift(const MarchStep& step, const MarchScratch<T>& s, int from, int to, const std::array<T*, kMoments>& state) {
  // Nothing comes from bins outside of low … high - 1.
  for (int k = 1; k <= 2 * kReach; ++k) {
    for (T* moved : s.moved) moved[step.low - k] = moved[step.high - 1 + k] = T(0);
  }
  s.lag[step.low - 1] = s.lag[step.high] = T(0);
  for (const Moment c : {kXX, kXU, kUU}) {
    T* __restrict f = s.moved[c], * __restrict carried = s.carried;
    const T* __restrict lag = s.lag, * __restrict xu = s.moved[kXU], * __restrict uu = s.moved[kUU];
    for (int i = step.low; i < step.high; ++i) {
      if (c != kXX) {
        carried[i] = lag[i] * f[i];
      } else {
        carried[i] = uu[i] > T(0) ? lag[i] * xu[i] * xu[i] / uu[i] : T(0);
      }
    }
    carried[step.low - 1] = carried[step.high] = T(0);
    carried[step.low - 2] = carried[step.high + 1] = T(0);
    for (int i = step.low - 1; i <= step.high; ++i) f[i] += T(0.5) * (carried[i + 1] - carried[i - 1]);
  }
  const T* __restrict w0 = s.weight[0] + step.whole - 2, * __restrict w1 = s.weight[1] + step.whole - 1, * __restrict w2 = s.weight[2] + step.whole, * __restrict w3 = s.weight[3] + step.whole + 1, * __restrict w4 = s.weight[4] + step.whole + 2;
  for (int c = 0; c < kMoments; ++c) {
    const T* __restrict f = s.moved[static_cast<unsigned>(c)] + step.whole;
    T* __restrict out = state[static_cast<unsigned>(c)];
    for (int t = from; t < to; ++t) {
      out[t] = w0[t] * f[t - 2] + w1[t] * f[t - 1] + w2[t] * f[t] + w3[t] * f[t + 1] + w4[t] * f[t + 2];
    }
  }
}

}  // namespace

extern const MarchOps<float> kMarchFloat;
extern const MarchOps<double> kMarchDouble;
const MarchOps<float> kMarchFloat = {collide<float>, shift<float>, dot<float>};
const MarchOps<double> kMarchDouble = {collide<double>, shift<double>, dot<double>};

}  // namespace bb::transport::BB_ISA
