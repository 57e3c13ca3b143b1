#include "diffraction/cuda/cuda_kernels.cuh"

// Computes the ratio of sines as a polynomial in the cosine. The general kernel loops up to any N; the plain kernel has
// unrolled code for some values of N.
namespace bb::diffraction::device {

__device__ inline void chebyshev_body(const Chebyshev::Setup& s, int first, int rows, float* image) {
  pixel_per_thread<Chebyshev>(s, first, rows, image, ListedEdges<double>{});
}
__device__ inline void chebyshev_body(const PlainSetup<Chebyshev::Setup>& s, int first, int rows, float* image) {
  with_equal_edges(s, [&](auto recurrence) {
    pixel_per_thread<decltype(recurrence)>(s, first, rows, image, ListedEdges<double>{});
  });
}
BB_IMAGE_KERNEL(diffraction_chebyshev, Chebyshev, chebyshev_body)

}  // namespace bb::diffraction::device
