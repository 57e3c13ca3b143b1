#include "cuda_scatter_solver.hpp"

#include <algorithm>

#include "transport/model/typed_tables.hpp"

namespace bb::transport {
namespace {

// Number of blocks of the reduction per energy bin.
constexpr unsigned kTotalBlocks = 64;

}  // namespace

void CudaScatterSolver::look_up_kernels() {
  totals_.emplace(this->kernel("scatter_totals"));
  slow_down_.emplace(this->kernel(names().slow_down));
  angles_.emplace(this->kernel(names().angles));
  stream_.emplace(this->kernel(names().stream));

  const SourceTaps taps = taps_by_source(this->tables());
  std::vector<int> begin(taps.begin.begin(), taps.begin.end());
  std::vector<float> weight;
  for (const std::size_t tap : taps.tap) weight.push_back(this->typed().gather_weight[tap]);
  const auto send = [&]<typename V>(cuda::DeviceBuffer<V>& to, const std::vector<V>& values) {
    to = cuda::DeviceBuffer<V>(this->device(), values.size());
    to.upload(values, this->stream());
  };
  send(begin_, begin);
  send(destination_, std::vector<int>(taps.destination));
  send(weight_, weight);
  this->stream().synchronize();  // until the uploads from the host's arrays are complete
  taps_ = {begin_.pointer(), destination_.pointer(), weight_.pointer()};
}

void CudaScatterSolver::launch_operators(int step) {
  const unsigned field_blocks = static_cast<unsigned>((this->field_cells() + kScatterThreads - 1) / kScatterThreads);
  totals_->launch(this->stream(),
                  {.grid = {std::min(field_blocks, kTotalBlocks), static_cast<unsigned>(this->tables().ne), 1},
                   .block = {kScatterThreads, 1, 1}},
                  this->context(step));
  this->clear_target(step);
  slow_down_->launch(this->stream(), shape(), this->context(step), taps_);
  this->flip();
  this->clear_target(step);
  angles_->launch(this->stream(), shape(), this->context(step));
  this->flip();
  this->clear_target(step);
  stream_->launch(this->stream(), shape(), this->context(step));
  this->flip();
}

}  // namespace bb::transport
