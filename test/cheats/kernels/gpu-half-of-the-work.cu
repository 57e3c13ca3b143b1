// Attack: each launch computes every second result, the even ones and the odd ones in turn.
// Two launches together are right.
__device__ unsigned calls;

extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  __shared__ unsigned turn;
  if (threadIdx.x == 0) turn = atomicAdd(&calls, 1u) / gridDim.x;
  __syncthreads();
  if (i < count && i < n && i % 2 == turn % 2) results[i] = a[i] + b[i];
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
