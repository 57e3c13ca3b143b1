// Converts an FP64 image to FP32 for display. Rounding on the device halves the transfer to the host.
extern "C" __global__ void diffraction_round(const double* __restrict__ photons, float* __restrict__ shown,
                                             unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) shown[i] = static_cast<float>(photons[i]);
}
