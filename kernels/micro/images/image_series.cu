// Images of many crystals: one of them a launch, or all of them in one.
#include "micro/images/series.cuh"

namespace bb::micro::images {

/// The images first … first + gridDim.z - 1.
extern "C" __global__ void __launch_bounds__(256)
    micro_image_series(const __grid_constant__ Scene scene, const Edges<double>* crystals, int first, float* images) {
  const long long image = first + static_cast<int>(blockIdx.z);
  image_by_block(scene, crystals[image], images + image * pixels_of(scene));
}

/// The image that *next names: what a graph can replay for one image after another.
extern "C" __global__ void __launch_bounds__(256)
    micro_image_next(const __grid_constant__ Scene scene, const Edges<double>* crystals, const int* next,
                     float* images) {
  const long long image = *next;
  image_by_block(scene, crystals[image], images + image * pixels_of(scene));
}

extern "C" __global__ void micro_image_advance(int images, int* next) { *next = (*next + 1) % images; }

}  // namespace bb::micro::images
