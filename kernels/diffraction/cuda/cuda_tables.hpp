#pragma once

#include "cuda/device/buffer.hpp"
#include "packed_setup.hpp"

namespace bb::diffraction {

/// A packed setup on the device.
template <typename I, typename T>
class CudaTables {
 public:
  CudaTables(const Setup& setup, cuda::Stream& stream);

  const device::DeviceSetup<I, T>& view() const { return view_; }
  const device::PackedSetup<I, T>& host() const { return packed_; }

 private:
  device::PackedSetup<I, T> packed_;
  cuda::DeviceBuffer<Source> sources_;
  cuda::DeviceBuffer<device::Ray<I>> rays_;
  cuda::DeviceBuffer<device::Edges<I>> edges_;
  cuda::DeviceBuffer<T> factors_;
  cuda::DeviceBuffer<double> phis_;
  cuda::DeviceBuffer<Mat3> domains_;
  device::DeviceSetup<I, T> view_;
};

extern template class CudaTables<float, float>;
extern template class CudaTables<double, float>;
extern template class CudaTables<double, double>;
extern template class CudaTables<device::DoubleFloat, float>;

}  // namespace bb::diffraction
