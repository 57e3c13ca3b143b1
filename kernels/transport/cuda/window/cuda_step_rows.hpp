#pragma once

#include "cuda_window.hpp"
#include "transport/model/step_model.hpp"

// Data for computing the operator tables of the window variants on the device. Included by nvcc, by NVRTC and by the
// host, so it includes no standard header but <cmath>.
namespace bb::transport {

inline constexpr int kStepRowThreads = 128;  // per block, in each kernel

/// Inputs and outputs of the kernels that build the tables. Rows are those of Tables: [path][material][bin].
struct DeviceStepRows {
  StepModel model;
  const StepMatter* matter;  // [materials]
  const double* path_mm;     // [paths] path length per step
  const double* held;        // [ne] energy of each bin, MeV
  const int* path_of;        // [classes]
  int ne, first_alive, ntheta, materials, paths, classes;

  // Sizes computed by the first kernel; the host derives the layout of the tables from them.
  int* low;    // [ne] first and last source bin of a bin; low > high if there are none
  int* high;   // [ne]
  int* half;   // [ne] half width of the widest angle kernel
  int* ends;   // [ne] 1: protons stop or react in this bin
  int* taps;   // [paths·materials] total number of taps of the energy gather
  int* pairs;  // [paths·materials] total number of pairs of the angle kernels

  // Output of the second kernel: tables by path.
  const WindowBin* bins;
  float* feeds;    // [bin][feed][material][path]
  float* kernels;  // [bin][material][distance][path]
  float* deposit;  // [rows]
  float* stopped;
  float* nuclear;
  float* nuclear_escape;

  // Output of the third kernel: tables of WindowParameters.
  int* feed_bin;
  float* feed_weight;
  float* kernel_weight;
  float* lost;
};

}  // namespace bb::transport
