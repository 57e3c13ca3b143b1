#pragma once

// Loops over bins in which a sweep of secondaries spends its time, compiled per instruction set.
namespace bb::transport {

/// Downward shift of the content of each bin: whole bins, and weights over five neighbours for the part that moves one
/// bin less. `spread` is half of the variance from straggling, bins².
struct BinShifts {
  const int* whole;
  bool same_whole;  // equal in all bins
  const double* flux[5];
  const double* spread;
};

/// Bins per group. Rows may be written up to the end of the last group with content.
inline constexpr int kBinGroup = 16;
/// Padding bins at either end of a row, which are zero.
inline constexpr int kBinPad = 16;
/// Maximum number of rows that advance together. They share the loads of a step's weights.
inline constexpr int kRowsTogether = 4;

/// A step as a band matrix: bin t receives weight[k · stride + t] times the content of bin t + base + k, for each k <
/// taps.
struct BinStep {
  const double* weight;
  int stride, taps, base;
  const double* given;  // MeV that each proton of a bin deposits; null: none
};

/// Rows before and after a step. Content ends before bin `n`; only the bins up to `end` receive content.
struct BinMove {
  const double* const* from;
  double* const* to;
  int rows, n, end;
};

/// For each bin: the share that reacts, the protons, and the row for the variance of the reacting protons.
struct BinReactions {
  const double *share, *protons, *variance;
};

/// Rows of bins. Each row is zero from its end on; ends do not decrease from row to row.
struct BinTable {
  const double* first;
  int stride;
  const int* ends;
};

struct SweepOps {
  /// Returns Σ a·b over n values.
  double (*dot)(const double* a, const double* b, int n);
  /// Adds weight · from to `to`, over n values.
  void (*add)(double* to, const double* from, double weight, int n);
  /// Moves share · p from `p` to `taken`, over n values.
  void (*take)(double* p, const double* share, double* taken, int n);
  /// Moves the bins 0 … n - 1 of `p` down. `before` and `after` have room for `pad` bins below 0 and two above n.
  void (*slow_down)(const BinShifts& shifts, double* p, int n, double* before, double* after, int pad);
  /// Adds multiples of some rows, from the highest to the lowest, to two rows. `weights`: two for each of these rows.
  void (*add_rows)(const BinTable& table, const int* rows, const double* weights, int count, double* to, double* also);
  /// Adds the reacting part of n bins to `protons` and `variance`, each with its own weight.
  void (*react)(const BinReactions& of, double weight, double weight_of_variance, double* protons, double* variance,
                int n);
  /// Adds the reacting part of `count` rows to `protons` and `variance`. `weights`: two for each row.
  void (*react_rows)(const double* share, const double* const* rows, const double* weights, int count, double* protons,
                     double* variance, int n);
  /// Moves the content of at most kRowsTogether rows down into other rows, which it replaces unless `adds` is true. Adds
  /// the deposited MeV to `sums`, by row. Rows can be read, and are zero, up to the taps of the last group.
  void (*advance)(const BinStep& step, const BinMove& move, bool adds, double* sums);
};

/// The loops for the best instruction set of this CPU.
const SweepOps& sweep_ops();

}  // namespace bb::transport
