// Row 9 of the table of performance claims: the values below a threshold, packed in the order of arrival, so results
// are compared as sets. `count` starts at zero.
#include "micro/row/common.cuh"

namespace bb::micro {

/// One atomic per value that passes the test.
extern "C" __global__ void __launch_bounds__(256)
    micro_compact_atomics(unsigned n, float threshold, const float* __restrict__ in, float* __restrict__ out,
                          unsigned* count) {
  const unsigned i = global_thread();
  if (i >= n) return;
  const float value = in[i];
  if (value < threshold) out[atomicAdd(count, 1u)] = value;
}

/// Lanes vote, which needs one atomic per warp. The position of a lane is the number of lower lanes that pass.
extern "C" __global__ void __launch_bounds__(256)
    micro_compact_ballot(unsigned n, float threshold, const float* __restrict__ in, float* __restrict__ out,
                         unsigned* count) {
  const unsigned i = global_thread();
  const float value = i < n ? in[i] : threshold;
  const bool keep = value < threshold;
  const unsigned voters = __ballot_sync(kWholeWarp, keep);
  const unsigned lane = threadIdx.x % 32;
  unsigned first = 0;
  if (lane == 0 && voters != 0) first = atomicAdd(count, static_cast<unsigned>(__popc(voters)));
  first = __shfl_sync(kWholeWarp, first, 0);
  if (keep) out[first + __popc(voters & ((1u << lane) - 1u))] = value;
}

/// The warps of a block add up their votes, which needs one atomic per block.
extern "C" __global__ void __launch_bounds__(256)
    micro_compact_block(unsigned n, float threshold, const float* __restrict__ in, float* __restrict__ out,
                        unsigned* count) {
  __shared__ unsigned before[8], block_first;
  const unsigned i = global_thread();
  const float value = i < n ? in[i] : threshold;
  const bool keep = value < threshold;
  const unsigned voters = __ballot_sync(kWholeWarp, keep);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) before[warp] = static_cast<unsigned>(__popc(voters));
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) {
      const unsigned votes = before[w];
      before[w] = total;
      total += votes;
    }
    block_first = total > 0 ? atomicAdd(count, total) : 0;
  }
  __syncthreads();
  if (keep) out[block_first + before[warp] + __popc(voters & ((1u << lane) - 1u))] = value;
}

}  // namespace bb::micro
