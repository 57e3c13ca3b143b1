// Images of many crystals: one per launch, or all in one launch.
#include "micro/images/series.cuh"

namespace bb::micro::images {

/// Computes the images first … first + gridDim.z - 1.
extern "C" __global__ void __launch_bounds__(256)
    micro_image_series(const __grid_constant__ Scene scene, const Edges<double>* crystals, int first, float* images) {
  const long long image = first + static_cast<int>(blockIdx.z);
  image_by_block(scene, crystals[image], images + image * pixels_of(scene));
}

/// Computes the image number *next, so that one graph can be replayed for all images.
extern "C" __global__ void __launch_bounds__(256)
    micro_image_next(const __grid_constant__ Scene scene, const Edges<double>* crystals, const int* next,
                     float* images) {
  const long long image = *next;
  image_by_block(scene, crystals[image], images + image * pixels_of(scene));
}

extern "C" __global__ void micro_image_advance(int images, int* next) { *next = (*next + 1) % images; }

}  // namespace bb::micro::images
