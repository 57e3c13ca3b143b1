#pragma once

#include <cstddef>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "calling_convention.hpp"
#include "driver_types.hpp"

// The part of cuBLAS and cuBLASLt that we use, from NVIDIA's cuBLAS reference.
namespace bb::cuda::api {

using CublasStatus = int;
using CublasHandle = struct CublasTag*;
using CublasLtHandle = struct CublasLtTag*;

enum class CublasOperation : int { kNone = 0, kTranspose = 1 };
/// cudaDataType and cublasComputeType_t values that we use.
enum class DataType : int { kFp32 = 0, kFp16 = 2, kBf16 = 14 };
enum class CublasCompute : int { kFp32 = 68, kFp32ByTf32 = 77 };
inline constexpr int kCublasGemmDefault = -1;  // CUBLAS_GEMM_DEFAULT: its heuristics choose the algorithm

enum class LibraryProperty : int { kMajor = 0, kMinor = 1, kPatch = 2 };

#define BB_CUDA_CUBLAS_REQUIRED(X)                                                                                \
  X(GetProperty, cublasGetProperty, (LibraryProperty property, int* value))                                       \
  X(Create, cublasCreate_v2, (CublasHandle * handle))                                                             \
  X(Destroy, cublasDestroy_v2, (CublasHandle handle))                                                             \
  X(SetStream, cublasSetStream_v2, (CublasHandle handle, Stream stream))                                          \
  X(Sgemm, cublasSgemm_v2,                                                                                        \
    (CublasHandle handle, CublasOperation op_a, CublasOperation op_b, int m, int n, int k, const float* alpha,    \
     const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc))                     \
  X(GemmEx, cublasGemmEx,                                                                                         \
    (CublasHandle handle, CublasOperation op_a, CublasOperation op_b, int m, int n, int k, const void* alpha,     \
     const void* a, DataType a_type, int lda, const void* b, DataType b_type, int ldb, const void* beta, void* c, \
     DataType c_type, int ldc, CublasCompute compute, int algorithm))                                             \
  X(GetStatusString, cublasGetStatusString, (CublasStatus status), const char*)

#define BB_CUDA_CUBLASLT_REQUIRED(X)                   \
  X(GetVersion, cublasLtGetVersion, (), std::size_t)   \
  X(Create, cublasLtCreate, (CublasLtHandle * handle)) \
  X(Destroy, cublasLtDestroy, (CublasLtHandle handle))

#define BB_MEMBER(member, symbol, parameters, ...) Returned<__VA_ARGS__>(BB_CUDA_CALL * member) parameters = nullptr;

struct CublasApi {
  template <typename Return = CublasStatus>
  using Returned = Return;
  BB_CUDA_CUBLAS_REQUIRED(BB_MEMBER)

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

struct CublasLtApi {
  template <typename Return = CublasStatus>
  using Returned = Return;
  BB_CUDA_CUBLASLT_REQUIRED(BB_MEMBER)

  std::string resolve(const DynamicLibrary& library);
};

#undef BB_MEMBER

}  // namespace bb::cuda::api
