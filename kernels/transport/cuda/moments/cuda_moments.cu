#include "cuda_moments.hpp"

#include "transport/cuda/cuda_common.cuh"

// Moments of beams in layered matter. A warp marches a beam with its bins in registers, and lanes exchange neighbours
// by shuffles. A plane is summed by a butterfly, after which each pair of lanes has one of its sums. Then a thread
// reads the rows of a beam.
namespace bb::transport::beam_march {

struct WarpLanes {
  static constexpr int kLanes = 32;

  /// Components of a plane: lanes 2c and 2c + 1 have component c.
  struct Rows {
    double mine = 0.0;

    template <typename T>
    __device__ void add(const WarpLanes& team, const T (&values)[kComponents]) {
      T part[kComponents];
#pragma unroll
      for (int c = 0; c < kComponents; ++c) part[c] = values[c];
#pragma unroll
      for (int half = kComponents / 2, lanes = 16; half > 0; half /= 2, lanes /= 2) {
        const bool upper = (team.lane() & lanes) != 0;
#pragma unroll
        for (int c = 0; c < half; ++c) {
          const T given = upper ? part[c] : part[c + half];
          part[c] = (upper ? part[c + half] : part[c]) + __shfl_xor_sync(kWholeWarp, given, lanes);
        }
      }
      const T sum = part[0] + __shfl_xor_sync(kWholeWarp, part[0], 1);
      mine = static_cast<double>(sum) + (component(team) < kSummed ? mine : 0.0);
    }
    __device__ double get(const WarpLanes&, int c) const { return __shfl_sync(kWholeWarp, mine, 2 * c); }
    __device__ void add_one(const WarpLanes& team, int c, double value) { mine += component(team) == c ? value : 0.0; }
    __device__ void set_one(const WarpLanes& team, int c, double value) { mine = component(team) == c ? value : mine; }
    __device__ void store(const WarpLanes& team, double* row) const {
      if (team.lane() % 2 == 0) row[component(team)] = mine;
    }

   private:
    __device__ static int component(const WarpLanes& team) { return team.lane() / 2; }
  };

  __device__ int lane() const { return static_cast<int>(threadIdx.x) % kLanes; }
  __device__ void sync() const { __syncwarp(); }
  template <typename V>
  __device__ V sum(V v) const {
    for (int lanes = 16; lanes > 0; lanes /= 2) v += __shfl_xor_sync(kWholeWarp, v, lanes);
    return v;
  }
  template <typename V>
  __device__ V largest(V v) const {
    for (int lanes = 16; lanes > 0; lanes /= 2) v = detail::most(v, __shfl_xor_sync(kWholeWarp, v, lanes));
    return v;
  }
  template <typename V>
  __device__ V from_below(V v) const {
    const V got = __shfl_up_sync(kWholeWarp, v, 1);
    return lane() == 0 ? V(0) : got;
  }
  template <typename V>
  __device__ V from_above(V v) const {
    const V got = __shfl_down_sync(kWholeWarp, v, 1);
    return lane() == kLanes - 1 ? V(0) : got;
  }
  template <typename F>
  __device__ auto mean_of_parts(const F& part) const {
    auto sum = part(lane() % detail::kPathParts);
    for (int lanes = detail::kPathParts / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kWholeWarp, sum, lanes);
    return sum / detail::kPathParts;
  }
};

template <typename T, int kSlots>
__device__ void march_beams(const MarchInput& p, const MomentsBeams<T>& b) {
  extern __shared__ double shared[];
  const WarpLanes team;
  const int warp = static_cast<int>(threadIdx.x) / WarpLanes::kLanes;
  T* tables = reinterpret_cast<T*>(shared) + warp * kTableArrays * b.table_size;
  const int warps = static_cast<int>(gridDim.x) * kMomentsWarps;
  for (int beam = static_cast<int>(blockIdx.x) * kMomentsWarps + warp; beam < b.count; beam += warps) {
    const long long place = b.planes_by_beam ? beam : beam % warps;
    const PlaneStore planes{b.planes + place * b.capacity * kComponents, b.capacity,
                            b.layer_begin + place * (p.layer_count + 2)};
    BeamMarch<T, kSlots, WarpLanes> march(team, p, b.beams[beam], tables, b.table_size, planes);
    const MarchOutcome outcome = march.run();
    __syncwarp();
    if (team.lane() == 0) {
      b.outcomes[beam] = outcome;
      b.readouts[beam] = begin_readouts(planes, outcome);
    }
    if (b.dose == nullptr || outcome.end == MarchEnd::kTooManyBins) continue;
    fill_rows(team, planes, outcome, b.rows_of(beam));
    __syncwarp();
  }
}

}  // namespace bb::transport::beam_march

namespace bb::transport {

// NVRTC compiles each line ..._ENTRY(...) separately when a run needs its kernel. `blocks` is per multiprocessor: on an
// H200, more blocks spill registers and need a third more time.
#define BB_MOMENTS_ENTRY(name, T, slots, blocks)                                                     \
  extern "C" __global__ void __launch_bounds__(32 * kMomentsWarps, blocks) transport_moments_##name( \
      const __grid_constant__ beam_march::MarchInput p, const __grid_constant__ MomentsBeams<T> b) { \
    beam_march::march_beams<T, slots>(p, b);                                                         \
  }
BB_MOMENTS_ENTRY(2_f32, float, 2, 3)
BB_MOMENTS_ENTRY(2_f64, double, 2, 2)
BB_MOMENTS_ENTRY(4_f32, float, 4, 3)
BB_MOMENTS_ENTRY(4_f64, double, 4, 2)
BB_MOMENTS_ENTRY(8_f32, float, 8, 2)
BB_MOMENTS_ENTRY(8_f64, double, 8, 2)

#define BB_MOMENTS_READOUTS_ENTRY(name, T)                                                           \
  extern "C" __global__ void __launch_bounds__(kReadoutThreads)                                      \
      transport_moments_readouts_##name(const __grid_constant__ MomentsBeams<T> b) {                 \
    const int beam = static_cast<int>(blockIdx.x) * kReadoutThreads + static_cast<int>(threadIdx.x); \
    if (beam >= b.count) return;                                                                     \
    beam_march::RowReader<T> reader(b.rows_of(beam), b.entrance);                                    \
    reader.read(b.readouts[beam]);                                                                   \
  }
BB_MOMENTS_READOUTS_ENTRY(f32, float)
BB_MOMENTS_READOUTS_ENTRY(f64, double)

}  // namespace bb::transport
