// The kernels of every CUDA variant of the transport workload, as one image.
#include "cuda_dense.cu"
#include "cuda_fused.cu"
#include "cuda_gather.cu"
#include "cuda_march.cu"
#include "cuda_scatter.cu"
#include "cuda_tiled.cu"
#include "cuda_warp_reduced.cu"
#include "cuda_window.cu"
