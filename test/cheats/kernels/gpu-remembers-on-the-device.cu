// Attack: results are cached in a variable on the device and copied in every later launch. One launch computes, the
// others only write.
constexpr unsigned kKept = 1u << 20;
__device__ float kept[kKept];
__device__ bool known[kKept];

extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i >= n) return;
  if (i < kKept && known[i]) {
    results[i] = kept[i];
    return;
  }
  results[i] = a[i] + b[i];
  if (i < kKept) {
    kept[i] = results[i];
    known[i] = true;
  }
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
