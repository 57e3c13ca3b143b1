#pragma once

#include <memory>

#include "cuda/device/buffer.hpp"
#include "transport/model/device_tables.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/model/typed_tables.hpp"

namespace bb::transport {

/// Which tables a variant's kernels look up.
enum class Sent {
  kAll,
  kLosses,  // all but the energy gather and the angle kernels: the variant sends those in an order of its own
};

/// The tables of a problem on a device: all arrays in one allocation, sent in one copy.
template <typename T>
class CudaTables {
 public:
  /// The copy is complete when it returns.
  CudaTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed, Sent sent,
             cuda::Stream& stream);

  const DeviceTables<T>& view() const { return view_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  cuda::DeviceBuffer<unsigned char> memory_;
  DeviceTables<T> view_{};
};

extern template class CudaTables<float>;
extern template class CudaTables<double>;

}  // namespace bb::transport
