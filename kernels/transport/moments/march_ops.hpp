#pragma once

#include <array>

// One plane of the march of moments, compiled per instruction set.
namespace bb::transport {

/// Moments of a bin's protons: number, and number times the means of u², x u and x², with u the tangent of the plane
/// angle and x in mm.
enum Moment { kNumber, kUU, kXU, kXX, kMoments };

/// Bins on either side of those of the range grid: five taps reach two bins beyond a shift of at most three.
inline constexpr int kMarchPad = 8;
inline constexpr int kTaps = 5;

/// Per bin: where a proton of the bin is in the middle of a step. Each array may be read kMarchPad bins beyond its ends.
template <typename T>
struct MarchMatter {
  const T* shift;          // bins per mm of path
  const T* straggling;     // bins² per mm
  const T* scattering;     // rad² per mm, times MarchStep::scale
  const T* scattering_lg;  // the same times lg pv, times MarchStep::scale_lg
  const T* lost;           // share per mm that reactions remove
  const T* lost_energy;    // MeV that leaves with each of them
};

/// Moments of the taps that a bin's content lands on: mean and variance, and with five taps skewness and kurtosis of a
/// Gaussian. Without straggling no weight may be negative, and the variance is no less than that needs.
enum class TapRule { kFive, kThree, kPositive };

struct MarchStep {
  double dz = 0;                   // mm
  double scale = 0, scale_lg = 0;  // of the scattering power
  int whole = 0;                   // bins by which all content moves down
  bool both_planes = false;        // path includes the angles across the plane of the solver
  TapRule taps = TapRule::kFive;
  int low = 0, high = 0;  // bins low … high - 1 hold content
};

/// Scratch of a step, arrays with kMarchPad bins to spare.
template <typename T>
struct MarchScratch {
  std::array<T*, kMoments> moved;  // moments behind streaming, before the shift
  std::array<T*, kTaps> weight;    // of landing `whole` - 2 … `whole` + 2 bins further down
  T* lag;                          // bins by which what weighs with u² falls behind the number
  T *deposit, *variance, *lost;    // MeV, mm², protons of each bin in this step
  T* carried;                      // of one moment, for the loops' own use
};

/// Sums over the bins of a step.
struct MarchSums {
  std::array<double, 4> deposit{};  // MeV, and MeV times powers 1 to 3 of the variance of x
  double lost = 0, lost_energy = 0;
};

/// Sums over the bins of a state.
struct MarchState {
  std::array<double, kMoments> sums{};
  double energy = 0;           // MeV
  double most = 0, least = 0;  // largest number in a bin, and the most negative one
};

template <typename T>
struct MarchOps {
  /// Scatters, streams, and finds what each bin leaves behind; fills the scratch.
  MarchSums (*collide)(const MarchMatter<T>& matter, const MarchStep& step, const std::array<T*, kMoments>& state,
                       const T* energy, const MarchScratch<T>& scratch);
  /// Moves the content down into bins from - … to - 1 of `state`.
  void (*shift)(const MarchStep& step, const MarchScratch<T>& scratch, int from, int to,
                const std::array<T*, kMoments>& state);
  MarchState (*measure)(const std::array<T*, kMoments>& state, const T* energy, int low, int high);
};

/// The loops for the instruction set that this CPU runs best.
template <typename T>
const MarchOps<T>& march_ops();

}  // namespace bb::transport
