#include "cuda_dense_solver.hpp"

#include <algorithm>

#include "cuda_dense.hpp"
#include "cuda_gather_passes.hpp"
#include "transport/model/index.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

constexpr unsigned kThreads = 256;
// Number of blocks of the clearing kernel, whose threads loop over the cells. They occupy all multiprocessors of
// current devices.
constexpr unsigned kClearBlocks = 2048;

unsigned blocks(std::size_t work, std::size_t per_block) {
  return static_cast<unsigned>((work + per_block - 1) / per_block);
}

}  // namespace

template <typename T>
double CudaDenseSolver<T>::state_bytes_needed() const {
  return estimate_dense(this->problem(), this->tables());
}

template <typename T>
double CudaDenseSolver<T>::cells_per_step() const {
  const Tables& t = this->tables();
  return static_cast<double>(t.cells()) / (depth_ ? t.nz : 1);
}

template <typename T>
DeviceStep<T> CudaDenseSolver<T>::context(int step) const {
  return {.tables = this->device_tables(),
          .scores = this->scores(),
          .from = psi_[front_].pointer(),
          .to = psi_[1 - front_].pointer(),
          .step = step,
          .rows = rows_,
          .plane = plane_,
          .first_bin = 0,
          .bins = this->tables().ne,
          .stop_number = this->stop_number()};
}

template <typename T>
cuda::LaunchShape CudaDenseSolver<T>::cell_shape(unsigned threads) const {
  return {.grid = {blocks(u(field_cells()), threads), static_cast<unsigned>(this->tables().ntheta),
                   static_cast<unsigned>(this->tables().ne)},
          .block = {threads, 1, 1}};
}

template <typename T>
void CudaDenseSolver<T>::prepare() {
  const Tables& t = this->tables();
  const std::size_t cells = u(t.ne) * u(t.ntheta) * u(field_cells());
  for (auto& buffer : psi_) buffer = cuda::DeviceBuffer<T>(this->device(), cells);
  this->set_state_bytes(2.0 * static_cast<double>(cells) * sizeof(T));
  sum_.emplace(this->kernel("dense_sum"));
  clear_.emplace(this->kernel("dense_clear"));
  if (this->scores().reactions.on()) record_.emplace(this->kernel("dense_record"));
  look_up_kernels();

  cuda::Stream& stream = this->stream();
  plane_ = start_plane_ = depth_ ? t.start.z : 0;
  if (this->problem().filled) {
    this->kernel("dense_fill")
        .launch(stream, {.grid = {blocks(cells, kThreads), 1, 1}, .block = {kThreads, 1, 1}}, psi_[0].pointer(),
                static_cast<unsigned long long>(cells), static_cast<unsigned long long>(this->problem().seed));
    return;
  }
  psi_[0].fill_bytes(0, stream);
  const auto send = [&](std::vector<double> Start::Part::* factor) {
    std::vector<double> values;
    for (const Start::Part& part : t.start.parts) {
      values.insert(values.end(), (part.*factor).begin(), (part.*factor).end());
    }
    cuda::DeviceBuffer<double> out(this->device(), values.size());
    out.upload(values, stream);
    return out;
  };
  const auto energy = send(&Start::Part::energy);
  const auto angle = send(&Start::Part::angle);
  const auto x = send(&Start::Part::x);
  this->kernel("dense_start")
      .launch(stream,
              {.grid = {blocks(u(t.nx), kThreads), static_cast<unsigned>(t.ntheta), static_cast<unsigned>(t.ne)},
               .block = {kThreads, 1, 1}},
              psi_[0].pointer(), static_cast<const double*>(energy.pointer()),
              static_cast<const double*>(angle.pointer()), static_cast<const double*>(x.pointer()),
              static_cast<int>(t.start.parts.size()), t.ne, t.ntheta, rows_, t.nx, depth_ ? 0 : t.start.z);
  stream.synchronize();  // until the uploads from the three arrays are complete
}

template <typename T>
void CudaDenseSolver<T>::launch_step(int step) {
  if (static_cast<int>(fronts_.size()) <= step) fronts_.resize(u(step) + 1);
  fronts_[u(step)] = front_;
  if (record_) launch_record(step);
  launch_operators(step);
  taken_ = step + 1;
  if (!depth_ || ++plane_ < this->tables().nz) return;
  // Protons beyond the last plane have left the grid.
  double* row = this->scores().ledger + static_cast<std::ptrdiff_t>(step) * kLedgerColumns;
  launch_sum(step, row + escaped_column(kZHigh), row + escaped_energy_column(kZHigh));
  clear_target(step);
  flip();
}

