#pragma once

// Constants that tuning may change, in kernels and in the host code that launches them. Included by nvcc, by NVRTC and
// by the host, so it uses no standard header.

// In device code, the value is also the size of a variable. The host reads that size from the loaded module without a
// copy (Module::tunable). Constants may therefore differ between GPU generations and in user kernels.
#ifdef __CUDACC__
#define BB_TUNABLE(type, name, value)                                                          \
  inline constexpr type name = value;                                                          \
  static_assert(name > 0, #name " is the size of a variable");                                 \
  extern "C" {                                                                                 \
  __device__ char bb_tunable_##name[value]; /* NOLINT: read by nobody, its size by the host */ \
  }                                                                                            \
  static_assert(true)
#else
#define BB_TUNABLE(type, name, value) inline constexpr type name = value
#endif

// Sets another value for Hopper (sm_90) and later. A fat binary has code for each generation with its own constants.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define BB_TUNABLE_90(type, name, usual, since_90) BB_TUNABLE(type, name, since_90)
#else
#define BB_TUNABLE_90(type, name, usual, since_90) BB_TUNABLE(type, name, usual)
#endif
