#include "sweep_ops.hpp"

#include <cstring>

namespace bb::transport::BB_ISA {
namespace {

constexpr int kLanes = 8;  // equal for all instruction sets, so that sums do not depend on them
constexpr int kReach = 2;  // neighbours on either side

double dot(const double* a, const double* b, int n) {
  double lane[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lane[k] += a[i + k] * b[i + k];
  }
  double sum = 0.0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const double part : lane) sum += part;
  return sum;
}

void add(double* __restrict to, const double* __restrict from, double weight, int n) {
  for (int i = 0; i < n; ++i) to[i] += weight * from[i];
}

void take(double* __restrict p, const double* __restrict share, double* __restrict taken, int n) {
  for (int i = 0; i < n; ++i) {
    const double gone = p[i] * share[i];
    p[i] -= gone;
    taken[i] += gone;
  }
}

void clear(double* first, int n) { std::memset(first, 0, sizeof(double) * static_cast<unsigned>(n)); }

void slow_down(const BinShifts& shifts, double* __restrict p, int n, double* __restrict before,
               double* __restrict after, int pad) {
  clear(before - kReach, kReach);
  std::memcpy(before, p, sizeof(double) * static_cast<unsigned>(n));
  clear(before + n, kReach);
  clear(after - pad, pad + n + 2);
  const double *__restrict c0 = shifts.flux[0], *__restrict c1 = shifts.flux[1], *__restrict c2 = shifts.flux[2],
                           *__restrict c3 = shifts.flux[3], *__restrict c4 = shifts.flux[4];
  for (int b = 0; b < n; ++b) {
    const double flux = c0[b] * before[b - 2] + c1[b] * before[b - 1] + c2[b] * before[b] + c3[b] * before[b + 1] +
                        c4[b] * before[b + 2];
    const double low = flux > 0.0 ? flux : 0.0;
    p[b] = low < before[b] ? low : before[b];
  }
  if (shifts.same_whole) {
    double* to = after + shifts.whole[0];
    for (int b = 0; b < n; ++b) to[b] += before[b] - p[b];
    for (int b = 0; b < n; ++b) to[b + 1] += p[b];
  } else {
    for (int b = 0; b < n; ++b) {
      double* to = after + b + shifts.whole[b];
      to[0] += before[b] - p[b];
      to[1] += p[b];
    }
  }
  after[-1] = 0.0;  // this content has stopped
  const double* __restrict spread = shifts.spread;
  for (int b = 0; b < n; ++b) before[b] = spread[b] * after[b];
  before[-1] = before[n] = 0.0;
  for (int b = 0; b < n; ++b) p[b] = after[b] - 2.0 * before[b] + before[b - 1] + before[b + 1];
}

void add_both(double* __restrict to, double* __restrict also, const double* __restrict from, double weight,
              double weight_also, int n) {
  for (int i = 0; i < n; ++i) {
    to[i] += weight * from[i];
    also[i] += weight_also * from[i];
  }
}

void react(const BinReactions& of, double share, double share_of_variance, double* __restrict protons,
           double* __restrict variance, int n) {
  for (int i = 0; i < n; ++i) {
    protons[i] += of.share[i] * share * of.protons[i];
    variance[i] += of.share[i] * share_of_variance * of.variance[i];
  }
}

int whole_groups(int n) { return (n + kBinGroup - 1) / kBinGroup * kBinGroup; }

void leave(const BinStep& step, const BinsHeld& held, int n, const BinsHeld& before, double* __restrict sums) {
  const int end = whole_groups(n);
  const double* __restrict keep = step.keep, * __restrict given = step.given;
  for (int k = 0; k < held.moments; ++k) {
    const double* __restrict from = held.row + k * held.stride;
    double* __restrict to = before.row + k * before.stride;
    double lost[kLanes] = {};
    for (int first = 0; first < end; first += kLanes) {
      for (int i = 0; i < kLanes; ++i) to[first + i] = keep[first + i] * from[first + i];
      for (int i = 0; i < kLanes; ++i) lost[i] += to[first + i] * given[first + i];
    }
    double sum = 0.0;
    for (const double each : lost) sum += each;
    sums[k] += sum;
    clear(to + end, step.taps + 2 * kBinGroup);
  }
}

template <int kTaps, bool kAdds>
void land_row(const BinStep& step, const double* __restrict before, int end, double* __restrict to) {
  const int stride = step.stride, taps = kTaps > 0 ? kTaps : step.taps;
  for (int first = 0; first < end; first += kBinGroup) {
    double sum[kBinGroup] = {};
    for (int k = 0; k < taps; ++k) {
      const double* __restrict weight = step.weight + k * stride + first;
      const double* __restrict from = before + step.base + k + first;
      for (int i = 0; i < kBinGroup; ++i) sum[i] += weight[i] * from[i];
    }
    for (int i = 0; i < kBinGroup; ++i) to[first + i] = kAdds ? to[first + i] + sum[i] : sum[i];
  }
}

void land(const BinStep& step, const BinsHeld& before, int n, const BinsHeld& held, bool adds) {
  const int end = whole_groups(n);
  for (int m = 0; m < held.moments; ++m) {
    const double* from = before.row + m * before.stride;
    double* to = held.row + m * held.stride;
    if (step.taps == 5) {
      adds ? land_row<5, true>(step, from, end, to) : land_row<5, false>(step, from, end, to);
    } else {
      adds ? land_row<0, true>(step, from, end, to) : land_row<0, false>(step, from, end, to);
    }
  }
}

}  // namespace

extern const SweepOps kSweepOps;
const SweepOps kSweepOps = {dot, add, take, slow_down, add_both, react, leave, land};

}  // namespace bb::transport::BB_ISA
