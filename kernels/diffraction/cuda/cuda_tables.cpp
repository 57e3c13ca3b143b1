#include "cuda_tables.hpp"

namespace bb::diffraction {
namespace {

template <typename V>
void send(const std::vector<V>& values, cuda::DeviceBuffer<V>& to, cuda::Stream& stream) {
  to = cuda::DeviceBuffer<V>(stream.device(), values.size());
  to.upload(values, stream);
}

}  // namespace

template <typename I, typename T>
CudaTables<I, T>::CudaTables(const Setup& setup, cuda::Stream& stream) : packed_(setup) {
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

template class CudaTables<float, float>;
template class CudaTables<double, float>;
template class CudaTables<double, double>;
template class CudaTables<device::DoubleFloat, float>;

}  // namespace bb::diffraction
