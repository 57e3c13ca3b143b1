#pragma once

#include "cuda/device/buffer.hpp"
#include "packed_setup.hpp"

namespace bb::diffraction {

/// A packed setup on the device.
template <typename I, typename T>
class CudaTables {
 public:
  CudaTables(const Setup& setup, cuda::Stream& stream) : packed_(setup) {
    send(packed_.sources, sources_, stream);
    send(packed_.rays, rays_, stream);
    send(packed_.edges, edges_, stream);
    send(packed_.factors, factors_, stream);
    send(packed_.phis, phis_, stream);
    send(packed_.domains, domains_, stream);
    view_ = packed_.view;
    view_.source = sources_.pointer();
    view_.rays = rays_.pointer();
    view_.edges = edges_.pointer();
    view_.factors.table = factors_.pointer();
    view_.phi = phis_.pointer();
    view_.domain = domains_.pointer();
    stream.synchronize();
  }

  const device::DeviceSetup<I, T>& view() const { return view_; }
  const device::PackedSetup<I, T>& host() const { return packed_; }

 private:
  template <typename V>
  static void send(const std::vector<V>& values, cuda::DeviceBuffer<V>& to, cuda::Stream& stream) {
    to = cuda::DeviceBuffer<V>(stream.device(), values.size());
    to.upload(values, stream);
  }

  device::PackedSetup<I, T> packed_;
  cuda::DeviceBuffer<Source> sources_;
  cuda::DeviceBuffer<device::Ray<I>> rays_;
  cuda::DeviceBuffer<device::Edges<I>> edges_;
  cuda::DeviceBuffer<T> factors_;
  cuda::DeviceBuffer<double> phis_;
  cuda::DeviceBuffer<Mat3> domains_;
  device::DeviceSetup<I, T> view_;
};

}  // namespace bb::diffraction
