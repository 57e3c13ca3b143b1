// Entry file of the probe, whose kernels measure the peak performance of a device for native/cuda/timing/ceilings.cpp.
// NVRTC compiles each included file of a workload as a separate image, so the kernels are in an included file.
#include "ceilings.cu"
