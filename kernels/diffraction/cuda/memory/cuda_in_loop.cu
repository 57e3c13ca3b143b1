#include "diffraction/cuda/cuda_kernels.cuh"

// Like cuda_mixed.cu, but rotates the cell by phi and mosaic block for every sub-pixel and source.
namespace bb::diffraction::device {

template <typename S>
__device__ inline void in_loop_body(const S& s, int first, int rows, float* image) {
  pixel_per_thread<Mixed>(s, first, rows, image, RotatedEdges{});
}
BB_IMAGE_KERNEL(diffraction_in_loop, Mixed, in_loop_body)

}  // namespace bb::diffraction::device
