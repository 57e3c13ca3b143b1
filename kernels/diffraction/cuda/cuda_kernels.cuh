#pragma once

#include "device_pixel.hpp"

// Assignment of the image's pixels to threads in the fused CUDA kernels.
namespace bb::diffraction::device {

inline constexpr int kBlockWidth = 32;

/// One pixel per thread; a warp has 32 neighbouring pixels of a row. All threads of a block load the table; threads
/// beyond the image's edge use the pixel at the edge.
template <typename A, typename Table, typename S>
__device__ inline void pixel_per_thread(const S& s, int first, int rows, typename A::Factor* image, Table table) {
  const int fast = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y);
  const bool inside = fast < s.plate.width && row < rows;
  const int f = fast < s.plate.width ? fast : s.plate.width - 1, t = first + (row < rows ? row : rows - 1);
  const auto sums = whole_pixel<A>(s, f, t, table);
  if (inside) image[static_cast<long long>(t) * s.plate.width + f] = photons(s, f, t, sums);
}

}  // namespace bb::diffraction::device

/// Defines two kernels, `name` and, for plain setups, `name_plain`, for the rows first … first + rows - 1 of the image;
/// each thread runs `body(s, first, rows, image)`.
#define BB_IMAGE_KERNEL(name, A, body)                                                                      \
  extern "C" __global__ void __launch_bounds__(                                                             \
      bb::diffraction::device::kBlockWidth* bb::diffraction::device::kBlockHeight)                          \
      name(const __grid_constant__ A::Setup s, int first, int rows, A::Factor* image) {                     \
    body(s, first, rows, image);                                                                            \
  }                                                                                                         \
  extern "C" __global__ void __launch_bounds__(                                                             \
      bb::diffraction::device::kBlockWidth* bb::diffraction::device::kBlockHeight)                          \
      name##_plain(const __grid_constant__ PlainSetup<A::Setup> s, int first, int rows, A::Factor* image) { \
    body(s, first, rows, image);                                                                            \
  }

/// Like BB_IMAGE_KERNEL, for kernels with one pixel per thread and the orientations in global memory.
#define BB_LISTED_KERNEL(name, A)                                                         \
  namespace bb::diffraction::device {                                                     \
  template <typename S>                                                                   \
  __device__ inline void name##_body(const S& s, int first, int rows, A::Factor* image) { \
    pixel_per_thread<A>(s, first, rows, image, ListedEdges<A::Index>{});                  \
  }                                                                                       \
  BB_IMAGE_KERNEL(name, A, name##_body)                                                   \
  }
