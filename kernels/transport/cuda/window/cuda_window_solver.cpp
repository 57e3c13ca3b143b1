#include "cuda_window_solver.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "transport/cuda/cuda_packer.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

constexpr int kBlocks = 512 / kWindowThreads;  // on a multiprocessor
constexpr int kMostQuads = 16;                 // of columns in one item: more are a second tile beside it
constexpr int kMostAngles = 96;                // of an item
constexpr int kMostHeldWeights = 8192;         // of an item's angle kernels
constexpr int kMostHeldFeeds = 4096;
constexpr int kViewBytes = 48;                                       // kept for each WindowSource
constexpr int kLongestAxis = std::numeric_limits<short>::max() - 8;  // boxes are held as 16-bit numbers

// Cells of the window's shell are below this fraction of the beam: some 10^4 of them a step stay near 1e-9 of the
// protons with FP32; the ledger counts them.
template <typename T>
constexpr double kThreshold = sizeof(T) == sizeof(float) ? 5e-13 : 1e-20;

WindowBox empty_box() { return {1 << 30, -1, 1 << 30, -1, 1 << 30, -1, {}}; }

/// Hands out a block's shared memory.
class Carver {
 public:
  int take(std::size_t count, std::size_t each) {
    const std::size_t at = bytes_;
    bytes_ = (at + count * each + 15) / 16 * 16;
    return static_cast<int>(at);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace

template <typename T>
std::size_t CudaWindowSolver<T>::slice_cells() const {
  return u(rows_held(this->problem(), this->tables())) * u(this->tables().ntheta) * u(pitch());
}

template <typename T>
double CudaWindowSolver<T>::state_bytes_needed() const {
  return estimate_cuda_rows(this->problem(), this->tables());
}

template <typename T>
double CudaWindowSolver<T>::cells_per_step() const {
  // Share of the grid that a beam fills: small, and how small is counted in the run.
  constexpr double kShare = 1e-3;
  return cells_held(this->problem(), this->tables()) * (this->problem().filled ? 1.0 : kShare);
}

template <typename T>
void CudaWindowSolver<T>::prepare() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  const auto& device = this->device();
  if (std::max({t.nx, t.nz, t.ntheta}) > kLongestAxis) {
    throw ProblemError("unsupported", "solver.variant = " + this->problem().variant + ": an axis of " +
                                          std::to_string(std::max({t.nx, t.nz, t.ntheta})) +
                                          " cells, the moving window allows " + std::to_string(kLongestAxis) +
                                          "; use cuda-gather");
  }
  const std::size_t cells = u(t.ne) * slice_cells();
  for (auto& buffer : state_) buffer = cuda::DeviceBuffer<T>(device, cells, cuda::Reuse::kYes);
  for (auto& buffer : bounds_) buffer = cuda::DeviceBuffer<WindowBox>(device, u(t.ne), cuda::Reuse::kYes);
  control_ = cuda::DeviceBuffer<WindowControl>(device, 1, cuda::Reuse::kYes);
  written_ = cuda::DeviceBuffer<double>(device, 2 * u(this->problem().max_steps + 1), cuda::Reuse::kYes);
  control_.fill_bytes(0, stream);
  written_.fill_bytes(0, stream);
  this->set_state_bytes(2.0 * static_cast<double>(cells) * sizeof(T));

  send_tables();
  const std::string name = std::string("transport_window_") + (depth_ ? "depth" : "path");
  steps_kernel_.emplace(this->kernel(name.c_str()));
  begin_kernel_.emplace(this->kernel("transport_window_begin"));
  const auto bytes = static_cast<unsigned>(parameters_.layout.bytes);
  steps_kernel_->allow_dynamic_shared(bytes);
  blocks_ = static_cast<unsigned>(std::max(1, steps_kernel_->resident_blocks(kWindowThreads, bytes)) *
                                  device->info().multiprocessors);
  send_start();
}

template <typename T>
void CudaWindowSolver<T>::send_tables() {
  const Tables& t = this->tables();
  const BinTables<T> by_bin(t, this->typed());
  WindowParameters<T>& p = parameters_;
  p.tables = this->device_tables();
  p.scores = this->scores();
  for (int i = 0; i < 2; ++i) p.state[i] = state_[i].pointer();
  for (int i = 0; i < 3; ++i) p.bounds[i] = bounds_[i].pointer();
  p.control = control_.pointer();
  p.written = written_.pointer();
  p.feeds = static_cast<int>(by_bin.feed_bin.size());
  p.rows = depth_ ? 1 : t.nz;
  p.pitch = pitch();
  p.start_z = depth_ && !this->problem().filled ? t.start.z : 0;
  p.threshold = static_cast<T>(kThreshold<T> * t.start.number_in);
  p.stop_number = this->stop_number();
  const WholeShifts in_x = whole_shifts(t.shift_x), in_z = whole_shifts(t.shift_z);
  p.whole_x_min = in_x.least;
  p.whole_x_max = in_x.most;
  p.whole_z_min = in_z.least;
  p.whole_z_max = in_z.most;
  choose_layout(by_bin);

  std::vector<WindowBin> bins;
  for (int e = 0; e < t.ne; ++e) {
    const auto& b = by_bin.bins[u(e)];
    WindowBin bin{.feed_low = b.feed_low,
                  .feed_count = b.feed_count,
                  .feed_at = b.feed_at,
                  .feed_weight_at = b.feed_weight_at,
                  .half = b.half,
                  .kernel_at = b.kernel_at,
                  .ends = b.ends ? 1 : 0,
                  .wide_low = e,
                  .wide_count = 0,
                  .wide_half = 0,
                  .unused = {}};
    int wide_end = e + 1;
    const auto widen = [&](int from) {
      const auto& feed = by_bin.bins[u(from)];
      bin.wide_low = std::min({bin.wide_low, from, feed.feed_low});
      wide_end = std::max({wide_end, from + 1, feed.feed_low + feed.feed_count});
      bin.wide_half = std::max(bin.wide_half, b.half + feed.half);
    };
    widen(e);
    for (int k = 0; k < b.feed_count; ++k) widen(b.feed_low + k);
    bin.wide_count = wide_end - bin.wide_low;
    bins.push_back(bin);
  }
  const TypedTables<T>& typed = this->typed();
  std::vector<WindowAngle<T>> angles(u(t.ntheta));
  for (int a = 0; a < t.ntheta; ++a) {
    WindowAngle<T>& angle = angles[u(a)];
    std::ranges::copy(typed.flux_x[u(a)], angle.flux_x);
    std::ranges::copy(typed.flux_z[u(a)], angle.flux_z);
    angle.theta = static_cast<T>(t.theta[u(a)]);
    angle.plane_weight = static_cast<T>(t.plane_weight[u(a)]);
    angle.whole_x = t.shift_x[u(a)].whole;
    angle.whole_z = t.shift_z[u(a)].whole;
  }
  std::vector<short> rows;
  for (int z = 0; z < t.nz; ++z) {
    const std::int32_t first = typed.run_begin[u(z)];
    rows.push_back(static_cast<short>(typed.run_begin[u(z) + 1] - first > 1 ? -1 : typed.runs[u(first)].material));
  }
  Packer packer;
  packer.add(bins, &p.bins);
  packer.add(angles, &p.angles);
  packer.add(rows, &p.row_material);
  packer.add(by_bin.feed_bin, &p.feed_bin);
  packer.add(by_bin.feed_weight, &p.feed_weight);
  packer.add(by_bin.kernel_weight, &p.kernel_weight);
  packer.add(by_bin.lost, &p.lost);
  memory_ = packer.send(this->stream(), cuda::Reuse::kYes);
}

/// Cuts the block's shared memory for items as large as fit.
template <typename T>
void CudaWindowSolver<T>::choose_layout(const BinTables<T>& by_bin) {
  const Tables& t = this->tables();
  const WindowParameters<T>& p = parameters_;
  const auto& info = this->device()->info();
  constexpr int kStatic = 1024;  // Fixed in cuda_window_common.cuh
  const auto limit = static_cast<std::size_t>(info.shared_per_block_optin_bytes - kStatic);
  const std::size_t quad = 4 * sizeof(T);
  // Quads beside an item's columns: see Collide::choose.
  const int left = (std::max(0, p.whole_x_max + 3) + 3) / 4;
  const int right = std::max(0, 3 - (p.whole_x_min + 7 + 3) / 4);
  const auto lay_out = [&](int angles, int quads, int weights, bool feeds) {
    Carver memory;
    WindowLayout l{};
    const std::size_t columns = u(left + quads + right + (p.whole_x_min < -7 ? -p.whole_x_min / 4 : 0)) | 1;
    const std::size_t made = u((angles + kWindowTurned - 1) / kWindowTurned * kWindowTurned);
    l.boxes = memory.take(u(t.ne), 16);
    l.bins = memory.take(u(t.ne), sizeof(WindowBin));
    l.feeds = memory.take(feeds ? by_bin.feed_bin.size() : 0, sizeof(int));
    l.plans = memory.take(u(t.ne), 16);
    l.begins = memory.take(3 * u(t.ne + 1), sizeof(int));
    l.angles = memory.take(u(t.ntheta), sizeof(WindowAngle<T>));
    l.rows = memory.take(u(t.nz), sizeof(short));
    l.views = memory.take(2 * u(by_bin.most_feeds + 1), kViewBytes);
    static_assert(sizeof(WindowSource<T>) <= kViewBytes);
    l.most_views = by_bin.most_feeds + 1;
    l.sums = memory.take(kWindowWorkers / 32 * kWindowTallies, sizeof(double));
    l.partial = memory.take((t.reactions.on() ? 5 : 4) * kWindowWorkers, sizeof(double));
    l.own = memory.take(u(angles) * u(quads), quad);
    l.tile = memory.take((u(angles) + 2 * u(by_bin.most_half) + kWindowTurned - 1) * columns, quad);
    l.turned = memory.take(made * columns, quad);
    l.deposits = memory.take(u(angles), sizeof(T));
    l.weights = memory.take(u(weights), sizeof(T));
    l.bytes = static_cast<int>(std::min<std::size_t>(memory.bytes(), std::numeric_limits<int>::max()));
    l.feeds_held = feeds ? 1 : 0;
    l.most_angles = angles;
    l.most_quads = quads;
    l.most_weights = weights;
    return l;
  };
  WindowLayout smallest{};
  const bool feeds = by_bin.feed_bin.size() <= kMostHeldFeeds;
  for (const int weights : {kMostHeldWeights, 0}) {
    for (int quads = kMostQuads; quads >= 1; quads /= 2) {
      for (int angles = std::min(kMostAngles, t.ntheta);; angles = (angles + 1) / 2) {
        smallest = lay_out(angles, quads, weights, feeds);
        if (static_cast<std::size_t>(smallest.bytes) <= limit) {
          parameters_.layout = smallest;
          return;
        }
        if (angles <= 8) break;
      }
    }
  }
  throw ProblemError("unsupported", "solver.variant = " + this->problem().variant + ": " + std::to_string(t.ne) +
                                        " energies and " + std::to_string(t.ntheta) + " angles need " +
                                        std::to_string(smallest.bytes / 1024) + " KiB of shared memory per block, " +
                                        info.name + " has " + std::to_string(limit / 1024) +
                                        " KiB; use fewer or cuda-gather");
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
      stream.synchronize();  // the rows end here
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
  // Depth stepping ends at the last plane, however many steps are asked for.
  const int planes = depth_ ? this->tables().nz - parameters_.start_z : first + count;
  begin_kernel_->launch(stream, {.grid = {1}, .block = {1}}, parameters_, std::min(first + count, planes));
  steps_kernel_->launch(stream,
                        {.grid = {blocks_},
                         .block = {kWindowThreads},
                         .dynamic_shared_bytes = static_cast<unsigned>(parameters_.layout.bytes),
                         .cooperative = true},
                        parameters_);
  if (!depth_ || first + count < planes || first >= planes) return;
  // Behind the last plane the protons have left the grid; the kernel does nothing if the run ended before.
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
