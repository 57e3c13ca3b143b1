#pragma once

// The loops over bins that a sweep of secondaries spends its time in, compiled per instruction set.
namespace bb::transport {

/// Downward shift of the content of each bin: whole bins, and weights over five neighbours of the part that goes one bin
/// less; `spread` is half of the variance that straggling adds, bins².
struct BinShifts {
  const int* whole;
  bool same_whole;  // in all bins
  const double* flux[5];
  const double* spread;
};

struct SweepOps {
  /// Σ a·b over n.
  double (*dot)(const double* a, const double* b, int n);
  /// to += weight · from over n.
  void (*add)(double* to, const double* from, double weight, int n);
  /// Takes share · p from p over n, and adds it to `taken`.
  void (*take)(double* p, const double* share, double* taken, int n);
  /// Moves the bins 0 … n - 1 of `p` down. `before` and `after` have room for `pad` bins below 0 and two above n.
  void (*slow_down)(const BinShifts& shifts, double* p, int n, double* before, double* after, int pad);
};

/// The loops for the instruction set that this CPU runs best.
const SweepOps& sweep_ops();

}  // namespace bb::transport
