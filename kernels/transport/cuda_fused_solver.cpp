#include "cuda_fused_solver.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

#include "typed_tables.hpp"

namespace bb::transport {
namespace {

constexpr int kGraphSteps = 16;        // steps of one captured graph
constexpr int kMarchThreads = 672;     // as __launch_bounds__ in cuda_march.cu
constexpr int kMarchRowsLeast = 8;     // below, the halo of five rows costs more than the march gains
constexpr int kDenseChunk = 16;        // z rows of an item when every slice is the whole grid
constexpr int kWindowChunk = 1 << 20;  // a window is only a few rows deep: one item takes them all

std::size_t u(int i) { return static_cast<std::size_t>(i); }

int widest_kernel(const Tables& t, int bin) {
  int half = 0;
  for (int c = 0; c < t.classes; ++c) {
    for (int m = 0; m < t.materials; ++m) {
      const std::size_t row = t.row(c, m, bin);
      half = std::max(half, t.angle_begin[row + 1] - t.angle_begin[row] - 1);
    }
  }
  return half;
}

/// Bins that feed `bin` in any class and material.
std::set<int> sources_of(const Tables& t, int bin) {
  std::set<int> sources;
  for (int c = 0; c < t.classes; ++c) {
    for (int m = 0; m < t.materials; ++m) {
      const std::size_t row = t.row(c, m, bin);
      sources.insert(t.gather_source.begin() + t.gather_begin[row], t.gather_source.begin() + t.gather_begin[row + 1]);
    }
  }
  return sources;
}

double cells_held(const Problem& problem, const Tables& t) {
  const double rows = problem.stepping == Stepping::kDepth ? 1 : t.nz;
  return static_cast<double>(t.ne) * t.ntheta * rows * ((t.nx + 3) / 4 * 4);
}

}  // namespace

double estimate_cuda_fused(const Problem& problem, const Tables& tables) {
  return 2.0 * (problem.precision == Precision::kFp64 ? 8 : 4) * cells_held(problem, tables);
}

template <typename T>
std::size_t CudaFusedSolver<T>::slice_cells() const {
  return u(depth_ ? 1 : this->tables().nz) * u(this->tables().ntheta) * u(pitch());
}

template <typename T>
double CudaFusedSolver<T>::state_bytes_needed() const {
  return estimate_cuda_fused(this->problem(), this->tables());
}

template <typename T>
double CudaFusedSolver<T>::cells_per_step() const {
  // A window visits a small part; what it visited is counted on the device.
  constexpr double kWindowShare = 1e-3;
  return cells_held(this->problem(), this->tables()) * (options_.window ? kWindowShare : 1.0);
}

template <typename T>
cuda::Kernel CudaFusedSolver<T>::stepped_kernel(const char* name) const {
  return this->kernel((std::string(name) + (depth_ ? "_depth" : "_path")).c_str());
}

template <typename T>
void CudaFusedSolver<T>::prepare() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  const auto& device = this->device();
  const std::size_t cells = u(t.ne) * slice_cells();
  for (auto& buffer : state_) buffer = cuda::DeviceBuffer<T>(device, cells);
  for (auto& buffer : bounds_) buffer = cuda::DeviceBuffer<DeviceBox>(device, u(t.ne));
  control_ = cuda::DeviceBuffer<StepControl>(device, 1);
  written_ = cuda::DeviceBuffer<double>(device, 2 * u(this->problem().max_steps + 1));
  control_.fill_bytes(0, stream);
  written_.fill_bytes(0, stream);
  this->set_state_bytes(2.0 * static_cast<double>(cells) * sizeof(T));
  plane_ = depth_ && !this->problem().filled ? t.start.z : 0;

  std::vector<int> half(u(t.ne));
  for (int e = 0; e < t.ne; ++e) half[u(e)] = widest_kernel(t, e);
  half_ = cuda::DeviceBuffer<int>(device, half.size());
  half_.upload(half, stream);
  std::vector<int> feed_begin{0}, feed;
  for (int e = 0; e < t.ne; ++e) {
    const std::set<int> sources = sources_of(t, e);
    feed.insert(feed.end(), sources.begin(), sources.end());
    feed_begin.push_back(static_cast<int>(feed.size()));
  }
  feed_begin_ = cuda::DeviceBuffer<int>(device, feed_begin.size());
  feed_begin_.upload(feed_begin, stream);
  feed_ = cuda::DeviceBuffer<int>(device, std::max<std::size_t>(1, feed.size()));
  feed_.upload(feed, stream);
  fill_parameters();
  const int tiles = (t.nx + parameters_.whole_x_max - parameters_.whole_x_min + 1) / kFusedTile + 2;
  const int chunks = options_.window || depth_ ? 1 : (t.nz + 4) / kDenseChunk + 2;
  const int scores = depth_ ? 1 : t.nz / kScoreRows + 2;
  parameters_.work_capacity = t.ne * (tiles * chunks + scores);
  work_ = cuda::DeviceBuffer<WorkItem>(device, u(parameters_.work_capacity));
  parameters_.work = work_.pointer();
  if (options_.march) plan_march();

