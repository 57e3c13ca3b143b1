#include "cuda_tiled_stream.cuh"
#include "cuda_tiled_turn.cuh"

// Two passes over ψ instead of four, each over tiles in shared memory. If rows are whole 16-byte words (kWide = 4),
// memory is accessed in such words.
namespace bb::transport {

#define BB_TILED_KERNELS(wide)                                                                           \
  extern "C" __global__ void __launch_bounds__(kTurnThreads)                                             \
      tiled_turn_x##wide##_f32(const __grid_constant__ DeviceStep<float> s, int angles) {                \
    extern __shared__ float4 tiled_shared[];                                                             \
    tiled_turn<wide>(s, angles, reinterpret_cast<float*>(tiled_shared));                                 \
  }                                                                                                      \
  extern "C" __global__ void __launch_bounds__(kStreamThreads)                                           \
      tiled_stream_x##wide##_f32(const __grid_constant__ DeviceStep<float> s, const StreamTiles tiles) { \
    extern __shared__ float4 tiled_shared[];                                                             \
    tiled_stream<wide>(s, tiles, reinterpret_cast<float*>(tiled_shared));                                \
  }

BB_TILED_KERNELS(1)
BB_TILED_KERNELS(4)
#undef BB_TILED_KERNELS

}  // namespace bb::transport
