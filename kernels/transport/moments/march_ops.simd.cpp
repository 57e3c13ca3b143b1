#include "march_ops.hpp"

// GCC drops `__restrict` when it inlines a function, and then does not vectorize loops over more than a few arrays.
#ifdef __clang__
#define BB_INDEPENDENT
#else
#define BB_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace bb::transport::BB_ISA {
namespace {

constexpr int kLanes = 8;         // equal for all instruction sets, so that sums do not depend on them
constexpr int kReach = 2;         // reach of the taps in bins, beyond the whole shift
constexpr int kBlock = 256;       // bins per block, whole groups
constexpr double kWidest = 0.25;  // rad²: upper limit of a bin's mean square angle

/// Number of bins in the groups that contain `n` bins.
template <int kGroup>
int whole_groups(int n) {
  return (n + kGroup - 1) & -kGroup;
}

template <typename T>
MarchState measure(const std::array<T*, kMoments>& state, const T* energy, int low, int high) {
  double sum[kMoments][kLanes] = {}, held[kLanes] = {}, most[kLanes] = {}, least[kLanes] = {};
  const T *number = state[kNumber], *uu = state[kUU], *xu = state[kXU], *xx = state[kXX];
  const auto add = [&](int i, int k) {
    const double n = static_cast<double>(number[i]);
    sum[kNumber][k] += n;
    sum[kUU][k] += static_cast<double>(uu[i]);
    sum[kXU][k] += static_cast<double>(xu[i]);
    sum[kXX][k] += static_cast<double>(xx[i]);
    held[k] += n * static_cast<double>(energy[i]);
    most[k] = most[k] < n ? n : most[k];
    least[k] = n < least[k] ? n : least[k];
  };
  for (int i = low; i < high; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) add(i + k, k);
  }
  MarchState out;
  for (int k = 0; k < kLanes; ++k) {
    for (unsigned c = 0; c < kMoments; ++c) out.sums[c] += sum[c][k];
    out.energy += held[k];
    out.most = out.most < most[k] ? most[k] : out.most;
    out.least = least[k] < out.least ? least[k] : out.least;
  }
  return out;
}

template <typename T, TapRule kRule, bool kBothPlanes>
void collide_bins(const MarchMatter<T>& matter, const MarchStep& step, const std::array<T*, kMoments>& state,
                  const T* __restrict energy, const MarchScratch<T>& s, T* __restrict gone_energy) {
  const T dz = static_cast<T>(step.dz), scale = static_cast<T>(step.scale), scale_lg = static_cast<T>(step.scale_lg);
  const T whole = static_cast<T>(step.whole), widest = static_cast<T>(step.widest);
  const T *__restrict shift = matter.shift, *__restrict straggling = matter.straggling,
          *__restrict scattering = matter.scattering, *__restrict scattering_lg = matter.scattering_lg,
          *__restrict lost = matter.lost, *__restrict lost_energy = matter.lost_energy;
  const T* __restrict number = state[kNumber], * __restrict uu = state[kUU], * __restrict xu = state[kXU], * __restrict xx = state[kXX];
  T* __restrict to_number = s.moved[kNumber], * __restrict to_uu = s.moved[kUU], * __restrict to_xu = s.moved[kXU], * __restrict to_xx = s.moved[kXX];
  T* __restrict w0 = s.weight[0], * __restrict w1 = s.weight[1], * __restrict w2 = s.weight[2], * __restrict w3 = s.weight[3], * __restrict w4 = s.weight[4];
  T* __restrict deposit = s.deposit, * __restrict variance = s.variance, * __restrict gone = s.lost, * __restrict lag = s.lag;
  const T* __restrict landing = energy - step.whole;
  const int low = step.low, bins = whole_groups<kMarchGroup>(step.high - low);
  BB_INDEPENDENT
  for (int bin = 0; bin < bins; ++bin) {
    const int i = low + bin;
    const T n = number[i];
    // Content narrower than a bin has negative weights in some bins, which preserve its mean and variance. Sums of
    // squares are negative in these bins too.
    const T each = n != T(0) ? T(1) / (n != T(0) ? n : T(1)) : T(0);
    const T ratio = uu[i] * each;
    const T above = ratio > T(0) ? ratio : T(0);
    const T before = above < T(kWidest) ? above : T(kWidest);
    T power = scale * scattering[i] + scale_lg * scattering_lg[i];
    power = power > T(0) ? power : T(0);
    // u is a tangent: its variance grows faster than that of the angle, and over a longer path.
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
    // The step's deposit has the mean variance over the step. The ratio is arbitrary in bins with only rounding errors.
    const T mean = xx[i] + dz * (xu[i] + dz * (uu[i] * T(1.0 / 3.0) + spread * T(1.0 / 12.0)));
    const T wide = mean * each;
    variance[i] = wide < T(0) ? T(0) : wide < widest ? wide : widest;
    to_number[i] = kept * n;
    to_xx[i] = kept * x2;
    to_xu[i] = kept * (xu[i] + dz * (uu[i] + T(0.5) * spread));
    to_uu[i] = kept * (uu[i] + spread);

    // Paths are longer at larger angles. For a Gaussian, <u⁴> / <u²> is 3 <u²>, which exceeds the mean by 2 <u²>.
    lag[i] = shift[i] * dz * half;
    // Moments 2 to 4 of taps with mean `a` and variance `v`.
    const T a = shift[i] * path - whole, square = a * a, v = straggling[i] * path;
    T m2 = v + square, m3 = a, m4 = m2;
    if constexpr (kRule == TapRule::kFive) {
      m3 = a * (square + T(3) * v);
      m4 = square * square + T(6) * square * v + T(3) * v * v;
    }
    if constexpr (kRule == TapRule::kPositive) {
      const T least = a < T(0) ? -a : a;
      m2 = m4 = m2 < least ? least : m2;
    }
    w0[i] = (m4 - m2 - T(2) * (m3 - a)) * T(1.0 / 24.0);
    w4[i] = (m4 - m2 + T(2) * (m3 - a)) * T(1.0 / 24.0);
    w1[i] = (T(4) * m2 - m4 - T(4) * a + m3) * T(1.0 / 6.0);
    w3[i] = (T(4) * m2 - m4 + T(4) * a - m3) * T(1.0 / 6.0);
    w2[i] = T(1) - (T(5) * m2 - m4) * T(0.25);
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
    for (int i = part.low; i < part.high; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) add(i + k, k);
    }
  }
  for (int k = 0; k < kLanes; ++k) {
    for (int power = 0; power < 4; ++power) sums.deposit[static_cast<unsigned>(power)] += deposit[power][k];
    sums.lost += lost[k];
    sums.lost_energy += lost_energy[k];
  }
  return sums;
}

