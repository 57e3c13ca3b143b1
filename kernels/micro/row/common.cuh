#pragma once

// Helpers shared by the kernels of the table of performance claims. For one-dimensional grids with `n` below 2^31.
namespace bb::micro {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

__device__ inline unsigned global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline unsigned all_threads() { return gridDim.x * blockDim.x; }

template <typename T>
__device__ inline T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kWholeWarp, value, offset);
  return value;
}

/// Prevents the compiler from keeping memory contents in registers across this point.
__device__ inline void compiler_barrier() { asm volatile("" ::: "memory"); }

}  // namespace bb::micro
