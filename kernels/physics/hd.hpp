#pragma once

// Marks a function that runs on the host and, when nvcc or NVRTC compiles it, on the device.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define BB_HD __host__ __device__
// Like BB_HD, but never inlined on a device. Inlining functions with many exponentials would cost half a minute of
// compile time per kernel.
#define BB_HD_CALLED __host__ __device__ __noinline__
#else
#define BB_HD
#define BB_HD_CALLED
#endif
