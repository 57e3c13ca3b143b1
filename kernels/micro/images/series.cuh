#pragma once

#include "diffraction/cuda/device_pixel.hpp"

// Images whose crystals are in an array, with one thread per pixel. Indices are in FP64, trigonometry in FP32.
namespace bb::micro::images {

using diffraction::device::Edges;
using diffraction::device::Mixed;
/// Plain setups: square crystals, identical cells, one sub-pixel, one source.
using Scene = diffraction::device::PlainSetup<Mixed::Setup>;

/// Table of orientations with the single crystal of an image.
struct OneCrystal {
  Edges<double> edges;

  BB_HD bool any_cancelled(bool seen) const { return seen; }
  template <typename S>
  BB_HD void load(const S&, int, int) {}
  template <typename S>
  BB_HD const Edges<double>& at(const S&, int) const {
    return edges;
  }
};

/// Photons of a pixel; the tests compare it with FP64 on the host.
BB_HD inline float pixel_of(const Scene& scene, const Edges<double>& edges, int fast, int slow) {
  OneCrystal crystal{edges};
  const auto sums = diffraction::device::whole_pixel<Mixed>(scene, fast, slow, crystal);
  return diffraction::device::photons(scene, fast, slow, sums);
}

#ifdef __CUDACC__
/// Blocks of 32 by 8 pixels.
__device__ inline void image_by_block(const Scene& scene, const Edges<double>& edges, float* image) {
  const int fast = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int slow = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (fast >= scene.plate.width || slow >= scene.plate.height) return;
  image[static_cast<long long>(slow) * scene.plate.width + fast] = pixel_of(scene, edges, fast, slow);
}

__device__ inline long long pixels_of(const Scene& scene) {
  return static_cast<long long>(scene.plate.width) * scene.plate.height;
}
#endif

}  // namespace bb::micro::images
