// The kernels of every CUDA variant of the transport workload, as one image.
#include "cuda_dense.cu"
#include "cuda_gather.cu"
