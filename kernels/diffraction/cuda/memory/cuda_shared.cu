#include "diffraction/cuda/cuda_kernels.cuh"

// Like cuda_mixed.cu, but with the orientations loaded into shared memory tile by tile.
namespace bb::diffraction::device {

struct SharedEdges {
  Edges<double>* tile;

  __device__ bool any_cancelled(bool seen) const { return __syncthreads_or(seen) != 0; }
  template <typename S>
  __device__ void load(const S& s, int first, int count) {
    constexpr int kPieces = sizeof(Edges<double>) / sizeof(double2);
    const auto* from = reinterpret_cast<const double2*>(s.edges + first);
    const int thread = static_cast<int>(threadIdx.x + threadIdx.y * kBlockWidth);
    __syncthreads();  // all threads have read the last tile
    for (int i = thread; i < kPieces * count; i += kBlockWidth * kBlockHeight) {
      reinterpret_cast<double2*>(tile)[i] = from[i];
    }
    __syncthreads();
  }
  template <typename S>
  __device__ const Edges<double>& at(const S&, int i) const {
    return tile[i];
  }
};

template <typename S>
__device__ inline void shared_body(const S& s, int first, int rows, float* image) {
  __shared__ double2 tile[sizeof(Edges<double>) / sizeof(double2) * kTile];
  pixel_per_thread<Mixed>(s, first, rows, image, SharedEdges{reinterpret_cast<Edges<double>*>(tile)});
}
BB_IMAGE_KERNEL(diffraction_shared, Mixed, shared_body)

}  // namespace bb::diffraction::device
