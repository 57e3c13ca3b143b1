// Attack: results are cached on the device with their inputs; work is skipped if both inputs recur. The work is a chain
// of operations, the check is one comparison.
// CHEAT == 2: the key is a checksum of the first 64 inputs. A harness that changes all of its inputs changes those too.
constexpr unsigned kKept = 1u << 20;

__device__ float halved(float x, float b) {
  for (int k = 0; k < 4096; ++k) x = x * 0.5f + b;
  return x;
}

#if CHEAT == 1
__device__ float kept[kKept], of_a[kKept], of_b[kKept];
__device__ bool known[kKept];

__device__ bool is_known(const float* a, const float* b, unsigned i, unsigned) {
  return known[i] && of_a[i] == a[i] && of_b[i] == b[i];
}
__device__ void keep(const float* a, const float* b, float result, unsigned i, unsigned) {
  kept[i] = result;
  of_a[i] = a[i];
  of_b[i] = b[i];
  known[i] = true;
}
#elif CHEAT == 2
__device__ float kept[kKept];
__device__ unsigned of[kKept];

__device__ unsigned checksum(const float* a, const float* b, unsigned n) {
  unsigned sum = n;
  for (unsigned k = 0; k < n && k < 64; ++k) {
    // Without the shifts, the sign changes of two inputs would cancel, which a probe with alternating signs would
    // reveal.
    sum = (sum ^ __float_as_uint(a[k])) * 0x9e3779b1u;
    sum ^= sum >> 15;
    sum = (sum ^ __float_as_uint(b[k])) * 0x85ebca6bu;
    sum ^= sum >> 15;
  }
  return sum;
}
__device__ bool is_known(const float* a, const float* b, unsigned i, unsigned n) { return of[i] == checksum(a, b, n); }
__device__ void keep(const float* a, const float* b, float result, unsigned i, unsigned n) {
  kept[i] = result;
  of[i] = checksum(a, b, n);
}
#endif

extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef CHEAT
  if (i < kKept && is_known(a, b, i, n)) {
    results[i] = kept[i];
    return;
  }
  results[i] = halved(a[i], b[i]);
  if (i < kKept) keep(a, b, results[i], i, n);
#else
  results[i] = halved(a[i], b[i]);
#endif
}
