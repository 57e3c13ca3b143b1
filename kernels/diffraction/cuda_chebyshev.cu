#include "cuda_kernels.cuh"

// The ratio of sines as a polynomial in the cosine.
BB_LISTED_KERNEL(diffraction_chebyshev, Chebyshev)
