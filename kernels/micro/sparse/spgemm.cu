// Row 16 of the table of performance claims: values of C = A A for a pattern that was found before. Products n in
// [first[e], first[e + 1]) belong to entry e of C; factors[n] are the indices of both factors among A's values.
#include "micro/row/common.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(256)
    micro_spgemm_kept(unsigned entries, const unsigned* __restrict__ first, const uint2* __restrict__ factors,
                      const float* __restrict__ values, float* __restrict__ c) {
  const unsigned e = global_thread();
  if (e >= entries) return;
  float sum = 0;
  for (unsigned n = first[e]; n < first[e + 1]; ++n) sum = __fmaf_rn(values[factors[n].x], values[factors[n].y], sum);
  c[e] = sum;
}

}  // namespace bb::micro
