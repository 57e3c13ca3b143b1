#include "diffraction/cuda/cuda_kernels.cuh"

// Represents positions and indices as pairs of FP32 numbers.
BB_LISTED_KERNEL(diffraction_double_float, DoubleFloats)
