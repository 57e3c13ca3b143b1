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
/// Padding bins at either end of a row of BinsHeld, which are zero.
inline constexpr int kBinPad = 16;

/// Rows of bins, one per moment of their content.
struct BinsHeld {
  double* row;
  int stride, moments;
};

/// A step as a band matrix: bin t receives weight[k · stride + t] times the content of bin t + base + k, for each k <
/// taps.
struct BinStep {
  const double* weight;
  int stride, taps, base;
  const double* keep;   // share of a bin's content that does not react
  const double* given;  // MeV that each proton of a bin deposits
};

/// For each bin: the share that reacts, the protons, and the row for the variance of the reacting protons.
struct BinReactions {
  const double *share, *protons, *variance;
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
  /// Adds two multiples of one row to two rows.
  void (*add_both)(double* to, double* also, const double* from, double weight, double weight_also, int n);
  /// Adds the reacting part of n bins to `protons` and `variance`, each with its own weight.
  void (*react)(const BinReactions& of, double weight, double weight_of_variance, double* protons, double* variance,
                int n);
  /// Fills `before` with the content of n bins that does not react, and adds the deposited MeV to `sums`, by row.
  /// `before` has room for the taps and two groups after its last bin.
  void (*leave)(const BinStep& step, const BinsHeld& held, int n, const BinsHeld& before, double* sums);
  /// Moves the content of `before` down into the lowest n bins of `held`, which it replaces unless `adds` is true.
  void (*land)(const BinStep& step, const BinsHeld& before, int n, const BinsHeld& held, bool adds);
};

/// The loops for the best instruction set of this CPU.
const SweepOps& sweep_ops();

}  // namespace bb::transport
