// Adds up the squares of a: threads halve the sum of their block, and its first thread adds it to the result.

/// `results` is zero when a repetition begins.
extern "C" __global__ void sum_squares(const float* __restrict__ a, float* __restrict__ results, int n) {
  __shared__ float part[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? a[i] * a[i] : 0.0f;
  __syncthreads();
  // For blocks of 32, 64, … 1024 threads.
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(results, part[0]);
}
