#pragma once

#include <memory>

#include "cuda/device/buffer.hpp"
#include "transport/model/device_tables.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// The tables of a problem on a device: all arrays in one allocation, sent in one copy.
template <typename T>
class CudaTables {
 public:
  /// The copy is complete when it returns.
  CudaTables(const Problem& problem, const Tables& tables, cuda::Stream& stream);

  const DeviceTables<T>& view() const { return view_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  cuda::DeviceBuffer<unsigned char> memory_;
  DeviceTables<T> view_{};
};

extern template class CudaTables<float>;
extern template class CudaTables<double>;

}  // namespace bb::transport
