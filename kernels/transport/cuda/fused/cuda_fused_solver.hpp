#pragma once

#include <optional>
#include <vector>

#include "cuda/device/graph.hpp"
#include "cuda_fused.hpp"
#include "cuda_march.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/cuda/cuda_solver.hpp"
#include "transport/cuda/sweep/cuda_sweep_plan.hpp"

namespace bb::transport {

/// Launch mode of the steps of the fused kernel.
enum class FusedLoop {
  kLaunches,    // one launch per step where it can be swept, else two, three with the angle march
  kGraph,       // a captured graph of several steps, replayed
  kPersistent,  // one cooperative launch per batch, blocks wait for each other
                // between steps
};

/// ψ[bin][z][angle][x] on the device, advanced by the fused step of
/// cuda_fused.cu. The device plans its own steps; the host only says how many.
template <typename T>
class CudaFusedSolver : public CudaSolver<T> {
 public:
  CudaFusedSolver(const Problem& problem, const Tables& tables, FusedLoop loop)
      : CudaSolver<T>(problem, tables), loop_(loop), depth_(problem.stepping == Stepping::kDepth) {}

 protected:
  double state_bytes_needed() const override;
  void prepare() override;
  std::vector<std::string> kernels_needed() const override;
  void capture() override;
  const char* no_graph() const override { return loop_ == FusedLoop::kGraph ? "it is a graph already" : ""; }
  void launch_step(int step) override { launch_steps(step, 1); }
  void launch_steps(int first, int count) override;
  void launch_count(double* row) override;
  DeviceState<T> device_state() const override;
  void forget_steps(int) override {}  // the device counts its steps itself
  double cells_per_step() const override;
  /// Two passes read and write each cell twice, the sweep once.
  double bytes_per_cell_step() const override { return sweep_kernel_ ? 8.0 : 16.0; }

 private:
  int pitch() const { return row_pitch(this->tables()); }
  std::size_t slice_cells() const;
  void fill_parameters();
  void send_bins();
  void plan_march();
  bool prepare_sweep();
  void send_start();
  void queue_step();
  void queue_collect();
  cuda::Kernel stepped_kernel(const char* name) const;
  unsigned collide_threads() const { return static_cast<unsigned>(this->tuned("kCollideThreads", kCollideThreads)); }

  FusedLoop loop_;
  bool depth_;
  unsigned shared_bytes_ = 0;
  unsigned collide_blocks_ = 1;  // that the device holds at once
  unsigned stream_blocks_ = 1;   // one for each item
  cuda::DeviceBuffer<T> state_, turned_;
  cuda::DeviceBuffer<DeviceBox> bounds_[2], from_;
  cuda::DeviceBuffer<StepControl> control_;
  cuda::DeviceBuffer<int> items_;  // collide_begin, stream_begin
  cuda::DeviceBuffer<int> marched_;
  cuda::DeviceBuffer<unsigned char> bins_;  // what the kernels look up per bin
  cuda::DeviceBuffer<double> written_;
  cuda::DeviceBuffer<MarchPair> pairs_;
  FusedParameters<T> parameters_{};
  MarchParameters march_{};
  std::optional<cuda::Kernel> collide_kernel_, stream_kernel_, persistent_kernel_, begin_kernel_, march_kernel_;
  cuda::DeviceBuffer<SweepGroup> sweep_groups_;
  cuda::DeviceBuffer<SweepColumn> sweep_columns_;
  cuda::DeviceBuffer<int> sweep_begin_;
  cuda::DeviceBuffer<SweepAngle> sweep_angles_;
  cuda::DeviceBuffer<float> sweep_kernels_;
  SweepParameters sweep_{};
  unsigned sweep_blocks_ = 0, sweep_threads_ = 0, sweep_bytes_ = 0;
  cuda::DeviceBuffer<float> sweep_scores_;
  std::optional<cuda::Kernel> sweep_kernel_, collect_kernel_;
  std::optional<cuda::Graph> graph_;
};

extern template class CudaFusedSolver<float>;
extern template class CudaFusedSolver<double>;

}  // namespace bb::transport
