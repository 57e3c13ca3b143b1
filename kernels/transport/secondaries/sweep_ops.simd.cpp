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

void react(const BinReactions& of, double share, double share_of_variance, double* __restrict protons,
           double* __restrict variance, int n) {
  for (int i = 0; i < n; ++i) {
    protons[i] += of.share[i] * share * of.protons[i];
    variance[i] += of.share[i] * share_of_variance * of.variance[i];
  }
}

/// Doubles of a vector register. Explicit vectors keep the sums of several rows in registers over all taps.
#if defined(__GNUC__)
typedef double Lanes __attribute__((vector_size(sizeof(double) * kLanes), aligned(alignof(double)), may_alias));
#else
struct Lanes {
  double of[kLanes];

  double operator[](int i) const { return of[i]; }
  Lanes& operator+=(const Lanes& other) {
    for (int i = 0; i < kLanes; ++i) of[i] += other.of[i];
    return *this;
  }
};
Lanes operator*(const Lanes& a, const Lanes& b) {
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.of[i] = a.of[i] * b.of[i];
  return out;
}
Lanes operator*(double a, const Lanes& b) {
  Lanes out;
  for (int i = 0; i < kLanes; ++i) out.of[i] = a * b.of[i];
  return out;
}
#endif

Lanes& lanes(double* p) { return *reinterpret_cast<Lanes*>(p); }
const Lanes& lanes(const double* p) { return *reinterpret_cast<const Lanes*>(p); }

constexpr int kParts = kBinGroup / kLanes;  // vectors of a group

void react_rows(const double* share, const double* const* rows, const double* weights, int count, double* protons,
                double* variance, int n) {
  for (int first = 0; first < n; first += kLanes) {
    Lanes number = {}, squares = {};
    for (int r = 0; r < count; ++r) {
      const Lanes row = lanes(rows[r] + first);
      number += weights[2 * r] * row;
      squares += weights[2 * r + 1] * row;
    }
    lanes(protons + first) += lanes(share + first) * number;
    lanes(variance + first) += lanes(share + first) * squares;
  }
}

void add_rows(const BinTable& table, const int* rows, const double* weights, int count, double* to, double* also) {
  const int end = table.ends[rows[0]];
  int filled = count;
  for (int first = 0; first < end; first += kBinGroup) {
    while (table.ends[rows[filled - 1]] <= first) --filled;
    Lanes sum[kParts] = {}, sum_also[kParts] = {};
    for (int r = 0; r < filled; ++r) {
      const double* row = table.first + rows[r] * table.stride + first;
      for (int part = 0; part < kParts; ++part) {
        const Lanes some = lanes(row + part * kLanes);
        sum[part] += weights[2 * r] * some;
        sum_also[part] += weights[2 * r + 1] * some;
      }
    }
    for (int part = 0; part < kParts; ++part) {
      lanes(to + first + part * kLanes) += sum[part];
      lanes(also + first + part * kLanes) += sum_also[part];
    }
  }
}

template <int kRows, bool kAdds>
void advance_rows(const BinStep& step, const BinMove& move, double* sums) {
  const double* from[kRows];
  double* to[kRows];
  for (int r = 0; r < kRows; ++r) {
    from[r] = move.from[r];
    to[r] = move.to[r];
  }
  if (step.given != nullptr) {
    Lanes lost[kRows] = {};
    for (int first = 0; first < move.n; first += kLanes) {
      const Lanes given = lanes(step.given + first);
      for (int r = 0; r < kRows; ++r) lost[r] += given * lanes(from[r] + first);
    }
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kLanes; ++i) sums[r] += lost[r][i];
    }
  }
  const int taps = step.taps, stride = step.stride;
  for (int first = 0; first < move.end; first += kBinGroup) {
    Lanes sum[kRows][kParts] = {};
    const double* weight = step.weight + first;
    int at = first + step.base;
    for (int k = 0; k < taps; ++k, ++at, weight += stride) {
      for (int part = 0; part < kParts; ++part) {
        const Lanes some = lanes(weight + part * kLanes);
        for (int r = 0; r < kRows; ++r) sum[r][part] += some * lanes(from[r] + at + part * kLanes);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int part = 0; part < kParts; ++part) {
        Lanes& out = lanes(to[r] + first + part * kLanes);
        if constexpr (kAdds) {
          out += sum[r][part];
        } else {
          out = sum[r][part];
        }
      }
    }
  }
}

void advance(const BinStep& step, const BinMove& move, bool adds, double* sums) {
  const auto rows = [&]<int kRows>() {
    adds ? advance_rows<kRows, true>(step, move, sums) : advance_rows<kRows, false>(step, move, sums);
  };
  switch (move.rows) {
    case 1:
      return rows.template operator()<1>();
    case 2:
      return rows.template operator()<2>();
    case 3:
      return rows.template operator()<3>();
    default:
      return rows.template operator()<kRowsTogether>();
  }
}

}  // namespace

extern const SweepOps kSweepOps;
const SweepOps kSweepOps = {dot, add, take, slow_down, add_rows, react, react_rows, advance};

}  // namespace bb::transport::BB_ISA
