#pragma once

#include "diffraction/cuda/device_pixel.hpp"

namespace bb::diffraction::device {

/// Temporaries of the image's size, T[height][width] each.
template <typename T>
struct StagePlanes {
  T *dx, *dy, *dz;  // direction
  T *qx, *qy, *qz;
  T *h, *k, *l;
  T* f2;
  T* weight;   // of the sub-pixel for the source at work
  T* weights;  // their sum
  T* factor;   // corrections of whole pixels
  T* sum;
};

/// Which sub-pixel, layer, source and orientation a stage is at.
struct StagePlace {
  int sub_fast, sub_slow, depth, source, orientation;
};

}  // namespace bb::diffraction::device
