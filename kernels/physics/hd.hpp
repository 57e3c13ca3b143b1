#pragma once

// Marks a function that runs on the host and, when nvcc or NVRTC compiles it, on the device.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define BB_HD __host__ __device__
#else
#define BB_HD
#endif
