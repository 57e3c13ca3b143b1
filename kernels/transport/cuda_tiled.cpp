// Host side of `cuda-tiled`: cuts the grid into tiles and launches the two passes.
#include <algorithm>

#include "cuda_dense_solver.hpp"
#include "cuda_gather.hpp"
#include "cuda_tiled.hpp"
#include "variants.hpp"

namespace bb::transport {
namespace {

// Cells of a streaming tile, at most: with its halo of five it takes about 20 KB of shared memory, so that a
// multiprocessor holds eight blocks; larger tiles read less halo but leave too few loads in flight.
constexpr int kWidest = 64;
constexpr int kTallest = 32;

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

class CudaTiled final : public CudaDenseSolver<float> {
 public:
  using CudaDenseSolver<float>::CudaDenseSolver;

 protected:
  void look_up_kernels() override {
    const Tables& t = this->tables();
    const bool wide_rows = t.nx % 4 == 0;
    score_.emplace(this->kernel("gather_score"));
    turn_.emplace(this->kernel(this->field_cells() % 4 == 0 ? "tiled_turn_x4" : "tiled_turn_x1"));
    stream_.emplace(this->kernel(wide_rows ? "tiled_stream_x4" : "tiled_stream_x1"));
    turn_shared_ = static_cast<unsigned>((kTurnAngles + 2 * t.angle_half_max) * kTurnPitch) * sizeof(float);
    turn_->allow_dynamic_shared(turn_shared_);

    tiles_.tiles_x = (t.nx + kWidest - 1) / kWidest;
    tiles_.x = round_up((t.nx + tiles_.tiles_x - 1) / tiles_.tiles_x, wide_rows ? 4 : 1);
    tiles_.tiles_x = (t.nx + tiles_.x - 1) / tiles_.x;
    tiles_.tiles_z = (t.nz + kTallest - 1) / kTallest;
    tiles_.z = (t.nz + tiles_.tiles_z - 1) / tiles_.tiles_z;
    tiles_.tiles_z = (t.nz + tiles_.z - 1) / tiles_.z;
    const auto beyond = [](const std::vector<physics::RemapShift>& shifts) {
      int below = 0, above = 0;
      for (const physics::RemapShift& s : shifts) {
        below = std::max(below, -s.whole);
        above = std::max(above, s.whole + 1);
      }
      return below + above;
    };
    tiles_.remapped_pitch = tiles_.x + beyond(t.shift_x);
    tiles_.loaded_pitch = round_up(tiles_.remapped_pitch + 5 + 3, 4);
    tiles_.rows = tiles_.z + beyond(t.shift_z) + 5;
    stream_shared_ =
        static_cast<unsigned>(tiles_.rows * (tiles_.loaded_pitch + tiles_.remapped_pitch)) * sizeof(float);
    stream_->allow_dynamic_shared(stream_shared_);
  }

  void launch_operators(int step) override {
    const Tables& t = this->tables();
    const auto blocks = [](int cells, int per_block) { return static_cast<unsigned>((cells + per_block - 1) / per_block); };
    score_->launch(
        this->stream(),
        {.grid = {blocks(t.nx, 32), static_cast<unsigned>(t.nz), 1}, .block = {32, kGatherScoreWarps, 1}},
        this->context(step));
    turn_->launch(this->stream(),
                  {.grid = {blocks(this->field_cells(), kTurnCells), blocks(t.ntheta, kTurnAngles),
                            static_cast<unsigned>(t.ne)},
                   .block = {kTiledThreads, 1, 1},
                   .dynamic_shared_bytes = turn_shared_},
                  this->context(step));
    this->flip();
    stream_->launch(this->stream(),
                    {.grid = {static_cast<unsigned>(tiles_.tiles_x * tiles_.tiles_z), static_cast<unsigned>(t.ntheta),
                              static_cast<unsigned>(t.ne)},
                     .block = {kTiledThreads, 1, 1},
                     .dynamic_shared_bytes = stream_shared_},
                    this->context(step), tiles_);
    this->flip();
  }

 private:
  std::optional<cuda::Kernel> score_, turn_, stream_;
  StreamTiles tiles_{};
  unsigned turn_shared_ = 0, stream_shared_ = 0;
};

}  // namespace

Variant cuda_tiled_variant() {
  return {
      .id = "cuda-tiled",
      .title = "Tiles in shared memory",
      .changes = "Energy and angles in one pass over tiles of angles, both remaps in one over tiles of x and z, in "
                 "shared memory; 16-byte loads",
      .builds_on = "cuda-gather",
      .device = "cuda",
      .source = "kernels/transport/cuda_tiled.cu",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 20,  // score reads; two passes read and write
      .flops_per_cell_step = 62,
      .speed_rank = 130,
      .estimate_bytes = estimate_cuda_dense,
      .make = make_cuda_float_solver<CudaTiled>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
