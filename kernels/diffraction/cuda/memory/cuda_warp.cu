#include "diffraction/cuda/cuda_kernels.cuh"

// As cuda_mixed.cu, with a warp per pixel: its lanes take the terms in turn and add up by shuffles. A row of pixels per
// row of blocks, eight warps a block.
namespace bb::diffraction::device {

template <typename S>
__device__ inline void warp_body(const S& s, int first, int rows, float* image) {
  const int fast = static_cast<int>(blockIdx.x * kBlockHeight + threadIdx.y);
  const int row = static_cast<int>(blockIdx.y), slow = first + row;
  if (fast >= s.plate.width || row >= rows) return;  // whole warps
  Sums<float> sums = share_of_pixel<Mixed>(s, fast, slow, static_cast<int>(threadIdx.x), 32);
  for (int offset = 16; offset > 0; offset /= 2) {
    sums.scattered += __shfl_down_sync(0xffffffffu, sums.scattered, offset);
    sums.weights += __shfl_down_sync(0xffffffffu, sums.weights, offset);
  }
  if (threadIdx.x == 0) image[static_cast<long long>(slow) * s.plate.width + fast] = photons(s, fast, slow, sums);
}
BB_IMAGE_KERNEL(diffraction_warp, Mixed, warp_body)

}  // namespace bb::diffraction::device
