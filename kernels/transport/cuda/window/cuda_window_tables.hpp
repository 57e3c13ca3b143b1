#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "cuda/device/buffer.hpp"
#include "cuda/device/kernel.hpp"
#include "cuda_step_rows.hpp"
#include "cuda_window.hpp"
#include "transport/cuda/cuda_bins.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/cuda/cuda_solver.hpp"
#include "transport/model/step_operators.hpp"

namespace bb::transport {

/// The window's operator tables, computed on the device by three kernels: widths, rows, and the rows in the window's
/// layout. FP32 only; see Tables::operators for the problems that use this.
class CudaStepRows {
 public:
  /// Computes the sizes of the tables and waits for them. `kernel` returns a kernel by its name.
  template <typename Lookup>
  CudaStepRows(const Tables& tables, Lookup&& kernel, cuda::Stream& stream)
      : kernels_{kernel("transport_rows_measure"), kernel("transport_rows_fill"), kernel("transport_rows_spread")} {
    measure(tables, stream);
  }

  const BinLayout& layout() const { return layout_; }
  /// Queues the computation of the tables and sets the pointers to them. The bins of the layout must have been
  /// uploaded.
  void make(WindowParameters<float>& p, cuda::Stream& stream);
  double flops_per_cell_step(const Tables& tables) const;

  struct StepRowTables {
    BinTables<float> tables;
    std::vector<float> deposit, stopped, nuclear, nuclear_escape;  // [paths·materials·ne]
  };
  /// Downloads the tables for comparisons and waits for them.
  StepRowTables read(cuda::Stream& stream) const;

 private:
  void measure(const Tables& tables, cuda::Stream& stream);

  std::array<cuda::Kernel, 3> kernels_;
  DeviceStepRows rows_{};
  BinLayout layout_;
  std::vector<int> sizes_;  // [2][paths·materials] taps and pairs
  int reach_down_ = 0, reach_up_ = 0;
  cuda::DeviceBuffer<unsigned char> inputs_, matter_;
  cuda::DeviceBuffer<int> measured_, feed_bin_;
  cuda::DeviceBuffer<float> by_path_, made_;
};

/// Cells at the edge of the window are below this fraction of the beam. With FP32, some 10^4 such cells per step add up
/// to about 1e-9 of the protons. The ledger counts them.
template <typename T>
constexpr double kWindowThreshold = sizeof(T) == sizeof(float) ? 5e-13 : 1e-20;

/// Properties of the kernels that the host needs: bytes of shared memory outside the layout, and kWindowTurned.
struct WindowKernels {
  int static_shared;
  int turned;
};

/// Tables that the window's kernels use on the device, and the layout of a block's shared memory. Does not set the
/// pointers to states or the start of a beam.
template <typename T>
class CudaWindowTables {
 public:
  /// Throws ProblemError('unsupported') if not even the smallest items fit.
  CudaWindowTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed,
                   const DeviceTables<T>& on_device, const WindowKernels& kernels, cuda::Stream& stream);
  /// Uses rows that the device computes.
  CudaWindowTables(const Problem& problem, const Tables& tables, const TypedTables<T>& typed,
                   const DeviceTables<T>& on_device, const WindowKernels& kernels, cuda::Stream& stream,
                   CudaStepRows rows)
    requires std::is_same_v<T, float>;

  const WindowParameters<T>& parameters() const { return parameters_; }
  const std::optional<CudaStepRows>& rows() const { return rows_; }
  /// Like flops_per_cell_step() of the tables; 0 if the tables were computed on the host.
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