/// Moves a moment weighted by u² down by its lag, to first order, with a derivative over the bins.
template <typename T, typename Carried>
void fall_behind(const MarchStep& step, const MarchScratch<T>& s, T* __restrict f, const Carried& carried_of) {
  T* __restrict carried = s.carried;
  const int low = step.low, bins = whole_groups<kMarchGroup>(step.high - low), end = low + bins;
  BB_INDEPENDENT
  for (int bin = 0; bin < bins; ++bin) carried[low + bin] = carried_of(low + bin);
  carried[low - 1] = carried[end] = carried[low - 2] = carried[end + 1] = T(0);
  BB_INDEPENDENT
  for (int bin = 0; bin < bins; ++bin) f[low + bin] += T(0.5) * (carried[low + bin + 1] - carried[low + bin - 1]);
  f[low - 1] += T(0.5) * carried[low];
  f[end] -= T(0.5) * carried[end - 1];
}

template <typename T>
void shift(const MarchStep& step, const MarchScratch<T>& s, int from, int to, const std::array<T*, kMoments>& state) {
  // Bins outside low … high - 1 contribute nothing.
  constexpr int kBeyond = kMarchGroup + 2 * kReach;
  for (T* moved : s.moved) {
    for (int k = 1; k <= 2 * kReach; ++k) moved[step.low - k] = T(0);
    for (int k = 0; k < kBeyond; ++k) moved[step.high + k] = T(0);
  }
  T *const uu = s.moved[kUU], *const xu = s.moved[kXU], *const xx = s.moved[kXX];
  const T* const lag = s.lag;
  fall_behind(step, s, xx, [=](int i) {
    const T square = xu[i] * xu[i], over = uu[i] > T(0) ? uu[i] : T(1);
    return uu[i] > T(0) ? lag[i] * square / over : T(0);
  });
  fall_behind(step, s, xu, [=](int i) { return lag[i] * xu[i]; });
  fall_behind(step, s, uu, [=](int i) { return lag[i] * uu[i]; });
  const T* __restrict w0 = s.weight[0] + step.whole - 2, * __restrict w1 = s.weight[1] + step.whole - 1, * __restrict w2 = s.weight[2] + step.whole, * __restrict w3 = s.weight[3] + step.whole + 1, * __restrict w4 = s.weight[4] + step.whole + 2;
  const T *f0 = s.moved[0] + step.whole, *f1 = s.moved[1] + step.whole, *f2 = s.moved[2] + step.whole,
          *f3 = s.moved[3] + step.whole;
  T *out0 = state[0], *out1 = state[1], *out2 = state[2], *out3 = state[3];
  const int bins = whole_groups<kMarchGroup>(to - from);
  BB_INDEPENDENT
  for (int bin = 0; bin < bins; ++bin) {
    const int t = from + bin;
    const auto land = [&](const T* f) {
      return w0[t] * f[t - 2] + w1[t] * f[t - 1] + w2[t] * f[t] + w3[t] * f[t + 1] + w4[t] * f[t + 2];
    };
    out0[t] = land(f0);
    out1[t] = land(f1);
    out2[t] = land(f2);
    out3[t] = land(f3);
  }
}

}  // namespace

extern const MarchOps<float> kMarchFloat;
extern const MarchOps<double> kMarchDouble;
const MarchOps<float> kMarchFloat = {collide<float>, shift<float>, measure<float>};
const MarchOps<double> kMarchDouble = {collide<double>, shift<double>, measure<double>};

}  // namespace bb::transport::BB_ISA
