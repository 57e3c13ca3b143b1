// Attack: each launch computes every second result, even and odd ones alternately. Two launches together give all
// results.
__device__ unsigned calls;

extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  __shared__ unsigned turn;
  if (threadIdx.x == 0) turn = atomicAdd(&calls, 1u) / gridDim.x;
  __syncthreads();
  if (i < n && i % 2 == turn % 2) results[i] = a[i] + b[i];
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
