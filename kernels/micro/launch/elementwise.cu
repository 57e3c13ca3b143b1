// Row 17 of the table of performance claims: (a + b) scale.
#include "micro/row/common.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(256)
    micro_elementwise_fused(unsigned n, float scale, const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = (a[i] + b[i]) * scale;
}

/// a scale + b scale: one more multiplication, which a fused multiply-add can absorb.
extern "C" __global__ void __launch_bounds__(256)
    micro_elementwise_distributed(unsigned n, float scale, const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = a[i] * scale + b[i] * scale;
}

/// A thread processes four values with 16-byte accesses; the last n % 4 values are processed one by one.
extern "C" __global__ void __launch_bounds__(256)
    micro_elementwise_16(unsigned n, float scale, const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ out) {
  const unsigned i = global_thread(), quads = n / 4;
  if (i < quads) {
    const float4 x = reinterpret_cast<const float4*>(a)[i], y = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(out)[i] = {(x.x + y.x) * scale, (x.y + y.y) * scale, (x.z + y.z) * scale,
                                         (x.w + y.w) * scale};
  }
  const unsigned rest = 4 * quads + i;
  if (i < 4 && rest < n) out[rest] = (a[rest] + b[rest]) * scale;
}

// One kernel per operation, as in an array library: each reads from memory and writes to it.
extern "C" __global__ void __launch_bounds__(256)
    micro_elementwise_add(unsigned n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ t) {
  const unsigned i = global_thread();
  if (i < n) t[i] = a[i] + b[i];
}
extern "C" __global__ void __launch_bounds__(256)
    micro_elementwise_scale(unsigned n, float scale, const float* __restrict__ t, float* __restrict__ s) {
  const unsigned i = global_thread();
  if (i < n) s[i] = t[i] * scale;
}
extern "C" __global__ void __launch_bounds__(256)
    micro_elementwise_assign(unsigned n, const float* __restrict__ s, float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = s[i];
}

}  // namespace bb::micro
