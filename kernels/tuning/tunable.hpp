#pragma once

// Constants that tuning may change, of kernels and of the host that launches them. Included by nvcc, by NVRTC and by the
// host; no standard header.

// In device code the value is the size of a variable too: the host learns it from the module that it launches, without
// a copy (Module::tunable). So constants may differ from one GPU generation to the next, and in a user's kernels.
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

// Another value from Hopper (sm_90) on. A fat binary has code for each generation, each with its own constants.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define BB_TUNABLE_90(type, name, usual, since_90) BB_TUNABLE(type, name, since_90)
#else
#define BB_TUNABLE_90(type, name, usual, since_90) BB_TUNABLE(type, name, usual)
#endif
