#include "diffraction/cuda/cuda_kernels.cuh"

// Like cuda_mixed.cu, but with one warp per pixel: lane k processes the terms k, k + 32, …, and the lanes add up their
// sums by shuffles. blockIdx.y is the row of pixels; a block has eight warps.
namespace bb::diffraction::device {

template <typename S>
__device__ inline void warp_body(const S& s, int first, int rows, float* image) {
  const int fast = static_cast<int>(blockIdx.x * kBlockHeight + threadIdx.y);
  const int row = static_cast<int>(blockIdx.y), slow = first + row;
  if (fast >= s.plate.width || row >= rows) return;  // only whole warps return
  Sums<float> sums = share_of_pixel<Mixed>(s, fast, slow, static_cast<int>(threadIdx.x), 32);
  for (int offset = 16; offset > 0; offset /= 2) {
    sums.scattered += __shfl_down_sync(0xffffffffu, sums.scattered, offset);
    sums.weights += __shfl_down_sync(0xffffffffu, sums.weights, offset);
  }
  if (threadIdx.x == 0) image[static_cast<long long>(slow) * s.plate.width + fast] = photons(s, fast, slow, sums);
}
BB_IMAGE_KERNEL(diffraction_warp, Mixed, warp_body)

}  // namespace bb::diffraction::device
