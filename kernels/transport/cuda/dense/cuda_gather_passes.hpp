#pragma once

#include <vector>

#include "cuda_dense_solver.hpp"
#include "cuda_gather.hpp"

namespace bb::transport {

/// Names of the operators' kernels. The workbench finds a variant's kernels by the names that its sources quote.
struct GatherKernels {
  const char *slow_down, *angles, *x, *z;
};

/// The gathering kernels with their launch shapes, for `bins` energies each.
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
  /// Energy, angles, x, z, in this order; no z with depth stepping.
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

}  // namespace bb::transport
