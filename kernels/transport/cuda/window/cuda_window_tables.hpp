#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "cuda_step_tables.hpp"
#include "cuda_window.hpp"
#include "transport/cuda/cuda_bins.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/cuda/cuda_solver.hpp"

namespace bb::transport {

/// Cells of the window's shell are below this fraction of the beam: some 10^4 of them a step stay near 1e-9 of the
/// protons with FP32; the ledger counts them.
template <typename T>
constexpr double kWindowThreshold = sizeof(T) == sizeof(float) ? 5e-13 : 1e-20;

/// Properties of the kernels that the host needs: bytes of their further shared memory, and kWindowTurned.
struct WindowKernels {
  int static_shared;
  int turned;
};

/// Tables that the window's kernels look up on the device, and the partition of a block's shared memory. Without the
/// positions of states and the start of a beam.
template <typename T>
class CudaWindowTables {
 public:
  /// Throws ProblemError('unsupported') where not even the smallest items fit.
  CudaWindowTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed,
                   const DeviceTables<T>& on_device, const WindowKernels& kernels, cuda::Stream& stream);
  /// From rows that the device makes.
  CudaWindowTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed,
                   const DeviceTables<T>& on_device, const WindowKernels& kernels, cuda::Stream& stream,
                   CudaStepRows rows)
    requires std::is_same_v<T, float>;

  const WindowParameters<T>& parameters() const { return parameters_; }
  const std::optional<CudaStepRows>& rows() const { return rows_; }
  /// As flops_per_cell_step() of the tables; 0 where the tables came from the host.
  double flops_per_cell_step(const Tables& tables) const { return rows_ ? rows_->flops_per_cell_step(tables) : 0.0; }

 private:
  void begin(const Problem& problem, const Tables& tables, const DeviceTables<T>& on_device);
  std::vector<WindowBin> window_bins(const BinLayout& layout) const;
  void send(const Tables& tables, const TypedTables<T>& typed, const BinLayout& layout, const BinTables<T>* by_bin,
            cuda::Stream& stream);
  void choose_layout(const Problem& problem, const Tables& tables, const BinLayout& by_bin,
                     const WindowKernels& kernels, const cuda::DeviceInfo& info);

  cuda::DeviceBuffer<unsigned char> memory_;
  std::optional<CudaStepRows> rows_;
  WindowParameters<T> parameters_{};
};

extern template class CudaWindowTables<float>;
extern template class CudaWindowTables<double>;

}  // namespace bb::transport
