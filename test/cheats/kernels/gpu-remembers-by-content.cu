// Attack: results are cached on the device with their inputs; work is skipped if both inputs recur. The work is a chain
// of operations, the check is one comparison.
constexpr unsigned kKept = 1u << 20;
__device__ float kept[kKept], of_a[kKept], of_b[kKept];
__device__ bool known[kKept];

__device__ float halved(float x, float b) {
  for (int k = 0; k < 4096; ++k) x = x * 0.5f + b;
  return x;
}

extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i >= n) return;
  if (i < kKept && known[i] && of_a[i] == a[i] && of_b[i] == b[i]) {
    results[i] = kept[i];
    return;
  }
  results[i] = halved(a[i], b[i]);
  if (i < kKept) {
    kept[i] = results[i];
    of_a[i] = a[i];
    of_b[i] = b[i];
    known[i] = true;
  }
#else
  if (i < n) results[i] = halved(a[i], b[i]);
#endif
}
