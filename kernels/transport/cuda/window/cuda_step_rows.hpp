#pragma once

#include "cuda_window.hpp"
#include "transport/model/step_model.hpp"

// The window's operator tables, made where they are used, as data. Included by nvcc, by NVRTC and by the host; no
// standard header but <cmath>.
namespace bb::transport {

inline constexpr int kStepRowThreads = 128;  // of a block of each kernel

/// Inputs and outputs of the kernels that build the tables. Rows are those of Tables: [path][material][bin].
struct DeviceStepRows {
  StepModel model;
  const StepMatter* matter;  // [materials]
  const double* path_mm;     // [paths] of a step
  const double* held;        // [ne] MeV
  const int* path_of;        // [classes]
  int ne, first_alive, ntheta, materials, paths, classes;

  // Sizes that the first kernel finds, for the host to lay out the tables.
  int* low;    // [ne] first and last bin that feed one; the first is above the last where none does
  int* high;   // [ne]
  int* half;   // [ne] widest angle kernel
  int* ends;   // [ne] 1: protons stop or react here
  int* taps;   // [paths·materials] of the energy gather in all,
  int* pairs;  // [paths·materials] and of the angle kernels

  // Output of the second kernel: tables by path.
  const WindowBin* bins;
  float* feeds;    // [bin][its feeds][material][path]
  float* kernels;  // [bin][material][distance][path]
  float* deposit;  // [rows]
  float* stopped;
  float* nuclear;
  float* nuclear_escape;

  // And the third: what WindowParameters has.
  int* feed_bin;
  float* feed_weight;
  float* kernel_weight;
  float* lost;
};

}  // namespace bb::transport
