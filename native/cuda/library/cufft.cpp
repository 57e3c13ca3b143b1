#include "cufft.hpp"

#include "../device/error.hpp"

namespace bb::cuda {

using api::CufftStatus;
using api::CufftType;

std::string cufft_unavailable() {
  const LibraryState& state = cufft_library().state;
  return state.available ? "" : state.reason;
}

CufftColumns::CufftColumns(const std::shared_ptr<Device>& device, int rows, int columns)
    : api_(cufft_library().api), rows_(rows) {
  if (const std::string why = cufft_unavailable(); !why.empty()) throw Error("unsupported", why);
  device->make_current();
  try {
    check(api_.Create(&forward_), "cufftCreate");
    has_forward_ = true;
    check(api_.Create(&backward_), "cufftCreate");
    has_backward_ = true;
    int real_rows = rows_, complex_rows = frequencies();
    std::size_t bytes = 0;
    // Values of a column are `columns` apart, and columns are adjacent.
    check(api_.MakePlanMany(forward_, 1, &rows_, &real_rows, columns, 1, &complex_rows, columns, 1,
                            CufftType::kRealToComplex, columns, &bytes),
          "cufftMakePlanMany");
    check(api_.MakePlanMany(backward_, 1, &rows_, &complex_rows, columns, 1, &real_rows, columns, 1,
                            CufftType::kComplexToReal, columns, &bytes),
          "cufftMakePlanMany");
  } catch (...) {
    close();  // the destructor does not run if the constructor throws
    throw;
  }
}

CufftColumns::~CufftColumns() { close(); }

void CufftColumns::close() {
  if (has_backward_) api_.Destroy(backward_);
  if (has_forward_) api_.Destroy(forward_);
}

void CufftColumns::check(CufftStatus status, const char* call) const {
  if (status == 0) return;
  throw Error("device", std::string(call) + " failed with status " + std::to_string(status) + ".");
}

void CufftColumns::forward(Stream& stream, float* real, float* complex) {
  check(api_.SetStream(forward_, stream.handle()), "cufftSetStream");
  check(api_.RealToComplex(forward_, real, complex), "cufftExecR2C");
}

void CufftColumns::backward(Stream& stream, float* complex, float* real) {
  check(api_.SetStream(backward_, stream.handle()), "cufftSetStream");
  check(api_.ComplexToReal(backward_, complex, real), "cufftExecC2R");
}

}  // namespace bb::cuda