  // As input_width() in cuda_fused_common.cuh, whose alignment adds up to three columns.
  const int width = (kFusedTile + parameters_.whole_x_max - parameters_.whole_x_min + physics::kRemapTaps + 6) / 4 * 4;
  const int columns = depth_ ? 2 * width : 2 * width + (physics::kRemapTaps + 1) * kFusedTile;
  const unsigned scoring = 4u * kFusedThreads * sizeof(T);
  shared_bytes_ = std::max(
      static_cast<unsigned>(t.ntheta * (columns + 1) + t.angle_half_max + 8) * static_cast<unsigned>(sizeof(T)),
      scoring);
  const int optin = device->info().shared_per_block_optin_bytes;
  if (shared_bytes_ > static_cast<unsigned>(optin)) {
    throw ProblemError("unsupported", "solver.variant = " + this->problem().variant + ": " + std::to_string(t.ntheta) +
                                          " angles need " + std::to_string(shared_bytes_ / 1024) +
                                          " KiB of shared memory per block, " + device->info().name + " has " +
                                          std::to_string(optin / 1024) + " KiB; use fewer angles or cuda-gather");
  }
  const bool persistent = options_.loop == FusedLoop::kPersistent;
  auto& kernel = persistent ? persistent_kernel_ : step_kernel_;
  kernel.emplace(stepped_kernel(persistent ? "transport_fused_persistent" : "transport_fused_step"));
  kernel->allow_dynamic_shared(shared_bytes_);
  const int per_multiprocessor = kernel->resident_blocks(kFusedThreads, shared_bytes_);
  resident_ = static_cast<unsigned>(std::max(1, per_multiprocessor) * device->info().multiprocessors);
  begin_kernel_.emplace(this->kernel("transport_fused_begin"));
  send_start();
  stepped_kernel("transport_fused_plan").launch(stream, {.grid = {1}, .block = {kFusedThreads}}, parameters_);
  stream.synchronize();  // what was uploaded from this frame's vectors ends here
}

template <typename T>
void CudaFusedSolver<T>::fill_parameters() {
  const Tables& t = this->tables();
  FusedParameters<T>& p = parameters_;
  p.tables = this->device_tables();
  p.scores = this->scores();
  for (int i = 0; i < 2; ++i) {
    p.state[i] = state_[i].pointer();
    p.bounds[i] = bounds_[i].pointer();
  }
  p.control = control_.pointer();
  p.feed_begin = feed_begin_.pointer();
  p.feed = feed_.pointer();
  p.half = half_.pointer();
  p.marched = nullptr;
  p.written = written_.pointer();
  p.ring = depth_ ? 1 : t.nz;
  p.pitch = pitch();
  p.chunk = options_.window ? kWindowChunk : kDenseChunk;
  const auto range = [](const std::vector<physics::RemapShift>& shifts, int& low, int& high) {
    low = high = shifts.front().whole;
    for (const physics::RemapShift& s : shifts) {
      low = std::min(low, s.whole);
      high = std::max(high, s.whole);
    }
  };
  range(t.shift_x, p.whole_x_min, p.whole_x_max);
  range(t.shift_z, p.whole_z_min, p.whole_z_max);
  p.window = options_.window ? 1 : 0;
  p.start_z = plane_;
  // Cells of the window's shell are below this fraction of the beam: some 10^4 of them a step stay near
  // 1e-9 of the protons with FP32; the ledger counts them.
  p.threshold = static_cast<T>((sizeof(T) == sizeof(float) ? 5e-13 : 1e-20) * t.start.number_in);
  p.stop_number = this->stop_number();
}

