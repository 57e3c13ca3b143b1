#include "diffraction/cuda/cuda_kernels.cuh"

// Everything in FP64.
BB_LISTED_KERNEL(diffraction_fp64, Fp64)
