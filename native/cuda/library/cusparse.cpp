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
    close();  // the destructor does not run if the constructor throws
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

namespace {

constexpr float kAlpha = 1.0f, kBeta = 0.0f;
constexpr auto kPlain = CusparseOperation::kNone;
constexpr int kAlgorithm = api::kCusparseSpgemmDefault;
constexpr std::size_t kScratches = 5;

}  // namespace

CusparseSquare::CusparseSquare(const std::shared_ptr<Device>& device, const Arrays& arrays)
    : api_(cusparse_library().api), device_(device), arrays_(arrays), scratch_(kScratches) {
  if (const std::string why = cusparse_unavailable(); !why.empty()) throw Error("unsupported", why);
  device->make_current();
  begin_ = DeviceBuffer<unsigned>(device, static_cast<std::size_t>(arrays.rows) + 1);
  try {
    check(api_.Create(&handle_), "cusparseCreate");
    check(api_.CreateCsr(&a_, arrays.rows, arrays.rows, arrays.entries, arrays.begin, arrays.columns, arrays.values,
                         CusparseIndex::k32Bit, CusparseIndex::k32Bit, CusparseBase::kZero, DataType::kFp32),
          "cusparseCreateCsr");
  } catch (...) {
    close();  // the destructor does not run if the constructor throws
    throw;
  }
}

CusparseSquare::~CusparseSquare() { close(); }

void CusparseSquare::close() {
  close_product();
  if (a_) api_.DestroyMatrix(a_);
  if (handle_) api_.Destroy(handle_);
}

void CusparseSquare::check(CusparseStatus status, const char* call) const {
  if (status == 0) return;
  throw Error("device", std::string(call) + " failed: " + api_.GetErrorString(status) + ".");
}

void CusparseSquare::open_product() {
  close_product();
  check(api_.CreateSpgemm(&product_), "cusparseSpGEMM_createDescr");
  check(api_.CreateCsr(&c_, arrays_.rows, arrays_.rows, 0, begin_.pointer(), nullptr, nullptr, CusparseIndex::k32Bit,
                       CusparseIndex::k32Bit, CusparseBase::kZero, DataType::kFp32),
        "cusparseCreateCsr");
}

void CusparseSquare::close_product() {
  if (c_) api_.DestroyMatrix(c_);
  if (product_) api_.DestroySpgemm(product_);
  c_ = nullptr;
  product_ = nullptr;
}

void* CusparseSquare::scratch(std::size_t which, std::size_t bytes) {
  DeviceBuffer<unsigned char>& buffer = scratch_[which];
  // Allocates even for zero bytes, because the library treats a null pointer as a query of the size.
  if (buffer.size() < bytes || buffer.size() == 0) buffer = DeviceBuffer<unsigned char>(device_, bytes + 16);
  return buffer.pointer();
}

void CusparseSquare::allocate_result() {
  std::int64_t rows = 0, columns = 0, entries = 0;
  check(api_.MatrixSize(c_, &rows, &columns, &entries), "cusparseSpMatGetSize");
  entries_ = static_cast<std::size_t>(entries);
  if (columns_.size() < entries_ || columns_.size() == 0) {
    columns_ = DeviceBuffer<unsigned>(device_, entries_ + 1);
    values_ = DeviceBuffer<float>(device_, entries_ + 1);
  }
  check(api_.CsrSetPointers(c_, begin_.pointer(), columns_.pointer(), values_.pointer()), "cusparseCsrSetPointers");
}

void CusparseSquare::run_new_pattern(Stream& stream) {
  check(api_.SetStream(handle_, stream.handle()), "cusparseSetStream");
  open_product();
  std::size_t bytes = 0;
  const auto estimate = [&](void* buffer) {
    check(api_.SpgemmEstimate(handle_, kPlain, kPlain, &kAlpha, a_, a_, &kBeta, c_, DataType::kFp32, kAlgorithm,
                              product_, &bytes, buffer),
          "cusparseSpGEMM_workEstimation");
  };
  estimate(nullptr);
  estimate(scratch(0, bytes));
  bytes = 0;
  const auto compute = [&](void* buffer) {
    check(api_.SpgemmCompute(handle_, kPlain, kPlain, &kAlpha, a_, a_, &kBeta, c_, DataType::kFp32, kAlgorithm,
                             product_, &bytes, buffer),
          "cusparseSpGEMM_compute");
  };
  compute(nullptr);
  compute(scratch(1, bytes));
  allocate_result();
  check(api_.SpgemmCopy(handle_, kPlain, kPlain, &kAlpha, a_, a_, &kBeta, c_, DataType::kFp32, kAlgorithm, product_),
        "cusparseSpGEMM_copy");
  stream.synchronize();  // the next run replaces blocks that this work still uses
}

void CusparseSquare::store_pattern(Stream& stream) {
  check(api_.SetStream(handle_, stream.handle()), "cusparseSetStream");
  open_product();
  std::size_t bytes = 0, bytes2 = 0, bytes3 = 0, bytes4 = 0, bytes5 = 0;
  const auto estimate = [&](void* buffer) {
    check(api_.ReuseEstimate(handle_, kPlain, kPlain, a_, a_, c_, kAlgorithm, product_, &bytes, buffer),
          "cusparseSpGEMMreuse_workEstimation");
  };
  estimate(nullptr);
  estimate(scratch(0, bytes));
  const auto entries = [&](void* second, void* third, void* fourth) {
    check(api_.ReuseEntries(handle_, kPlain, kPlain, a_, a_, c_, kAlgorithm, product_, &bytes2, second, &bytes3, third,
                            &bytes4, fourth),
          "cusparseSpGEMMreuse_nnz");
  };
  entries(nullptr, nullptr, nullptr);
  entries(scratch(1, bytes2), scratch(2, bytes3), scratch(3, bytes4));
  allocate_result();
  const auto copy = [&](void* buffer) {
    check(api_.ReuseCopy(handle_, kPlain, kPlain, a_, a_, c_, kAlgorithm, product_, &bytes5, buffer),
          "cusparseSpGEMMreuse_copy");
  };
  copy(nullptr);
  copy(scratch(4, bytes5));
  stream.synchronize();
}

void CusparseSquare::run_same_pattern(Stream& stream) {
  check(api_.SetStream(handle_, stream.handle()), "cusparseSetStream");
  check(api_.ReuseCompute(handle_, kPlain, kPlain, &kAlpha, a_, a_, &kBeta, c_, DataType::kFp32, kAlgorithm, product_),
        "cusparseSpGEMMreuse_compute");
}

CusparseSquare::Result CusparseSquare::result(Stream& stream) const {
  Result out{
      .begin = begin_.read(stream), .columns = std::vector<unsigned>(entries_), .values = std::vector<float>(entries_)};
  columns_.download(out.columns, stream);
  values_.download(out.values, stream);
  stream.synchronize();
  return out;
}

}  // namespace bb::cuda
