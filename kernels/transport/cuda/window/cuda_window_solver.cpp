#include "cuda_window_solver.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

WindowBox empty_box() { return {1 << 30, -1, 1 << 30, -1, 1 << 30, -1, {}}; }

}  // namespace

template <typename T>
std::size_t CudaWindowSolver<T>::slice_cells() const {
  return u(stored_rows(this->problem(), this->tables())) * u(this->tables().ntheta) * u(pitch());
}

template <typename T>
double CudaWindowSolver<T>::state_bytes_needed() const {
  return estimate_cuda_rows(this->problem(), this->tables());
}

template <typename T>
double CudaWindowSolver<T>::cells_per_step() const {
  // Assumed share of the grid that a beam fills. The run counts the actual cells.
  constexpr double kShare = 1e-3;
  return stored_cells(this->problem(), this->tables()) * (this->problem().filled ? 1.0 : kShare);
}

template <typename T>
std::string CudaWindowSolver<T>::steps_kernel_name() const {
  return std::string("transport_window_") + (this->tables().tracks.on() ? "tracks_" : "") + (depth_ ? "depth" : "path");
}

template <typename T>
std::vector<std::string> CudaWindowSolver<T>::kernels_needed() const {
  const char* const type = sizeof(T) == 4 ? "_f32" : "_f64";
  return {steps_kernel_name() + type, std::string("transport_window_begin") + type, std::string("planes_over_x") + type,
          "planes_rounded", "transport_rows_measure"};
}

template <typename T>
void CudaWindowSolver<T>::prepare() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  const auto& device = this->device();
  // static_shared: bytes of Fixed in cuda_window_common.cuh.
  const WindowKernels kernels{.static_shared = 1024, .turned = this->tuned("kWindowTurned", kWindowTurned)};
  if constexpr (std::is_same_v<T, float>) {
    if (t.operators) {
      CudaStepRows rows(t, [&](const char* name) { return this->plain_kernel(name); }, stream);
      window_.emplace(this->problem(), t, this->typed(), this->device_tables(), kernels, stream, std::move(rows));
    }
  }
  if (!window_) window_.emplace(this->problem(), t, this->typed(), this->device_tables(), kernels, stream);
  const std::size_t cells = u(t.ne) * slice_cells();
  for (auto& buffer : state_) buffer = cuda::DeviceBuffer<T>(device, cells, cuda::Reuse::kYes);
  for (auto& buffer : bounds_) buffer = cuda::DeviceBuffer<WindowBox>(device, u(t.ne), cuda::Reuse::kYes);
  control_ = cuda::DeviceBuffer<WindowControl>(device, 1, cuda::Reuse::kYes);
  written_ = cuda::DeviceBuffer<double>(device, 2 * u(this->problem().max_steps + 1), cuda::Reuse::kYes);
  control_.fill_bytes(0, stream);
  written_.fill_bytes(0, stream);
  this->set_state_bytes(2.0 * static_cast<double>(cells) * sizeof(T));

  parameters_ = window_->parameters();
  for (int i = 0; i < 2; ++i) parameters_.state[i] = state_[i].pointer();
  for (int i = 0; i < 3; ++i) parameters_.bounds[i] = bounds_[i].pointer();
  parameters_.scores = this->scores();
  parameters_.control = control_.pointer();
  parameters_.written = written_.pointer();
  parameters_.threshold = static_cast<T>(kWindowThreshold<T> * t.start.number_in);
  parameters_.stop_number = this->stop_number();
  steps_kernel_.emplace(this->kernel(steps_kernel_name().c_str()));
  begin_kernel_.emplace(this->kernel("transport_window_begin"));
  const auto bytes = static_cast<unsigned>(parameters_.layout.bytes);
  steps_kernel_->allow_dynamic_shared(bytes);
  blocks_ = static_cast<unsigned>(std::max(1, steps_kernel_->resident_blocks(kWindowThreads, bytes)) *
                                  device->info().multiprocessors);
  send_start();
}

