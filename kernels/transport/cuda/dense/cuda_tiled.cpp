// Host side of `cuda-tiled`: cuts the grid into tiles and launches the two passes.
#include <algorithm>

#include "cuda_gather_passes.hpp"
#include "cuda_tiled.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

// Maximum cells of a streaming tile along x. With its halo of five, a tile needs about 20 KB of shared memory, so that
// eight blocks fit on a multiprocessor. Larger tiles read less halo but leave too few loads in flight.
constexpr int kWidest = 64;
constexpr int kTallest = 32;

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/// Number of cells that the shifts reach beyond both faces of the grid together.
int beyond(const std::vector<physics::RemapShift>& shifts) {
  int below = 0, above = 0;
  for (const physics::RemapShift& s : shifts) {
    below = std::max(below, -s.whole);
    above = std::max(above, s.whole + 1);
  }
  return below + above;
}

class CudaTiledSolver final : public CudaGatherPasses<float> {
 public:
  using CudaGatherPasses<float>::CudaGatherPasses;

 protected:
  void look_up_kernels() override {
    score_.emplace(this->score_pass());
    plan_turn();
    plan_stream();
  }

  void launch_operators(int step) override {
    score_->kernel.launch(this->stream(), score_->shape, this->context(step));
    turn_->kernel.launch(this->stream(), turn_->shape, this->context(step), angles_);
    this->flip();
    stream_->kernel.launch(this->stream(), stream_->shape, this->context(step), tiles_);
    this->flip();
  }

 private:
  void plan_turn() {
    const Tables& t = this->tables();
    const int group = this->tuned("kTurnGroup", kTurnGroup);
    const int tiles = (t.ntheta + kMaxTurnAngles - 1) / kMaxTurnAngles;
    angles_ = round_up((t.ntheta + tiles - 1) / tiles, group);
    const int floats = (angles_ + 2 * t.angle_half_max) * kTurnPitch + t.angle_half_max + 2 * group;
    turn_.emplace(
        Pass{this->kernel(this->field_cells() % 4 == 0 ? "tiled_turn_x4" : "tiled_turn_x1"),
             {.grid = {blocks(this->field_cells(), kTurnCells), blocks(t.ntheta, angles_), static_cast<unsigned>(t.ne)},
              .block = {static_cast<unsigned>(this->tuned("kTurnThreads", kTurnThreads)), 1, 1},
              .dynamic_shared_bytes = static_cast<unsigned>(floats * static_cast<int>(sizeof(float)))}});
    turn_->kernel.allow_dynamic_shared(turn_->shape.dynamic_shared_bytes);
  }

  void plan_stream() {
    const Tables& t = this->tables();
    const bool wide = t.nx % 4 == 0;
    // Tiles have nearly equal sizes.
    const int across = (t.nx + kWidest - 1) / kWidest;
    const int down = (t.nz + kTallest - 1) / kTallest;
    tiles_.x = round_up((t.nx + across - 1) / across, wide ? 4 : 1);
    tiles_.z = (t.nz + down - 1) / down;
    tiles_.tiles_x = (t.nx + tiles_.x - 1) / tiles_.x;
    tiles_.tiles_z = (t.nz + tiles_.z - 1) / tiles_.z;
    tiles_.remapped_pitch = tiles_.x + beyond(t.shift_x);
    tiles_.loaded_pitch = round_up(tiles_.remapped_pitch + 5 + 3, 4);
    tiles_.rows = tiles_.z + beyond(t.shift_z) + 5;
    const int floats = tiles_.rows * (tiles_.loaded_pitch + tiles_.remapped_pitch);
    stream_.emplace(Pass{this->kernel(wide ? "tiled_stream_x4" : "tiled_stream_x1"),
                         {.grid = {static_cast<unsigned>(tiles_.tiles_x * tiles_.tiles_z),
                                   static_cast<unsigned>(t.ntheta), static_cast<unsigned>(t.ne)},
                          .block = {static_cast<unsigned>(this->tuned("kStreamThreads", kStreamThreads)), 1, 1},
                          .dynamic_shared_bytes = static_cast<unsigned>(floats * static_cast<int>(sizeof(float)))}});
    stream_->kernel.allow_dynamic_shared(stream_->shape.dynamic_shared_bytes);
  }

  std::optional<Pass> score_, turn_, stream_;
  int angles_ = 0;  // angles of a tile in the first pass
  StreamTiles tiles_{};
};

}  // namespace

Variant cuda_tiled_variant() {
  return {
      .id = "cuda-tiled",
      .title = "Tiles in shared memory",
      .changes =
          "Energy and angles in one pass over tiles of angles, both remaps in another over tiles of x and z, in "
          "shared memory; 16-byte loads",
      .builds_on = "cuda-gather",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_tiled.cu",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 20,  // the score pass reads the state; two passes read and write it
      .flops_per_cell_step = 62,
      .speed_rank = 130,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_float_solver<CudaTiledSolver>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