template <typename T>
void CudaFusedSolver<T>::send_start() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  const int rows = depth_ ? 1 : t.nz;
  const DeviceBox grid{0, rows, 0, t.ntheta, 0, pitch()};
  const DeviceBox empty{1 << 30, -1, 1 << 30, -1, 1 << 30, -1};
  std::vector<DeviceBox> bounds(u(t.ne), options_.window && !this->problem().filled ? empty : grid);
  if (this->problem().filled) {
    if (pitch() != t.nx) state_[0].fill_bytes(0, stream);  // the padding of the rows
    this->kernel("transport_fused_fill")
        .launch(stream, {.grid = {static_cast<unsigned>(t.ne)}, .block = {kFusedThreads}}, parameters_,
                static_cast<unsigned long long>(this->problem().seed));
  } else {
    if (!options_.window) state_[0].fill_bytes(0, stream);
    const int z = depth_ ? 0 : t.start.z;
    int first = t.ntheta, last = -1;
    for (int a = 0; a < t.ntheta; ++a) {
      if (t.start.angle_weight[u(a)] == 0.0) continue;
      first = std::min(first, a);
      last = a;
    }
    std::vector<T> row(u(pitch()), T(0));
    for (int e = 0; e < t.ne; ++e) {
      if (t.start.energy_weight[u(e)] == 0.0 || last < 0) continue;
      if (options_.window) bounds[u(e)] = {z, z + 1, first, last + 1, 0, pitch()};
      for (int a = first; a <= last; ++a) {
        for (int x = 0; x < t.nx; ++x) {
          row[u(x)] = static_cast<T>(t.start.energy_weight[u(e)] * t.start.angle_weight[u(a)] *
                                     t.start.x_weight[u(a) * u(t.nx) + u(x)]);
        }
        state_[0].upload(row, stream, u(e) * slice_cells() + (u(z) * u(t.ntheta) + u(a)) * u(pitch()));
        stream.synchronize();
      }
    }
  }
  bounds_[0].upload(bounds, stream);
  bounds_[1].upload(bounds, stream);
  stream.synchronize();
}

/// Pairs up the bins that the angle march can make and tells the general kernel to leave them out.
template <typename T>
void CudaFusedSolver<T>::plan_march() {
  const Tables& t = this->tables();
  const int quads = t.nx / 4;
  const int most_rows = quads > 0 ? kMarchThreads / quads - kMarchHalo : 0;
  const bool shifts_fit = parameters_.whole_x_min >= -1 && parameters_.whole_x_max <= 0 &&
                          std::ranges::all_of(t.shift_z, [](const physics::RemapShift& s) {
                            return s.whole == 0 || (s.whole == 1 && s.fraction == 0.0);
                          });
  const bool fits = std::is_same_v<T, float> && !depth_ && t.materials == 1 && t.nx % 4 == 0 &&
                    most_rows >= kMarchRowsLeast && shifts_fit &&
                    static_cast<double>(t.ne) * static_cast<double>(slice_cells()) / 4.0 < 4294967296.0;
  if (!fits) return;
  march_chunks_ = static_cast<unsigned>((t.nz + most_rows) / most_rows);  // one row behind the grid counts what leaves
  march_.rows = (t.nz + static_cast<int>(march_chunks_)) / static_cast<int>(march_chunks_);
  march_.quads = quads;

  std::vector<int> marched(u(t.ne), 0);
  std::vector<MarchPair> pairs;
  const auto narrow = [&](int e) {
    const std::size_t count = sources_of(t, e).size();
    return widest_kernel(t, e) <= 1 && count > 0 && count <= kMarchSources;
  };
  const TypedTables<float> typed(t);
  for (int e = 0; e < t.ne; ++e) {
    if (!narrow(e)) continue;
    std::set<int> sources = sources_of(t, e);
    int bins = 1;
    if (e + 1 < t.ne && narrow(e + 1)) {
      std::set<int> both = sources;
      both.merge(sources_of(t, e + 1));
      if (both.size() <= kMarchSources) {
        sources = both;
        bins = 2;
      }
    }
    MarchPair pair{};
    pair.bin = e;
    pair.bins = bins;
    // Sources that no pair scores yet come first.
    std::vector<int> order;
    for (const int s : sources) {
      if (pair.scored == kMarchScored || (marched[u(s)] & kMarchScores) != 0) continue;
      marched[u(s)] |= kMarchScores;
      order.push_back(s);
      const std::size_t row = t.row(0, 0, s);
      pair.deposit[pair.scored] = typed.deposit[row];
      pair.stopped[pair.scored] = typed.stopped[row];
      pair.nuclear[pair.scored] = typed.nuclear[row];
      pair.nuclear_escape[pair.scored] = typed.nuclear_escape[row];
      ++pair.scored;
    }
    for (const int s : sources) {
      if (std::ranges::find(order, s) == order.end()) order.push_back(s);
    }
    pair.sources = static_cast<int>(order.size());
    for (int s = 0; s < pair.sources; ++s) pair.source[s] = order[u(s)];
    for (int b = 0; b < bins; ++b) {
      marched[u(e + b)] |= kMarchMakes;
      const std::size_t row = t.row(0, 0, e + b);
      for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
        const auto at = std::ranges::find(order, t.gather_source[u(k)]) - order.begin();
        pair.weight[b][at] = typed.gather_weight[u(k)];
      }
      const int begin = t.angle_begin[row];
      pair.angle[b][0] = typed.angle_weight[u(begin)];
      pair.angle[b][1] = t.angle_begin[row + 1] - begin > 1 ? typed.angle_weight[u(begin) + 1] : 0.0f;
    }
    pairs.push_back(pair);
    e += bins - 1;
  }
  if (pairs.empty()) return;
  cuda::Stream& stream = this->stream();
  pairs_ = cuda::DeviceBuffer<MarchPair>(this->device(), pairs.size());
  pairs_.upload(pairs, stream);
  marched_ = cuda::DeviceBuffer<int>(this->device(), marched.size());
  marched_.upload(marched, stream);
  stream.synchronize();
  parameters_.marched = marched_.pointer();
  march_.pairs = pairs_.pointer();
  march_pairs_ = static_cast<unsigned>(pairs.size());
  march_shared_ = static_cast<unsigned>(march_.rows + kMarchHalo) * static_cast<unsigned>(4 * quads + 4) * 16u;
  march_kernel_.emplace(this->kernel("transport_fused_march"));
  march_kernel_->allow_dynamic_shared(march_shared_);
}