template <typename T>
void CudaWindowSolver<T>::send_start() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  std::vector<WindowBox> bounds(u(t.ne), empty_box());
  for (auto& buffer : bounds_) buffer.upload(bounds, stream);
  if (this->problem().filled) {
    std::ranges::fill(bounds, WindowBox{0, depth_ ? 1 : t.nz, 0, t.ntheta, 0, pitch(), {}});
    this->kernel("transport_window_fill")
        .launch(stream, {.grid = {static_cast<unsigned>(t.ne)}, .block = {kWindowWorkers}}, parameters_,
                static_cast<unsigned long long>(this->problem().seed));
  } else {
    const int z = depth_ ? 0 : t.start.z;
    const Start::Extent extent = t.start.extent();
    const WindowBox box{z, z + 1, extent.a0, extent.a1, extent.x0 / 4 * 4, (extent.x1 + 3) / 4 * 4, {}};
    std::vector<double> columns(u(t.nx));
    for (int e = 0; e < t.ne && box.a0 < box.a1 && box.x0 < box.x1; ++e) {
      if (!t.start.holds(e)) continue;
      bounds[u(e)] = box;
      std::vector<T> rows(u(box.a1 - box.a0) * u(pitch()), T(0));
      for (int a = box.a0; a < box.a1; ++a) {
        std::ranges::fill(columns, 0.0);
        t.start.add(e, a, columns);
        for (int x = 0; x < t.nx; ++x) rows[u(a - box.a0) * u(pitch()) + u(x)] = static_cast<T>(columns[u(x)]);
      }
      state_[0].upload(rows, stream, u(e) * slice_cells() + (u(z) * u(t.ntheta) + u(box.a0)) * u(pitch()));
      stream.synchronize();  // until the uploads of the rows are complete
    }
  }
  bounds_[0].upload(bounds, stream);
  stream.synchronize();
}

template <typename T>
void CudaWindowSolver<T>::launch_per_bin(const char* name, auto argument) {
  this->kernel(name).launch(this->stream(),
                            {.grid = {static_cast<unsigned>(this->tables().ne)}, .block = {kWindowWorkers}},
                            parameters_, argument);
}

template <typename T>
void CudaWindowSolver<T>::launch_steps(int first, int count) {
  cuda::Stream& stream = this->stream();
  // Depth stepping ends at the last plane, even if more steps are requested.
  const int planes = depth_ ? this->tables().nz - parameters_.start_z : first + count;
  begin_kernel_->launch(stream, {.grid = {1}, .block = {1}}, parameters_, std::min(first + count, planes));
  const cuda::LaunchShape launch{.grid = {blocks_},
                                 .block = {kWindowThreads},
                                 .dynamic_shared_bytes = static_cast<unsigned>(parameters_.layout.bytes),
                                 .cooperative = true};
  if (this->tables().tracks.on()) {
    steps_kernel_->launch(stream, launch, parameters_, this->device_tracks());
  } else {
    steps_kernel_->launch(stream, launch, parameters_);
  }
  if (!depth_ || first + count < planes || first >= planes) return;
  // Protons beyond the last plane have left the grid. The kernel does nothing if the run ended earlier.
  launch_per_bin("transport_window_leave",
                 this->scores().ledger + static_cast<std::ptrdiff_t>(planes - 1) * kLedgerColumns);
}

template <typename T>
void CudaWindowSolver<T>::launch_count(double* row) {
  launch_per_bin("transport_window_count", row);
}

template <typename T>
DeviceState<T> CudaWindowSolver<T>::device_state() const {
  const Tables& t = this->tables();
  const long long row = static_cast<long long>(t.ntheta) * pitch();
  return {.state = {state_[0].pointer(), state_[1].pointer()},
          .states = depth_ ? 2 : 1,
          .boxes = {&bounds_[0].pointer()->z0, &bounds_[1].pointer()->z0, &bounds_[2].pointer()->z0},
          .box_sets = 3,
          .box_ints = sizeof(WindowBox) / sizeof(int),
          .step = &control_.pointer()->step,
          .sizes = {t.ne, t.ntheta, parameters_.rows, t.nx},
          .strides = {row * parameters_.rows, pitch(), row, 1},
          .plane = parameters_.start_z,
          .plane_per_step = depth_ ? 1 : 0};
}

template class CudaWindowSolver<float>;
template class CudaWindowSolver<double>;

}  // namespace bb::transport
