#pragma once

#include <cstddef>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "driver_types.hpp"
#include "resolve.hpp"

// Declarations of the parts of cuBLAS and cuBLASLt in use, from NVIDIA's cuBLAS reference.
namespace bb::cuda::api {

using CublasStatus = int;
using CublasHandle = struct CublasTag*;
using CublasLtHandle = struct CublasLtTag*;

enum class CublasOperation : int { kNone = 0, kTranspose = 1 };
/// The cudaDataType and cublasComputeType_t values in use.
enum class DataType : int { kFp32 = 0, kFp16 = 2, kBf16 = 14 };
enum class CublasCompute : int { kFp32 = 68, kFp32ByTf32 = 77 };
inline constexpr int kCublasGemmDefault = -1;  // CUBLAS_GEMM_DEFAULT: heuristics choose the algorithm

enum class LibraryProperty : int { kMajor = 0, kMinor = 1, kPatch = 2 };

// Numerical values as in cublasLt.h.
using MatmulDesc = struct MatmulDescTag*;
using MatrixLayout = struct MatrixLayoutTag*;
using MatmulPreference = struct MatmulPreferenceTag*;

enum class MatmulAttribute : int {
  kTransA = 3,
  kTransB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kAuxPointer = 11,
  kAuxLd = 12,
  kBiasDataType = 26,
};
enum class PreferenceAttribute : int { kMaxWorkspaceBytes = 1 };
enum class Epilogue : int {
  kDefault = 1,
  kRelu = 2,
  kBias = 4,
  kReluBias = 6,
  kGelu = 32,
  kGeluBias = 36,
  kReluAux = 130,
  kReluAuxBias = 134,
  kDrelu = 136,
  kDreluBgrad = 152,
  kBgradB = 512,
};

struct MatmulAlgo {
  unsigned long long data[8];
};

/// An algorithm for a product, as ranked by the library's heuristics.
struct MatmulHeuristic {
  MatmulAlgo algo;
  std::size_t workspace_bytes;
  CublasStatus state;
  float waves;
  int reserved[4];
};

#define BB_CUDA_CUBLAS_REQUIRED(X)                                                                             \
  X(GetProperty, cublasGetProperty, (LibraryProperty property, int* value))                                    \
  X(Create, cublasCreate_v2, (CublasHandle * handle))                                                          \
  X(Destroy, cublasDestroy_v2, (CublasHandle handle))                                                          \
  X(SetStream, cublasSetStream_v2, (CublasHandle handle, Stream stream))                                       \
  X(SetWorkspace, cublasSetWorkspace_v2, (CublasHandle handle, void* workspace, std::size_t bytes))            \
  X(Sgemm, cublasSgemm_v2,                                                                                     \
    (CublasHandle handle, CublasOperation op_a, CublasOperation op_b, int m, int n, int k, const float* alpha, \
     const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc))                  \
  X(GetStatusString, cublasGetStatusString, (CublasStatus status), const char*)

// cublas_v2.h overloads this function for C++.
#define BB_CUDA_CUBLAS_OVERLOADED(X)                                                                              \
  X(GemmEx, cublasGemmEx,                                                                                         \
    (CublasHandle handle, CublasOperation op_a, CublasOperation op_b, int m, int n, int k, const void* alpha,     \
     const void* a, DataType a_type, int lda, const void* b, DataType b_type, int ldb, const void* beta, void* c, \
     DataType c_type, int ldc, CublasCompute compute, int algorithm))

#define BB_CUDA_CUBLASLT_REQUIRED(X)                                                                                 \
  X(GetVersion, cublasLtGetVersion, (), std::size_t)                                                                 \
  X(Create, cublasLtCreate, (CublasLtHandle * handle))                                                               \
  X(Destroy, cublasLtDestroy, (CublasLtHandle handle))                                                               \
  X(MatmulDescCreate, cublasLtMatmulDescCreate, (MatmulDesc * desc, CublasCompute compute, DataType scale))          \
  X(MatmulDescDestroy, cublasLtMatmulDescDestroy, (MatmulDesc desc))                                                 \
  X(MatmulDescSetAttribute, cublasLtMatmulDescSetAttribute,                                                          \
    (MatmulDesc desc, MatmulAttribute attribute, const void* value, std::size_t bytes))                              \
  X(MatrixLayoutCreate, cublasLtMatrixLayoutCreate,                                                                  \
    (MatrixLayout * layout, DataType type, unsigned long long rows, unsigned long long columns, long long ld))       \
  X(MatrixLayoutDestroy, cublasLtMatrixLayoutDestroy, (MatrixLayout layout))                                         \
  X(MatmulPreferenceCreate, cublasLtMatmulPreferenceCreate, (MatmulPreference * preference))                         \
  X(MatmulPreferenceDestroy, cublasLtMatmulPreferenceDestroy, (MatmulPreference preference))                         \
  X(MatmulPreferenceSetAttribute, cublasLtMatmulPreferenceSetAttribute,                                              \
    (MatmulPreference preference, PreferenceAttribute attribute, const void* value, std::size_t bytes))              \
  X(MatmulAlgoGetHeuristic, cublasLtMatmulAlgoGetHeuristic,                                                          \
    (CublasLtHandle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b, MatrixLayout c, MatrixLayout d,         \
     MatmulPreference preference, int wanted, MatmulHeuristic* found, int* count))                                   \
  X(Matmul, cublasLtMatmul,                                                                                          \
    (CublasLtHandle handle, MatmulDesc desc, const void* alpha, const void* a, MatrixLayout a_layout, const void* b, \
     MatrixLayout b_layout, const void* beta, const void* c, MatrixLayout c_layout, void* d, MatrixLayout d_layout,  \
     const MatmulAlgo* algo, void* workspace, std::size_t workspace_bytes, Stream stream))

#define BB_MEMBER(member, symbol, parameters, ...) Returned<__VA_ARGS__>(BB_CUDA_CALL * member) parameters = nullptr;

struct CublasApi {
  template <typename Return = CublasStatus>
  using Returned = Return;
  BB_CUDA_CUBLAS_REQUIRED(BB_MEMBER)
  BB_CUDA_CUBLAS_OVERLOADED(BB_MEMBER)

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
