#include "cuda_constant.hpp"
#include "diffraction/cuda/cuda_kernels.cuh"

// Like cuda_mixed.cu, but with the orientations in constant memory, whose cache broadcasts one address to a whole warp.
namespace bb::diffraction::device {

extern "C" {
/// Cell edges, written by the host before the launch.
__constant__ double diffraction_orientations[sizeof(Edges<double>) / sizeof(double) * kConstantOrientations];
}

struct ConstantEdges {
  int tile = 0;

  __device__ bool any_cancelled(bool seen) const { return seen; }
  template <typename S>
  __device__ void load(const S&, int first, int) {
    tile = first;
  }
  template <typename S>
  __device__ const Edges<double>& at(const S&, int i) const {
    return reinterpret_cast<const Edges<double>*>(diffraction_orientations)[tile + i];
  }
};

template <typename S>
__device__ inline void constant_body(const S& s, int first, int rows, float* image) {
  pixel_per_thread<Mixed>(s, first, rows, image, ConstantEdges{});
}
BB_IMAGE_KERNEL(diffraction_constant, Mixed, constant_body)

}  // namespace bb::diffraction::device
