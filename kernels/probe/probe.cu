// Kernels that measure the peak performance of a device; native/cuda/timing/ceilings.cpp runs them.
#include "chase.cu"
#include "copy.cu"
#include "empty.cu"
#include "fma.cu"
