#pragma once

#include "cuda_window.hpp"
#include "transport/cuda/cuda_bins.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/cuda/cuda_solver.hpp"

namespace bb::transport {

/// Cells of the window's shell are below this fraction of the beam: some 10^4 of them a step stay near 1e-9 of the
/// protons with FP32; the ledger counts them.
template <typename T>
constexpr double kWindowThreshold = sizeof(T) == sizeof(float) ? 5e-13 : 1e-20;

/// What the window's kernels look up, on the device, and how a block cuts its shared memory. Where states lie and what a
/// beam begins with is left out.
template <typename T>
class CudaWindowTables {
 public:
  /// `static_shared`: bytes of shared memory that the kernel has beside. Throws ProblemError('unsupported') where not even
  /// the smallest items fit.
  CudaWindowTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed,
                   const DeviceTables<T>& on_device, int static_shared, cuda::Stream& stream);

  const WindowParameters<T>& parameters() const { return parameters_; }

 private:
  void send(const Tables& tables, const TypedTables<T>& typed, const BinTables<T>& by_bin, cuda::Stream& stream);
  void choose_layout(const Problem& problem, const Tables& tables, const BinTables<T>& by_bin, int static_shared,
                     const cuda::DeviceInfo& info);

  cuda::DeviceBuffer<unsigned char> memory_;
  WindowParameters<T> parameters_{};
};

extern template class CudaWindowTables<float>;
extern template class CudaWindowTables<double>;

}  // namespace bb::transport
