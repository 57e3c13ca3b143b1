#include "diffraction/cuda/cuda_kernels.cuh"

// FP32 arithmetic that subtracts whole turns before the product with pi.
BB_LISTED_KERNEL(diffraction_delta_fp32, Delta)
