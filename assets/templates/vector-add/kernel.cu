// Adds two vectors: a thread for each result.
extern "C" __global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ results,
                               int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = a[i] + b[i];
}
