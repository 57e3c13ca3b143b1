#pragma once

#include <cstddef>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "cublas_api.hpp"
#include "driver_types.hpp"
#include "resolve.hpp"

// Declarations of the part of cuFFT in use, from NVIDIA's cuFFT reference.
namespace bb::cuda::api {

using CufftStatus = int;
using CufftPlan = int;

enum class CufftType : int { kRealToComplex = 0x2a, kComplexToReal = 0x2c };

#define BB_CUDA_CUFFT_REQUIRED(X)                                                                           \
  X(GetProperty, cufftGetProperty, (LibraryProperty property, int* value))                                  \
  X(Create, cufftCreate, (CufftPlan * plan))                                                                \
  X(Destroy, cufftDestroy, (CufftPlan plan))                                                                \
  X(MakePlanMany, cufftMakePlanMany,                                                                        \
    (CufftPlan plan, int rank, int* lengths, int* in_embed, int in_stride, int in_distance, int* out_embed, \
     int out_stride, int out_distance, CufftType type, int batch, std::size_t* bytes))                      \
  X(SetStream, cufftSetStream, (CufftPlan plan, Stream stream))                                             \
  X(RealToComplex, cufftExecR2C, (CufftPlan plan, void* real, void* complex))                               \
  X(ComplexToReal, cufftExecC2R, (CufftPlan plan, void* complex, void* real))

#define BB_MEMBER(member, symbol, parameters) CufftStatus(BB_CUDA_CALL* member) parameters = nullptr;

struct CufftApi {
  BB_CUDA_CUFFT_REQUIRED(BB_MEMBER)

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

#undef BB_MEMBER

}  // namespace bb::cuda::api
