#include "cusparse.hpp"

#include "../device/error.hpp"

namespace bb::cuda {

using api::CusparseBase;
using api::CusparseIndex;
using api::CusparseOperation;
using api::CusparseStatus;
using api::DataType;

namespace {

constexpr float kOne = 1.0f, kZero = 0.0f;

}  // namespace

std::string cusparse_unavailable() {
  const LibraryState& state = cusparse_library().state;
  return state.available ? "" : state.reason;
}

CusparseProduct::CusparseProduct(const std::shared_ptr<Device>& device, const Arrays& a, SparseFormat format)
    : api_(cusparse_library().api) {
  if (const std::string why = cusparse_unavailable(); !why.empty()) throw Error("unsupported", why);
  device->make_current();
  try {
    check(api_.Create(&handle_), "cusparseCreate");
    const auto create = format == SparseFormat::kCsr ? api_.CreateCsr : api_.CreateCsc;
    check(create(&matrix_, a.rows, a.rows, a.entries, a.begin, a.indices, a.values, CusparseIndex::k32Bit,
                 CusparseIndex::k32Bit, CusparseBase::kZero, DataType::kFp32),
          format == SparseFormat::kCsr ? "cusparseCreateCsr" : "cusparseCreateCsc");
    check(api_.CreateVector(&x_, a.rows, a.x, DataType::kFp32), "cusparseCreateDnVec");
    check(api_.CreateVector(&y_, a.rows, a.y, DataType::kFp32), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(api_.SpmvBufferSize(handle_, CusparseOperation::kNone, &kOne, matrix_, x_, &kZero, y_, DataType::kFp32,
                              api::kCusparseSpmvDefault, &bytes),
          "cusparseSpMV_bufferSize");
    scratch_ = DeviceBuffer<unsigned char>(device, bytes);
  } catch (...) {
    close();  // the destructor does not run when a constructor throws
    throw;
  }
}

CusparseProduct::~CusparseProduct() { close(); }

void CusparseProduct::close() {
  if (y_) api_.DestroyVector(y_);
  if (x_) api_.DestroyVector(x_);
  if (matrix_) api_.DestroyMatrix(matrix_);
  if (handle_) api_.Destroy(handle_);
}

void CusparseProduct::check(CusparseStatus status, const char* call) const {
  if (status == 0) return;
  throw Error("device", std::string(call) + " failed: " + api_.GetErrorString(status) + ".");
}

void CusparseProduct::run(Stream& stream) {
  check(api_.SetStream(handle_, stream.handle()), "cusparseSetStream");
  check(api_.Spmv(handle_, CusparseOperation::kNone, &kOne, matrix_, x_, &kZero, y_, DataType::kFp32,
                  api::kCusparseSpmvDefault, scratch_.pointer()),
        "cusparseSpMV");
}

}  // namespace bb::cuda
