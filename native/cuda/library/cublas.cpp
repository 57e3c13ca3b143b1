#include "cublas.hpp"

#include "../device/error.hpp"

namespace bb::cuda {

using api::CublasCompute;
using api::CublasOperation;
using api::CublasStatus;
using api::DataType;

std::string cublas_unavailable() {
  const LibraryState& state = cublas_library().state;
  return state.available ? "" : state.reason;
}

Cublas::Cublas() : api_(cublas_library().api) {
  if (const std::string why = cublas_unavailable(); !why.empty()) throw Error("unsupported", why);
  check(api_.Create(&handle_), "cublasCreate_v2");
}

Cublas::~Cublas() {
  if (handle_) api_.Destroy(handle_);
}

void Cublas::check(CublasStatus status, const char* call) const {
  if (status == 0) return;
  throw Error("device", std::string(call) + " failed: " + api_.GetStatusString(status) + ".");
}

void Cublas::multiply(Stream& stream, int m, int n, int k, const void* a, const void* b, float* c, DataType inputs,
                      CublasCompute compute) {
  check(api_.SetStream(handle_, stream.handle()), "cublasSetStream_v2");
  const float one = 1.0f, zero = 0.0f;
  // cuBLAS counts columns first: C' = B' A' of the transposes, which is how row-major arrays look to it.
  check(api_.GemmEx(handle_, CublasOperation::kNone, CublasOperation::kNone, n, m, k, &one, b, inputs, n, a, inputs, k,
                    &zero, c, DataType::kFp32, n, compute, api::kCublasGemmDefault),
        "cublasGemmEx");
}

void Cublas::reserve(Stream& stream) {
  workspace_ = DeviceBuffer<unsigned char>(stream.device(), kCublasWorkspace_bytes);
}

void Cublas::product(Stream& stream, const float* a, Stored a_stored, const float* b, Stored b_stored, float* out,
                     int rows, int columns, int depth) {
  const float one = 1.0f, zero = 0.0f;
  const auto operation = [](Stored stored) {
    return stored == Stored::kTransposed ? CublasOperation::kTranspose : CublasOperation::kNone;
  };
  // Setting the stream puts the library's own workspace back.
  check(api_.SetStream(handle_, stream.handle()), "cublasSetStream_v2");
  if (workspace_.size() > 0) {
    check(api_.SetWorkspace(handle_, workspace_.pointer(), workspace_.bytes()), "cublasSetWorkspace_v2");
  }
  // Columns first, as above.
  check(api_.Sgemm(handle_, operation(b_stored), operation(a_stored), columns, rows, depth, &one, b,
                   b_stored == Stored::kTransposed ? depth : columns, a, a_stored == Stored::kTransposed ? rows : depth,
                   &zero, out, columns),
        "cublasSgemm_v2");
}

}  // namespace bb::cuda
