// The kernels that measure what a device can do at best; native/cuda/timing/ceilings.cpp runs them.
#include "chase.cu"
#include "copy.cu"
#include "empty.cu"
#include "fma.cu"
