// Row 12 of the table of performance claims: each value has a key, 0 … 7, which chooses one of eight iterations to run
// `work` times on it.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr int kBranches = 8;

/// Branch `key`: y = y * (1 - (key + 1) / 64) + (key + 1) / 128, `work` times. Each key has separate code, because both
/// numbers are compile-time constants.
template <int kKey>
__device__ float branch_value(float y, int work) {
  constexpr float kFactor = 1.0f - (kKey + 1) / 64.0f, kTerm = (kKey + 1) / 128.0f;
#pragma unroll 4
  for (int w = 0; w < work; ++w) y = __fmaf_rn(y, kFactor, kTerm);
  return y;
}

__device__ inline float branched(float y, unsigned key, int work) {
  switch (key) {
    case 0:
      return branch_value<0>(y, work);
    case 1:
      return branch_value<1>(y, work);
    case 2:
      return branch_value<2>(y, work);
    case 3:
      return branch_value<3>(y, work);
    case 4:
      return branch_value<4>(y, work);
    case 5:
      return branch_value<5>(y, work);
    case 6:
      return branch_value<6>(y, work);
    default:
      return branch_value<7>(y, work);
  }
}

/// Lanes of a warp with different keys wait for each other.
extern "C" __global__ void __launch_bounds__(256)
    micro_divergence_branch(unsigned n, int work, const unsigned* __restrict__ keys, const float* __restrict__ in,
                            float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = branched(in[i], keys[i], work);
}

/// Every lane computes all eight branches and selects the correct one.
extern "C" __global__ void __launch_bounds__(256)
    micro_divergence_select(unsigned n, int work, const unsigned* __restrict__ keys, const float* __restrict__ in,
                            float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i >= n) return;
  const float y = in[i];
  const unsigned key = keys[i];
  const float every[kBranches] = {branch_value<0>(y, work), branch_value<1>(y, work), branch_value<2>(y, work),
                                  branch_value<3>(y, work), branch_value<4>(y, work), branch_value<5>(y, work),
                                  branch_value<6>(y, work), branch_value<7>(y, work)};
  float kept = every[0];
#pragma unroll
  for (unsigned k = 1; k < kBranches; ++k) kept = key == k ? every[k] : kept;
  out[i] = kept;
}

/// The branches differ only in two numbers, which are read from a table, so that all lanes run one code.
extern "C" __global__ void __launch_bounds__(256)
    micro_divergence_data(unsigned n, int work, const unsigned* __restrict__ keys, const float* __restrict__ in,
                          float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i >= n) return;
  const float number = static_cast<float>(keys[i] + 1);
  const float factor = 1.0f - number / 64.0f, term = number / 128.0f;
  float y = in[i];
#pragma unroll 4
  for (int w = 0; w < work; ++w) y = __fmaf_rn(y, factor, term);
  out[i] = y;
}

/// `order` lists the values by key, so that the lanes of a warp have equal keys. The kernel pays for this with a read
/// of `order` and scattered accesses.
extern "C" __global__ void __launch_bounds__(256)
    micro_divergence_sorted(unsigned n, int work, const unsigned* __restrict__ order, const unsigned* __restrict__ keys,
                            const float* __restrict__ in, float* __restrict__ out) {
  const unsigned t = global_thread();
  if (t >= n) return;
  const unsigned i = order[t];
  out[i] = branched(in[i], keys[i], work);
}

}  // namespace bb::micro
