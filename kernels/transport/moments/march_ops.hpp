#pragma once

#include <array>

// Loops over the bins of one plane in the march of moments, compiled per instruction set.
namespace bb::transport {

/// Moments of a bin's protons: number, and number times the means of u², x u and x². u is the tangent of the plane
/// angle, x is in mm.
enum Moment { kNumber, kUU, kXU, kXX, kMoments };

/// Additional bins on either side of the range grid. Five taps reach two bins beyond a shift of at most three.
inline constexpr int kMarchPad = 8;
inline constexpr int kTaps = 5;
/// Loops run over whole groups of bins, because the scalar loop after the last vector would need as long as the vectors.
/// Arrays have twice as many further bins at their end, which can be read and written and have no content.
inline constexpr int kMarchGroup = 16;

/// Coefficients per bin, for a proton in the middle of a step. Each array can be read kMarchPad bins beyond its ends.
template <typename T>
struct MarchMatter {
  const T* shift;          // bins per mm of path
  const T* straggling;     // bins² per mm
  const T* scattering;     // rad² per mm, multiplied by MarchStep::scale
  const T* scattering_lg;  // rad² per mm times lg pv, multiplied by MarchStep::scale_lg
  const T* lost;           // share of the protons per mm that reactions remove
  const T* lost_energy;    // MeV per removed proton
};

/// Rule for the weights of the taps to which a bin's content moves. Their mean and variance are preserved, and with
/// five taps the skewness and kurtosis of a Gaussian. kPositive, without straggling, has no negative weights; its
/// variance is at least the minimum for this.
enum class TapRule { kFive, kThree, kPositive };

struct MarchStep {
  double dz = 0;                   // mm
  double scale = 0, scale_lg = 0;  // factors of the scattering power
  int whole = 0;                   // bins by which all content falls
  double widest = 0;               // mm²: upper limit of a bin's variance of x
  bool both_planes = false;        // path includes the angles out of the solver's plane
  TapRule taps = TapRule::kFive;
  int low = 0, high = 0;  // bins low … high - 1 have content
};

/// Scratch of a step: arrays with kMarchPad additional bins at both ends.
template <typename T>
struct MarchScratch {
  std::array<T*, kMoments> moved;  // moments after streaming, before the shift
  std::array<T*, kTaps> weight;    // weights of the bins `whole` - 2 … `whole` + 2 further down
  T* lag;                          // additional bins by which moments weighted by u² fall
  T *deposit, *variance, *lost;    // of each bin in this step: MeV, mm², protons
  T* carried;                      // internal to the loops, for one moment
};

/// Sums over the bins of a step.
struct MarchSums {
  std::array<double, 4> deposit{};  // MeV, then MeV times powers 1 to 3 of the variance of x
  double lost = 0, lost_energy = 0;
};

/// Sums over the bins of a state.
struct MarchState {
  std::array<double, kMoments> sums{};
  double energy = 0;           // MeV
  double most = 0, least = 0;  // largest and most negative number in a bin
};

template <typename T>
struct MarchOps {
  /// Scatters and streams each bin and computes its deposit and losses; fills the scratch.
  MarchSums (*collide)(const MarchMatter<T>& matter, const MarchStep& step, const std::array<T*, kMoments>& state,
                       const T* energy, const MarchScratch<T>& scratch);
  /// Moves the content down into bins `from` to `to` - 1 of `state`.
  void (*shift)(const MarchStep& step, const MarchScratch<T>& scratch, int from, int to,
                const std::array<T*, kMoments>& state);
  MarchState (*measure)(const std::array<T*, kMoments>& state, const T* energy, int low, int high);
};

/// The loops for the best instruction set of this CPU.
template <typename T>
const MarchOps<T>& march_ops();

}  // namespace bb::transport
