#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cuda/device/graph.hpp"
#include "cuda_fused.hpp"
#include "cuda_march.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/cuda/cuda_solver.hpp"
#include "transport/cuda/sweep/cuda_sweep_plan.hpp"
#include "transport/model/index.hpp"
#include "transport/registry.hpp"
#include "transport/run/by_precision.hpp"

// Shared memory per block in the first pass of the fused step. Needs no device.
namespace bb::transport {

/// Quads of columns per collide item.
inline int fused_tile_quads(const Tables& t) {
  constexpr int kNarrowGrid = 16;  // columns: up to this number, items are narrower
  return t.nx <= kNarrowGrid ? 4 : 8;
}

/// Bytes of shared memory, as laid out by Collide in cuda_fused_collide.cuh.
template <typename T>
std::size_t fused_shared_bytes(const Tables& t, int most_feeds, int most_half, int turned) {
  const int rows = t.ntheta + 2 * most_half + 2 * turned;
  return u(rows * fused_tile_quads(t) * 4 + (most_half + 4) / 4 * 4) * sizeof(T) +
         u(most_feeds + 1) * sizeof(FusedSource);
}

inline SharedNeed fused_shared_need(const Problem& problem, const Tables& outline) {
  const auto bytes = [&](int feeds, int half) {
    return static_cast<double>(problem.precision == Precision::kFp32
                                   ? fused_shared_bytes<float>(outline, feeds, half, kFusedTurned)
                                   : fused_shared_bytes<double>(outline, feeds, half, kFusedTurned));
  };
  return {.least = bytes(0, 0), .most = bytes(outline.most.feeds, outline.most.half)};
}

/// Launch mode of the fused kernels.
enum class FusedLoop {
  kLaunches,    // one launch per step if the sweep is possible; else two, or three with the angle march
  kGraph,       // captured graphs of several steps
  kPersistent,  // one cooperative launch per batch; blocks wait for each other between steps
};

/// ψ[bin][z][angle][x] on the device, advanced by the fused step of cuda_fused.cu. The device plans its own steps; the
/// host only sets their number.
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
  const char* no_graph() const override { return loop_ == FusedLoop::kGraph ? "it is already a graph" : ""; }
  void launch_step(int step) override { launch_steps(step, 1); }
  void launch_steps(int first, int count) override;
  void launch_count(double* row) override;
  DeviceState<T> device_state() const override;
  void discard_steps(int) override {}  // the device counts the steps
  double cells_per_step() const override;
  /// The two passes read and write each cell twice; the sweep reads and writes it once.
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
  unsigned collide_blocks_ = 1;  // maximum resident blocks of the device
  unsigned stream_blocks_ = 1;   // one per item
  cuda::DeviceBuffer<T> state_, turned_;
  cuda::DeviceBuffer<DeviceBox> bounds_[2], from_;
  cuda::DeviceBuffer<StepControl> control_;
  cuda::DeviceBuffer<int> items_;  // collide_begin, then stream_begin
  cuda::DeviceBuffer<int> marched_;
  cuda::DeviceBuffer<unsigned char> bins_;  // data that the kernels look up per bin
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
