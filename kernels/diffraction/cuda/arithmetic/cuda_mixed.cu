#include "diffraction/cuda/cuda_kernels.cuh"

// Computes positions, indices and their multiples in FP64, and fractions of a turn in FP32.
BB_LISTED_KERNEL(diffraction_mixed, Mixed)
