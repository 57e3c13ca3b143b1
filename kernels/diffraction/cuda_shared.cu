#include "cuda_kernels.cuh"

// As cuda_mixed.cu, with the orientations brought into shared memory tile by tile.
namespace bb::diffraction::device {

struct SharedEdges {
  double* tile;  // nine doubles an orientation

  template <typename S>
  __device__ void load(const S& s, int first, int count) {
    const double* from = reinterpret_cast<const double*>(s.edges + first);
    const int thread = static_cast<int>(threadIdx.x + threadIdx.y * kBlockWidth);
    __syncthreads();  // the last tile is read
    for (int i = thread; i < 9 * count; i += kBlockWidth * kBlockHeight) tile[i] = from[i];
    __syncthreads();
  }
  template <typename S>
  __device__ const Edges<double>& at(const S&, int i) const {
    return reinterpret_cast<const Edges<double>*>(tile)[i];
  }
};

template <typename S>
__device__ inline void shared_body(const S& s, int first, int rows, float* image) {
  __shared__ double tile[9 * kTile];
  pixel_per_thread<Mixed>(s, first, rows, image, SharedEdges{tile});
}
BB_IMAGE_KERNEL(diffraction_shared, Mixed, shared_body)

}  // namespace bb::diffraction::device
