// Row 15 of the table of performance claims: work between the copies (A), and concurrent work (B). Both iterate y = y r
// + t on their values, long enough to be visible on a timeline.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Iterates `values` of a piece in place.
extern "C" __global__ void __launch_bounds__(256) micro_stream_work(unsigned n, int work, float* values) {
  for (unsigned i = global_thread(); i < n; i += all_threads()) {
    float y = values[i];
    for (int w = 0; w < work; ++w) y = __fmaf_rn(y, 0.984375f, 0.0078125f);
    values[i] = y;
  }
}

/// One value per thread of the launch.
extern "C" __global__ void __launch_bounds__(256) micro_stream_blocks(int work, const float* in, float* out) {
  const unsigned i = global_thread();
  float y = in[i];
  for (int w = 0; w < work; ++w) y = __fmaf_rn(y, 0.984375f, 0.0078125f);
  out[i] = y;
}

}  // namespace bb::micro
