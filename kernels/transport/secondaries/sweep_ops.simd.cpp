#include "sweep_ops.hpp"

#include <cstring>

namespace bb::transport::BB_ISA {
namespace {

constexpr int kLanes = 8;  // the same in every copy: sums do not depend on the instruction set
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
  after[-1] = 0.0;  // has stopped
  const double* __restrict spread = shifts.spread;
  for (int b = 0; b < n; ++b) before[b] = spread[b] * after[b];
  before[-1] = before[n] = 0.0;
  for (int b = 0; b < n; ++b) p[b] = after[b] - 2.0 * before[b] + before[b - 1] + before[b + 1];
}

}  // namespace

extern const SweepOps kSweepOps;
const SweepOps kSweepOps = {dot, add, take, slow_down};

}  // namespace bb::transport::BB_ISA
