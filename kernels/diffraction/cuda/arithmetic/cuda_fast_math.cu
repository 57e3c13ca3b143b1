#include "diffraction/cuda/cuda_kernels.cuh"

// Like cuda_mixed.cu, but with the sine of the multiprocessor's special function unit.
BB_LISTED_KERNEL(diffraction_fast_math, FastMath)
