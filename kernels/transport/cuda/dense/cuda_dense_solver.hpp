#pragma once

#include <vector>

#include "transport/cuda/cuda_solver.hpp"
#include "transport/run/by_precision.hpp"

namespace bb::transport {

/// A CUDA variant with ψ[e][θ][z][x] of the whole grid in two buffers, x contiguous. With depth stepping ψ[e][θ][x] of
/// one plane is stored as one row of z.
template <typename T>
class CudaDenseSolver : public CudaSolver<T> {
 public:
  using CudaSolver<T>::CudaSolver;

 protected:
  // Interface of a variant.

  virtual void look_up_kernels() = 0;
  /// Queues the operators of one step. Each operator that writes to the other buffer ends with `flip`.
  virtual void launch_operators(int step) = 0;

  /// Arguments of a kernel in step `step`, which reads the state and writes to the other buffer.
  DeviceStep<T> context(int step) const;
  /// Makes the other buffer the state.
  void flip() { front_ = 1 - front_; }
  /// Queues the clearing of the other buffer.
  void clear_target(int step);

  /// Number of cells in one (e, θ) field.
  int field_cells() const { return rows_ * this->tables().nx; }
  int rows() const { return rows_; }
  bool depth() const { return depth_; }
  /// Launch shape with one thread per cell: blockIdx.y is the angle and blockIdx.z the energy bin.
  cuda::LaunchShape cell_shape(unsigned threads) const;

  double state_bytes_needed() const override;
  void prepare() final;
  void launch_step(int step) final;
  void launch_count(double* row) final;
  DeviceState<T> device_state() const final;
  void discard_steps(int steps) final;
  double cells_per_step() const final;

 private:
  void launch_record(int step);
  void launch_sum(int step, double* number, double* energy);

  const bool depth_ = this->problem().stepping == Stepping::kDepth;
  const int rows_ = depth_ ? 1 : this->tables().nz;
  cuda::DeviceBuffer<T> psi_[2];
  int front_ = 0;  // index of the buffer with the state
  int plane_ = 0;  // row of the map for row 0
  int start_plane_ = 0;
  int taken_ = 0;            // queued steps, without those undone by discard_steps()
  std::vector<int> fronts_;  // value of front_ before each step
  std::optional<cuda::Kernel> sum_, clear_, record_;
};

extern template class CudaDenseSolver<float>;
extern template class CudaDenseSolver<double>;

}  // namespace bb::transport
