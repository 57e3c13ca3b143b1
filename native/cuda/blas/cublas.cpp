#include "cublas.hpp"

namespace bb::cuda {
namespace {

// As NVIDIA advises for Hopper; older devices ask for less.
constexpr std::size_t kWorkspace_bytes = std::size_t{32} << 20;

}  // namespace

std::string cublas_unavailable() { return cublas_library().state.reason; }

Cublas::Cublas(Stream& stream) : api_(cublas_library().api) {
  if (!cublas_library().state.available) throw Error("unsupported", cublas_library().state.reason);
  const auto check = [this](api::CublasStatus status, const char* call) {
    if (status == 0) return;
    if (handle_ != nullptr) api_.Destroy(handle_);
    throw Error("device", std::string(call) + " fails: " + api_.GetStatusString(status));
  };
  workspace_ = DeviceBuffer<unsigned char>(stream.device(), kWorkspace_bytes);
  check(api_.Create(&handle_), "cublasCreate");
  check(api_.SetStream(handle_, stream.handle()), "cublasSetStream");
  check(api_.SetWorkspace(handle_, workspace_.pointer(), workspace_.bytes()), "cublasSetWorkspace");
}

Cublas::~Cublas() { api_.Destroy(handle_); }

void Cublas::product(const float* a, Stored a_stored, const float* b, Stored b_stored, float* out, int rows,
                     int columns, int depth) {
  using api::CublasOperation;
  const float one = 1.0f, zero = 0.0f;
  const auto operation = [](Stored stored) {
    return stored == Stored::kTransposed ? CublasOperation::kTranspose : CublasOperation::kNone;
  };
  // The library's matrices are column-major, where these are their transposes: outᵀ = Bᵀ Aᵀ.
  const api::CublasStatus status = api_.Sgemm(handle_, operation(b_stored), operation(a_stored), columns, rows, depth,
                                              &one, b, b_stored == Stored::kTransposed ? depth : columns, a,
                                              a_stored == Stored::kTransposed ? rows : depth, &zero, out, columns);
  if (status != 0) throw Error("device", std::string("cublasSgemm fails: ") + api_.GetStatusString(status));
}

}  // namespace bb::cuda
