#include "diffraction/cuda/cuda_kernels.cuh"

// As cuda_mixed.cu, with phases as 32-bit fractions of a turn.
BB_LISTED_KERNEL(diffraction_fixed_point, FixedPoint)
