#pragma once

#include "diffraction/cuda/device_pixel.hpp"

namespace bb::diffraction::device {

/// Temporaries of the image's size, T[height][width] each.
template <typename T>
struct StagePlanes {
  T *dx, *dy, *dz;  // direction of the scattered light
  T *qx, *qy, *qz;
  T *h, *k, *l;
  T* f2;
  T* weight;   // of the sub-pixel for the current source
  T* weights;  // sum of the weights
  T* factor;   // corrections of whole pixels
  T* sum;
};

/// Sub-pixel, layer, source and orientation that a stage processes.
struct StagePosition {
  int sub_fast, sub_slow, depth, source, orientation;
};

}  // namespace bb::diffraction::device
