#pragma once

#include "device_pixel.hpp"

// Mapping of the fused kernels of the CUDA variants onto the image.
namespace bb::diffraction::device {

inline constexpr int kBlockWidth = 32;

/// A pixel per thread: 32 neighbours of a row per warp. Every thread of a block loads the table, those beyond the
/// image's edge on the pixel at the edge.
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

/// Two kernels, `name` and, for plain setups, `name_plain`, of the rows first … first + rows - 1 of the image;
/// `body(s, first, rows, image)` is what each thread does.
#define BB_IMAGE_KERNEL(name, A, body)                                                                 \
  extern "C" __global__ void __launch_bounds__(                                                        \
      bb::diffraction::device::kBlockWidth* bb::diffraction::device::kBlockHeight)                     \
      name(const __grid_constant__ A::Setup s, int first, int rows, A::Factor* image) {                \
    body(s, first, rows, image);                                                                       \
  }                                                                                                    \
  extern "C" __global__ void __launch_bounds__(                                                        \
      bb::diffraction::device::kBlockWidth* bb::diffraction::device::kBlockHeight)                     \
      name##_plain(const __grid_constant__ Plain<A::Setup> s, int first, int rows, A::Factor* image) { \
    body(s, first, rows, image);                                                                       \
  }

/// The same with a pixel per thread and the orientations in global memory.
#define BB_LISTED_KERNEL(name, A)                                                         \
  namespace bb::diffraction::device {                                                     \
  template <typename S>                                                                   \
  __device__ inline void name##_body(const S& s, int first, int rows, A::Factor* image) { \
    pixel_per_thread<A>(s, first, rows, image, ListedEdges<A::Index>{});                  \
  }                                                                                       \
  BB_IMAGE_KERNEL(name, A, name##_body)                                                   \
  }
