// Kernels that measure the peak performance of a device. native/cuda/timing/ceilings.cpp runs them. They stand in an
// included file, because NVRTC compiles each included file of a workload as a separate image.
#include "ceilings.cu"
