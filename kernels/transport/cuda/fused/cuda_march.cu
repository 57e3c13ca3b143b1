#include "cuda_march.cuh"

/// Applies the angle march to its bins; the general kernel that follows processes the others.
extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads, 3)
    transport_fused_march_f32(const __grid_constant__ bb::transport::FusedParameters<float> p,
                              const __grid_constant__ bb::transport::MarchParameters g) {
  const int step = p.control->step;
  if (p.control->done != 0 || step >= p.control->limit) return;
  bb::transport::march::march(p, g, step);
}
