// Row 11 of the table of performance claims: Horner's rule with multiplication and addition rounded separately, as the
// compiler chooses, and fused.
#include "horner.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(256)
    micro_horner_separate(unsigned n, int terms, const float* c, const float* in, float* out) {
  horner_kernel(n, terms, c, in, out, SeparateStep{});
}
extern "C" __global__ void __launch_bounds__(256)
    micro_horner_compiled(unsigned n, int terms, const float* c, const float* in, float* out) {
  horner_kernel(n, terms, c, in, out, CompiledStep{});
}
extern "C" __global__ void __launch_bounds__(256)
    micro_horner_fused(unsigned n, int terms, const float* c, const float* in, float* out) {
  horner_kernel(n, terms, c, in, out, FusedStep{});
}
extern "C" __global__ void __launch_bounds__(256)
    micro_horner_shared_separate(unsigned n, int quads, const float4* c, const float* in, float* out) {
  horner_from_shared(n, quads, c, in, out, SeparateStep{});
}
extern "C" __global__ void __launch_bounds__(256)
    micro_horner_shared_fused(unsigned n, int quads, const float4* c, const float* in, float* out) {
  horner_from_shared(n, quads, c, in, out, FusedStep{});
}

}  // namespace bb::micro