template <typename T>
void CudaDenseSolver<T>::launch_record(int step) {
  const Tables& t = this->tables();
  record_->launch(this->stream(),
                  {.grid = {blocks(u(t.nx), 32), static_cast<unsigned>(rows_), blocks(u(t.ne), kRecordWarps)},
                   .block = {32, kRecordWarps, 1}},
                  context(step));
}

template <typename T>
void CudaDenseSolver<T>::clear_target(int step) {
  const long long cells = static_cast<long long>(psi_[0].size());
  const unsigned wanted = blocks(static_cast<std::size_t>(cells), 16 * kThreads);
  clear_->launch(this->stream(), {.grid = {std::clamp(wanted, 1u, kClearBlocks), 1, 1}, .block = {kThreads, 1, 1}},
                 context(step), cells);
}

template <typename T>
void CudaDenseSolver<T>::discard_steps(int steps) {
  taken_ -= steps;
  front_ = fronts_[u(taken_)];
  if (depth_) plane_ = start_plane_ + taken_;
}

template <typename T>
void CudaDenseSolver<T>::launch_sum(int step, double* number, double* energy) {
  const Tables& t = this->tables();
  const std::size_t cells = u(t.ntheta) * u(field_cells());
  // Enough blocks to fill the device, but few enough that their atomic additions rarely wait.
  const unsigned per_bin = std::clamp(blocks(cells, 16 * kThreads), 1u, 64u);
  sum_->launch(this->stream(), {.grid = {per_bin, static_cast<unsigned>(t.ne), 1}, .block = {kThreads, 1, 1}},
               context(step), number, energy);
}

template <typename T>
void CudaDenseSolver<T>::launch_count(double* row) {
  launch_sum(0, row + kInFlight, row + kEnergyInFlight);  // counted as step 0, even if the run has ended
}

template <typename T>
DeviceState<T> CudaDenseSolver<T>::device_state() const {
  const Tables& t = this->tables();
  const long long field = field_cells();
  return {.state = {psi_[front_].pointer(), nullptr},
          .states = 1,
          .boxes = {},
          .box_sets = 0,
          .box_ints = 0,
          .step = nullptr,
          // With depth stepping, nothing is in flight beyond the last plane.
          .sizes = {plane_ < t.nz ? t.ne : 0, t.ntheta, rows_, t.nx},
          .strides = {field * t.ntheta, field, t.nx, 1},
          .plane = depth_ ? plane_ : 0,
          .plane_per_step = 0};
}

template class CudaDenseSolver<float>;
template class CudaDenseSolver<double>;

// `cuda-slice-launches`: the kernels of `cuda-gather`, each launched once per energy bin by a loop on the host, like
// code with one array per energy.

namespace {

class CudaSliceLaunches final : public CudaGatherPasses<float> {
 public:
  using CudaGatherPasses<float>::CudaGatherPasses;

 protected:
  void look_up_kernels() override {
    score_.emplace(this->score_pass());
    operators_ = this->operator_passes(1, kGatherKernels);
  }

  void launch_operators(int step) override {
    each_bin(step, *score_);
    for (Pass& pass : operators_) {
      each_bin(step, pass);
      this->flip();
    }
  }

 private:
  void each_bin(int step, Pass& pass) {
    DeviceStep<float> s = this->context(step);
    s.bins = 1;
    for (s.first_bin = 0; s.first_bin < this->tables().ne; ++s.first_bin) {
      pass.kernel.launch(this->stream(), pass.shape, s);
    }
  }

  std::optional<Pass> score_;
  std::vector<Pass> operators_;
};

}  // namespace

Variant cuda_slice_launches_variant() {
  return {
      .id = "cuda-slice-launches",
      .title = "One launch per energy slice",
      .changes = "One launch per energy bin and operator, from a loop on the host",
      .builds_on = "",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_dense_solver.cpp",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 36,
      .flops_per_cell_step = 62,
      .speed_rank = 90,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_float_solver<CudaSliceLaunches>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
