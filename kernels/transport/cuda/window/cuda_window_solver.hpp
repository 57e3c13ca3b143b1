#pragma once

#include <optional>

#include "cuda_window_tables.hpp"

namespace bb::transport {

/// ψ[bin][z][angle][x] on the device. Only the box that the protons of each bin fill is read and written. One
/// cooperative kernel takes all steps that the host requests at a time; see cuda_window.hpp.
template <typename T>
class CudaWindowSolver final : public CudaSolver<T> {
 public:
  CudaWindowSolver(const Problem& problem, const Tables& tables)
      : CudaSolver<T>(problem, tables, TableSet::kLosses), depth_(problem.stepping == Stepping::kDepth) {}

 protected:
  double state_bytes_needed() const override;
  void prepare() override;
  std::vector<std::string> kernels_needed() const override;
  void launch_step(int step) override { launch_steps(step, 1); }
  void launch_steps(int first, int count) override;
  void launch_count(double* row) override;
  DeviceState<T> device_state() const override;
  void discard_steps(int) override {}  // the device counts the steps
  double cells_per_step() const override;
  double flops_per_cell_step() const override { return window_->flops_per_cell_step(this->tables()); }

 private:
  std::string steps_kernel_name() const;
  int pitch() const { return row_pitch(this->tables()); }
  std::size_t slice_cells() const;
  void send_start();
  void launch_per_bin(const char* name, auto argument);

  bool depth_;
  unsigned blocks_ = 1;  // maximum resident blocks of the device
  cuda::DeviceBuffer<T> state_[2];
  cuda::DeviceBuffer<WindowBox> bounds_[3];
  cuda::DeviceBuffer<WindowControl> control_;
  std::optional<CudaWindowTables<T>> window_;
  cuda::DeviceBuffer<double> written_;
  WindowParameters<T> parameters_{};
  std::optional<cuda::Kernel> steps_kernel_, begin_kernel_;
};

extern template class CudaWindowSolver<float>;
extern template class CudaWindowSolver<double>;

}  // namespace bb::transport
