#include "diffraction/cuda/cuda_kernels.cuh"

// Positions, indices and their multiples in FP64; fractions of a turn in FP32.
BB_LISTED_KERNEL(diffraction_mixed, Mixed)
