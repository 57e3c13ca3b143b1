#include "diffraction/cuda/cuda_kernels.cuh"

// Evaluates the formula as written, in FP32.
BB_LISTED_KERNEL(diffraction_naive_fp32, Naive)
