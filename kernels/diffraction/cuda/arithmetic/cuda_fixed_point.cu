#include "diffraction/cuda/cuda_kernels.cuh"

// Like cuda_mixed.cu, but with phases as 32-bit fractions of a turn.
BB_LISTED_KERNEL(diffraction_fixed_point, FixedPoint)
