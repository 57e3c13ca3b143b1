#include "diffraction/cuda/cuda_kernels.cuh"

// All arithmetic in FP64.
BB_LISTED_KERNEL(diffraction_fp64, Fp64)
