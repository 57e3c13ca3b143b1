#pragma once

#include <optional>
#include <vector>

#include "cuda_dense_solver.hpp"
#include "cuda_gather.hpp"

namespace bb::transport {

/// Names of the operators' kernels. The workbench recognizes a variant's kernels by the names in string literals of its
/// sources.
struct GatherKernels {
  const char *slow_down, *angles, *x, *z;
};

/// The gather kernels and their launch shapes for `bins` energies per launch.
template <typename T>
class CudaGatherPasses : public CudaDenseSolver<T> {
 public:
  using CudaDenseSolver<T>::CudaDenseSolver;

 protected:
  struct Pass {
    cuda::Kernel kernel;
    cuda::LaunchShape shape;
  };

  Pass score_pass() const {
    return {this->kernel("gather_score"),
            {.grid = {blocks(this->tables().nx, 32), static_cast<unsigned>(this->rows()), 1},
             .block = {32, static_cast<unsigned>(this->tuned("kScoreWarps", kScoreWarps)), 1}}};
  }
  /// Returns the passes for energy, angles, x and z, in this order. Depth stepping has no pass for z.
  std::vector<Pass> operator_passes(int bins, const GatherKernels& names) const {
    const int cells = this->field_cells();
    const int angles = this->tables().ntheta;
    const auto row = static_cast<unsigned>(angles);
    const auto depth = static_cast<unsigned>(bins);
    const int threads = this->tuned("kGatherThreads", kGatherThreads);
    const int rows = this->tuned("kGatherAngleRows", kGatherAngleRows);
    const int together = this->tuned("kGatherAngles", kGatherAngles);
    const unsigned groups = blocks(bins, this->tuned("kGatherStreamBins", kGatherStreamBins));
    const cuda::Extent3 line{static_cast<unsigned>(threads), 1, 1};
    std::vector<Pass> out;
    const auto add = [&](const char* name, cuda::Extent3 grid, cuda::Extent3 block) {
      out.push_back({this->kernel(name), {.grid = grid, .block = block}});
    };
    add(names.slow_down, {blocks(cells, threads), blocks(angles, together), depth}, line);
    add(names.angles, {blocks(cells, 32), blocks(angles, rows), depth}, {32, static_cast<unsigned>(rows), 1});
    add(names.x, {blocks(cells, threads), row, groups}, line);
    if (!this->depth()) add(names.z, {blocks(cells, threads), row, groups}, line);
    return out;
  }

  static unsigned blocks(int work, int per_block) { return static_cast<unsigned>((work + per_block - 1) / per_block); }
};

/// The kernels of cuda_gather.cu.
inline constexpr GatherKernels kGatherKernels{"gather_slow_down", "gather_scatter_angles", "gather_stream_x",
                                              "gather_stream_z"};

/// Five kernels per step, each reading one buffer and writing the other.
template <typename T>
class CudaGatherSolver : public CudaGatherPasses<T> {
 public:
  using CudaGatherPasses<T>::CudaGatherPasses;

 protected:
  /// The operators' kernels.
  virtual const GatherKernels& operators() const = 0;

  void look_up_kernels() override {
    score_.emplace(this->score_pass());
    operators_ = this->operator_passes(this->tables().ne, operators());
  }

  void launch_operators(int step) override {
    score_->kernel.launch(this->stream(), score_->shape, this->context(step));
    for (auto& [kernel, shape] : operators_) {
      kernel.launch(this->stream(), shape, this->context(step));
      this->flip();
    }
  }

 private:
  using Pass = typename CudaGatherPasses<T>::Pass;
  std::optional<Pass> score_;
  std::vector<Pass> operators_;
};

}  // namespace bb::transport