template <typename T>
void CudaFusedSolver<T>::queue_step() {
  cuda::Stream& stream = this->stream();
  if constexpr (std::is_same_v<T, float>) {
    if (march_kernel_) {
      const unsigned threads = (static_cast<unsigned>((march_.rows + kMarchHalo) * march_.quads) + 31u) / 32u * 32u;
      march_kernel_->launch(
          stream,
          {.grid = {march_pairs_, march_chunks_, 1}, .block = {threads, 1, 1}, .dynamic_shared_bytes = march_shared_},
          parameters_, march_);
    }
  }
  step_kernel_->launch(stream, {.grid = {resident_}, .block = {kFusedThreads}, .dynamic_shared_bytes = shared_bytes_},
                       parameters_);
}

template <typename T>
void CudaFusedSolver<T>::capture() {
  if (options_.loop != FusedLoop::kGraph) return;
  this->stream().begin_capture();
  for (int i = 0; i < kGraphSteps; ++i) queue_step();
  graph_.emplace(this->stream().end_capture());
  graph_->upload(this->stream());
}

template <typename T>
void CudaFusedSolver<T>::launch_step(int step) {
  launch_steps(step, 1);
}

template <typename T>
void CudaFusedSolver<T>::launch_steps(int first, int count) {
  cuda::Stream& stream = this->stream();
  begin_kernel_->launch(stream, {.grid = {1}, .block = {1}}, parameters_, first + count);
  if (options_.loop == FusedLoop::kPersistent) {
    persistent_kernel_->launch(
        stream,
        {.grid = {resident_}, .block = {kFusedThreads}, .dynamic_shared_bytes = shared_bytes_, .cooperative = true},
        parameters_);
  } else {
    int rest = count;
    if (graph_) {
      for (; rest >= kGraphSteps; rest -= kGraphSteps) graph_->launch(stream);
    }
    for (; rest > 0; --rest) queue_step();
  }
  if (!depth_) return;
  plane_ = parameters_.start_z + first + count;
  if (plane_ < this->tables().nz) return;
  // Behind the last plane the protons have left the grid.
  double* row = this->scores().ledger + static_cast<std::ptrdiff_t>(first + count - 1) * kLedgerColumns;
  this->kernel("transport_fused_leave")
      .launch(stream, {.grid = {static_cast<unsigned>(this->tables().ne)}, .block = {kFusedThreads}}, parameters_, row);
}

template <typename T>
void CudaFusedSolver<T>::forget_steps(int steps) {
  if (depth_) plane_ -= steps;
}

template <typename T>
void CudaFusedSolver<T>::launch_count(double* row) {
  this->kernel("transport_fused_count")
      .launch(this->stream(), {.grid = {static_cast<unsigned>(this->tables().ne)}, .block = {kFusedThreads}},
              parameters_, row);
}

template <typename T>
void CudaFusedSolver<T>::launch_marginals(const DeviceMarginals& fields) {
  this->kernel("transport_fused_marginals")
      .launch(this->stream(), {.grid = {static_cast<unsigned>(this->tables().ne)}, .block = {kFusedThreads}},
              parameters_, fields);
}

template class CudaFusedSolver<float>;
template class CudaFusedSolver<double>;

std::unique_ptr<engine::Solver> make_cuda_fused(const Problem& problem, const Tables& tables, FusedOptions options) {
  const auto make = [&]<typename T>(T) -> std::unique_ptr<engine::Solver> {
    auto solver = std::make_unique<CudaFusedSolver<T>>(problem, tables, options);
    solver->set_up();
    return solver;
  };
  return on_device([&] { return problem.precision == Precision::kFp32 ? make(float{}) : make(double{}); });
}

}  // namespace bb::transport
