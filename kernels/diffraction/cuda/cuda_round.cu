// An FP64 image as what is shown of it: rounding it where it lies halves what has to reach the host.
extern "C" __global__ void diffraction_round(const double* __restrict__ photons, float* __restrict__ shown,
                                             unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) shown[i] = static_cast<float>(photons[i]);
}
