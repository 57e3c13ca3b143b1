#pragma once

#include <cmath>

#include "physics/hd.hpp"
#include "physics/stopping_view.hpp"
#include "transport/model/step_model.hpp"

// Inputs, bins and planes of the march of one beam. Included by nvcc, by NVRTC and by the host, so it includes no
// standard header but <cmath>. Loops over a lane's values are unrolled to keep the values in registers.
#if defined(__CUDACC__) && defined(_MSC_VER)
#define BB_UNROLL __pragma(unroll)
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define BB_UNROLL _Pragma("unroll")
#else
#define BB_UNROLL
#endif

namespace bb::transport::beam_march {

/// Beam parameters of a march. Spots that differ only in x and weight are marched as one beam.
struct BeamInput {
  double energy, energy_sigma;  // MeV
  double angle_sigma;           // rad
  double x_sigma, focus;        // mm
};

struct LayerInput {
  int material;
  double from, to;  // mm of depth
};

struct MaterialInput {
  physics::StoppingView table;
  double density, z_over_a, x0, xs;
};

/// A problem without its beam parameters. Material 0 is water.
struct MarchInput {
  const MaterialInput* materials;
  const LayerInput* layers;
  int layer_count;
  double entrance, depth;  // mm
  double cutoff;           // MeV
  Scattering scattering;
  Straggling straggling;
  bool attenuation;
};

/// Components of a plane's row. Those up to kBinSteps are sums over the steps before the plane.
enum Component {
  kDeposit,    // MeV
  kDepositX2,  // MeV times powers 1 to 3 of the variance of x (mm²)
  kDepositX4,
  kDepositX6,
  kLost,            // protons
  kLostEnergy,      // MeV
  kStopped,         // protons
  kPassed,          // protons times mm
  kBinSteps,        // number of bins with protons, summed over the steps
  kInFlightNumber,  // state: protons, then protons times the means of u², x u and x²
  kInFlightUU,
  kInFlightXU,
  kInFlightXX,
  kInFlightEnergyNow,  // MeV
  kDepth,              // mm
  kUnusedComponent,
  kComponents
};
inline constexpr int kSummed = kInFlightNumber;  // components below are sums

/// Outcome of a march.
enum class MarchEnd : int { kDone, kTooWide, kTooManyPlanes, kTooManyBins };

/// Planes of a beam, in memory that all lanes access.
struct PlaneStore {
  double* rows;      // [capacity][kComponents]
  int capacity;      // planes
  int* layer_begin;  // [layers + 2] first plane of each crossed layer, then the number of planes
};

struct MarchOutcome {
  MarchEnd end;
  int planes, layers;   // crossed layers
  double energy_in;     // MeV
  double min_over_max;  // ratio for the contents of bins, sampled every kSampled steps
};

inline constexpr int kTableArrays = 8;
inline constexpr int kSampled = 8;
inline constexpr int kGuard = 16;  // additional bins above those of a beam

/// Bins beyond those of the axis that a team of lanes with `slots` bins in total may read.
BB_HD constexpr int table_pad(int slots, int of_lane) { return slots / 2 + 2 * of_lane + 8; }
/// Values in each table of a beam.
BB_HD constexpr int table_bins(int grid_bins, int slots, int of_lane) {
  return grid_bins + kGuard + 2 * table_pad(slots, of_lane);
}

namespace detail {

// Most of these constants equal those in kernels/transport/moments/march.cpp, which explains them.
inline constexpr double kBinPerSigma = 0.3;
inline constexpr int kMinSteps = 6;
inline constexpr int kLowest = 32;
inline constexpr int kSettling = 12;
inline constexpr int kPathParts = 4;
inline constexpr int kMeans = 8;  // bins whose mean energy differs from that at their centre
inline constexpr int kMeanReach = 2;
inline constexpr double kMeaningful = 1e-3;
inline constexpr double kMinShareLeft = 1e-10;
inline constexpr double kWidest = 0.25;    // rad²
inline constexpr double kTimesMean = 8.0;  // largest variance of x of a bin, relative to the mean
inline constexpr double kBeamSigmas = 5.0;
inline constexpr double kRounding = 1e-9;  // bins

/// A bin with fewer protons is emptied: its protons stop.
template <typename T>
BB_HD constexpr T least_content() {
  return sizeof(T) == sizeof(float) ? T(1e-9) : T(1e-14);
}

BB_HD inline double cubic_share(double distance) {
  const double t = distance < 0.0 ? -distance : distance;
  if (t < 1.0) return (1.0 - t * t) * (2.0 - t) / 2.0;
  return t < 2.0 ? (1.0 - t) * (2.0 - t) * (3.0 - t) / 6.0 : 0.0;
}

BB_HD inline double normal_share(double sigmas) { return 0.5 * erfc(-sigmas * 0.70710678118654752440); }

template <typename V>
BB_HD inline V least(V a, V b) {
  return a < b ? a : b;
}
template <typename V>
BB_HD inline V most(V a, V b) {
  return a < b ? b : a;
}

}  // namespace detail

/// Range bins of a beam, whose energy is at the centre of bin `start`.
struct BeamBins {
  double bottom, step;  // g/cm²
  int start, count;     // count: bins for the energy spread included, guard bins excluded

  BB_HD BeamBins(const MarchInput& p, const BeamInput& beam) {
    const physics::StoppingView& water = p.materials[0].table;
    const double range = water.range(beam.energy), range_mm = 10.0 * range;
    const double wanted = detail::kBinPerSigma * 0.12 * pow(range, 0.935);
    step = 0.1 * range_mm / (ceil(range_mm / wanted) - 0.5);
    const double lowest = detail::most(water.range(p.cutoff) - 0.5 * step, detail::kRounding * step);
    start = static_cast<int>(floor((range - lowest) / step));
    bottom = range - start * step;
    const double top = beam.energy + detail::kBeamSigmas * beam.energy_sigma;
    const double above = beam.energy_sigma > 0.0 ? ceil((water.range(top) - range) / step - 1e-9) : 0.0;
    count = start + 1 + static_cast<int>(above);
  }
};

/// A team of one lane, for the host.
struct OneLane {
  static constexpr int kLanes = 1;

  /// Components of a plane.
  struct Rows {
    double all[kComponents] = {};

    template <typename T>
    BB_HD void add(const OneLane&, const T (&values)[kComponents]) {
      for (int c = 0; c < kComponents; ++c) all[c] = static_cast<double>(values[c]) + (c < kSummed ? all[c] : 0.0);
    }
    BB_HD double get(const OneLane&, int c) const { return all[c]; }
    BB_HD void add_one(const OneLane&, int c, double value) { all[c] += value; }
    BB_HD void set_one(const OneLane&, int c, double value) { all[c] = value; }
    BB_HD void store(const OneLane&, double* row) const {
      for (int c = 0; c < kComponents; ++c) row[c] = all[c];
    }
  };

  BB_HD static int lane() { return 0; }
  BB_HD static void sync() {}
  template <typename V>
  BB_HD static V sum(V v) {
    return v;
  }
  template <typename V>
  BB_HD static V largest(V v) {
    return v;
  }
  template <typename V>
  BB_HD static V from_below(V) {
    return V(0);
  }
  template <typename V>
  BB_HD static V from_above(V) {
    return V(0);
  }
  template <typename F>
  BB_HD static auto mean_of_parts(const F& part) {
    auto sum = part(0);
    for (int k = 1; k < detail::kPathParts; ++k) sum += part(k);
    return sum / detail::kPathParts;
  }
};

}  // namespace bb::transport::beam_march
