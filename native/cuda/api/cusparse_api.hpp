#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "cublas_api.hpp"
#include "driver_types.hpp"
#include "resolve.hpp"

// Declarations of the part of cuSPARSE's generic interface in use, from NVIDIA's cuSPARSE reference.
namespace bb::cuda::api {

using CusparseStatus = int;
using CusparseHandle = struct CusparseTag*;
using CusparseMatrix = struct CusparseMatrixTag*;
using CusparseVector = struct CusparseVectorTag*;
using CusparseSpgemm = struct CusparseSpgemmTag*;

enum class CusparseOperation : int { kNone = 0 };
enum class CusparseIndex : int { k32Bit = 2 };
enum class CusparseBase : int { kZero = 0 };
inline constexpr int kCusparseSpmvDefault = 0;    // CUSPARSE_SPMV_ALG_DEFAULT
inline constexpr int kCusparseSpgemmDefault = 0;  // CUSPARSE_SPGEMM_DEFAULT

#define BB_CUDA_CUSPARSE_REQUIRED(X)                                                                                   \
  X(GetProperty, cusparseGetProperty, (LibraryProperty property, int* value))                                          \
  X(Create, cusparseCreate, (CusparseHandle * handle))                                                                 \
  X(Destroy, cusparseDestroy, (CusparseHandle handle))                                                                 \
  X(SetStream, cusparseSetStream, (CusparseHandle handle, Stream stream))                                              \
  X(CreateCsr, cusparseCreateCsr,                                                                                      \
    (CusparseMatrix * matrix, std::int64_t rows, std::int64_t columns, std::int64_t entries, void* offsets,            \
     void* column_indices, void* values, CusparseIndex offsets_type, CusparseIndex indices_type, CusparseBase base,    \
     DataType value_type))                                                                                             \
  X(CreateCsc, cusparseCreateCsc,                                                                                      \
    (CusparseMatrix * matrix, std::int64_t rows, std::int64_t columns, std::int64_t entries, void* offsets,            \
     void* row_indices, void* values, CusparseIndex offsets_type, CusparseIndex indices_type, CusparseBase base,       \
     DataType value_type))                                                                                             \
  X(CsrSetPointers, cusparseCsrSetPointers,                                                                            \
    (CusparseMatrix matrix, void* offsets, void* column_indices, void* values))                                        \
  X(MatrixSize, cusparseSpMatGetSize,                                                                                  \
    (CusparseMatrix matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* entries))                         \
  X(DestroyMatrix, cusparseDestroySpMat, (CusparseMatrix matrix))                                                      \
  X(CreateVector, cusparseCreateDnVec,                                                                                 \
    (CusparseVector * vector, std::int64_t size, void* values, DataType value_type))                                   \
  X(DestroyVector, cusparseDestroyDnVec, (CusparseVector vector))                                                      \
  X(SpmvBufferSize, cusparseSpMV_bufferSize,                                                                           \
    (CusparseHandle handle, CusparseOperation operation, const void* alpha, CusparseMatrix a, CusparseVector x,        \
     const void* beta, CusparseVector y, DataType compute, int algorithm, std::size_t* bytes))                         \
  X(Spmv, cusparseSpMV,                                                                                                \
    (CusparseHandle handle, CusparseOperation operation, const void* alpha, CusparseMatrix a, CusparseVector x,        \
     const void* beta, CusparseVector y, DataType compute, int algorithm, void* buffer))                               \
  X(CreateSpgemm, cusparseSpGEMM_createDescr, (CusparseSpgemm * product))                                              \
  X(DestroySpgemm, cusparseSpGEMM_destroyDescr, (CusparseSpgemm product))                                              \
  X(SpgemmEstimate, cusparseSpGEMM_workEstimation,                                                                     \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, const void* alpha, CusparseMatrix a,       \
     CusparseMatrix b, const void* beta, CusparseMatrix c, DataType compute, int algorithm, CusparseSpgemm product,    \
     std::size_t* bytes, void* buffer))                                                                                \
  X(SpgemmCompute, cusparseSpGEMM_compute,                                                                             \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, const void* alpha, CusparseMatrix a,       \
     CusparseMatrix b, const void* beta, CusparseMatrix c, DataType compute, int algorithm, CusparseSpgemm product,    \
     std::size_t* bytes, void* buffer))                                                                                \
  X(SpgemmCopy, cusparseSpGEMM_copy,                                                                                   \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, const void* alpha, CusparseMatrix a,       \
     CusparseMatrix b, const void* beta, CusparseMatrix c, DataType compute, int algorithm, CusparseSpgemm product))   \
  X(ReuseEstimate, cusparseSpGEMMreuse_workEstimation,                                                                 \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, CusparseMatrix a, CusparseMatrix b,        \
     CusparseMatrix c, int algorithm, CusparseSpgemm product, std::size_t* bytes, void* buffer))                       \
  X(ReuseEntries, cusparseSpGEMMreuse_nnz,                                                                             \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, CusparseMatrix a, CusparseMatrix b,        \
     CusparseMatrix c, int algorithm, CusparseSpgemm product, std::size_t* bytes2, void* buffer2, std::size_t* bytes3, \
     void* buffer3, std::size_t* bytes4, void* buffer4))                                                               \
  X(ReuseCopy, cusparseSpGEMMreuse_copy,                                                                               \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, CusparseMatrix a, CusparseMatrix b,        \
     CusparseMatrix c, int algorithm, CusparseSpgemm product, std::size_t* bytes, void* buffer))                       \
  X(ReuseCompute, cusparseSpGEMMreuse_compute,                                                                         \
    (CusparseHandle handle, CusparseOperation of_a, CusparseOperation of_b, const void* alpha, CusparseMatrix a,       \
     CusparseMatrix b, const void* beta, CusparseMatrix c, DataType compute, int algorithm, CusparseSpgemm product))   \
  X(GetErrorString, cusparseGetErrorString, (CusparseStatus status), const char*)

#define BB_MEMBER(member, symbol, parameters, ...) Returned<__VA_ARGS__>(BB_CUDA_CALL * member) parameters = nullptr;

struct CusparseApi {
  template <typename Return = CusparseStatus>
  using Returned = Return;
  BB_CUDA_CUSPARSE_REQUIRED(BB_MEMBER)

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

#undef BB_MEMBER

}  // namespace bb::cuda::api
