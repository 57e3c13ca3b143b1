#include "cuda_fused_solver.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "cpu/memory.hpp"
#include "transport/cuda/cuda_bins.hpp"
#include "transport/cuda/cuda_packer.hpp"
#include "transport/model/index.hpp"
#include "transport/model/typed_tables.hpp"

namespace bb::transport {
namespace {

constexpr int kGraphSteps = 16;   // steps per captured graph
constexpr int kMarchAngles = 18;  // angles per block; every chunk reads two more
constexpr int kDenseChunk = 32;   // approximate z rows per stream item

}  // namespace

template <typename T>
std::size_t CudaFusedSolver<T>::slice_cells() const {
  return u(stored_rows(this->problem(), this->tables())) * u(this->tables().ntheta) * u(pitch());
}

template <typename T>
double CudaFusedSolver<T>::state_bytes_needed() const {
  return estimate_cuda_rows(this->problem(), this->tables());
}

template <typename T>
double CudaFusedSolver<T>::cells_per_step() const {
  return stored_cells(this->problem(), this->tables());
}

template <typename T>
cuda::Kernel CudaFusedSolver<T>::stepped_kernel(const char* name) const {
  return this->kernel((std::string(name) + (depth_ ? "_depth" : "_path")).c_str());
}

template <typename T>
std::vector<std::string> CudaFusedSolver<T>::kernels_needed() const {
  const char* const type = sizeof(T) == 4 ? "_f32" : "_f64";
  const std::string stepped = std::string(depth_ ? "_depth" : "_path") + type;
  return {"transport_fused_collide" + stepped, std::string("transport_fused_begin") + type,
          std::string("planes_over_x") + type, "planes_rounded",
          "transport_fused_march_f32",         "transport_fused_sweep_f32"};
}

template <typename T>
void CudaFusedSolver<T>::prepare() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  const auto& device = this->device();
  const std::size_t cells = u(t.ne) * slice_cells();
  state_ = cuda::DeviceBuffer<T>(device, cells);
  turned_ = cuda::DeviceBuffer<T>(device, cells);
  for (auto& buffer : bounds_) buffer = cuda::DeviceBuffer<DeviceBox>(device, u(t.ne));
  from_ = cuda::DeviceBuffer<DeviceBox>(device, u(t.ne));
  items_ = cuda::DeviceBuffer<int>(device, 2 * u(t.ne + 1));
  control_ = cuda::DeviceBuffer<StepControl>(device, 1);
  written_ = cuda::DeviceBuffer<double>(device, 2 * u(this->problem().max_steps + 1));
  control_.fill_bytes(0, stream);
  written_.fill_bytes(0, stream);
  this->set_state_bytes(2.0 * static_cast<double>(cells) * sizeof(T));

  fill_parameters();
  send_bins();
  if (!prepare_sweep()) plan_march();

  shared_bytes_ = static_cast<unsigned>(fused_shared_bytes<T>(t, parameters_.most_feeds, parameters_.most_half,
                                                              this->tuned("kFusedTurned", kFusedTurned)));
  const int optin = device->info().shared_per_block_optin_bytes;
  if (shared_bytes_ > static_cast<unsigned>(optin)) {
    throw ProblemError("unsupported", "solver.variant = " + this->problem().variant + ": " + std::to_string(t.ntheta) +
                                          " angles need " + cpu::bytes_text(shared_bytes_) +
                                          " of shared memory per block, " + device->info().name + " has " +
                                          cpu::bytes_text(optin) +
                                          "; use fewer angles, or solver.variant = cuda-gather");
  }
  const auto ready = [&](std::optional<cuda::Kernel>& kernel, const char* name, unsigned threads, unsigned shared) {
    kernel.emplace(stepped_kernel(name));
    kernel->allow_dynamic_shared(shared);
    const int resident = kernel->resident_blocks(threads, shared);
    return static_cast<unsigned>(std::max(1, resident) * device->info().multiprocessors);
  };
  if (loop_ == FusedLoop::kPersistent) {
    collide_blocks_ = ready(persistent_kernel_, "transport_fused_persistent", kFusedThreads, shared_bytes_);
  } else {
    collide_blocks_ = ready(collide_kernel_, "transport_fused_collide", collide_threads(), shared_bytes_);
    stream_kernel_.emplace(stepped_kernel("transport_fused_stream"));
    // Launches one block per item, so that the device balances the load.
    const int quads = pitch() / 4 + (parameters_.whole_x_max + 4 - parameters_.whole_x_min + 3) / 4;
    const int made = t.nz + parameters_.whole_z_max - parameters_.whole_z_min + 1;
    stream_blocks_ = static_cast<unsigned>(t.ne * ((t.ntheta * quads + kFusedThreads - 1) / kFusedThreads) *
                                           ((made + parameters_.chunk - 1) / parameters_.chunk));
  }
  begin_kernel_.emplace(this->kernel("transport_fused_begin"));
  send_start();
  stepped_kernel("transport_fused_plan").launch(stream, {.grid = {1}, .block = {kFusedThreads}}, parameters_);
  stream.synchronize();  // until the uploads from local vectors are complete
}

template <typename T>
void CudaFusedSolver<T>::fill_parameters() {
  const Tables& t = this->tables();
  FusedParameters<T>& p = parameters_;
  p.tables = this->device_tables();
  p.scores = this->scores();
  p.state = state_.pointer();
  p.turned = turned_.pointer();
  p.bounds[0] = bounds_[0].pointer();
  p.bounds[1] = bounds_[1].pointer();
  p.from = from_.pointer();
  p.collide_begin = items_.pointer();
  p.stream_begin = items_.pointer() + t.ne + 1;
  p.control = control_.pointer();
  p.written = written_.pointer();
  p.rows = depth_ ? 1 : t.nz;
  p.pitch = pitch();
  p.tile_quads = fused_tile_quads(t);
  // The ranges include a zero shift, so that every cell of the sources is written. A long step may move all protons past
  // some of them.
  const WholeShifts in_x = whole_shifts(t.shift_x), in_z = whole_shifts(t.shift_z);
  p.whole_x_min = std::min(in_x.least, 0);
  p.whole_x_max = std::max(in_x.most, -1);
  p.whole_z_min = std::min(in_z.least, 0);
  p.whole_z_max = std::max(in_z.most, -1);
  // Divides the rows into chunks of equal length.
  const int made = t.nz + p.whole_z_max - p.whole_z_min + 1;
  const int chunks = std::max(1, made / kDenseChunk);
  p.chunk = (made + chunks - 1) / chunks;
  p.start_z = depth_ && !this->problem().filled ? t.start.z : 0;
  p.stop_number = this->stop_number();
}

/// Uploads the data that the kernels look up per bin.
template <typename T>
void CudaFusedSolver<T>::send_bins() {
  const BinTables<T> by_bin(this->tables(), this->typed());
  using Bin = typename BinTables<T>::Bin;
  FusedParameters<T>& p = parameters_;
  p.most_feeds = by_bin.most_feeds;
  p.most_half = by_bin.most_half;
  p.lost_high = static_cast<int>(by_bin.lost.size() / 2);
  Packer packer;
  const auto add = [&](int Bin::* field, const int** to) {
    std::vector<int> values;
    for (const Bin& bin : by_bin.bins) values.push_back(bin.*field);
    packer.add(std::move(values), to);
  };
  add(&Bin::feed_low, &p.feed_low);
  add(&Bin::feed_count, &p.feed_count);
  add(&Bin::feed_at, &p.feed_at);
  add(&Bin::feed_weight_at, &p.feed_weight_at);
  add(&Bin::half, &p.half);
  add(&Bin::kernel_at, &p.kernel_at);
  packer.add(by_bin.feed_bin, &p.feed_bin);
  packer.add(by_bin.feed_weight, &p.feed_weight);
  packer.add(by_bin.kernel_weight, &p.kernel_weight);
  packer.add(by_bin.lost, &p.lost);
  bins_ = packer.send(this->stream());
}

template <typename T>
void CudaFusedSolver<T>::send_start() {
  const Tables& t = this->tables();
  cuda::Stream& stream = this->stream();
  const int rows = depth_ ? 1 : t.nz;
  const DeviceBox grid{0, rows, 0, t.ntheta, 0, pitch()};
  const std::vector<DeviceBox> bounds(u(t.ne), grid);
  if (this->problem().filled) {
    if (pitch() != t.nx) state_.fill_bytes(0, stream);  // zeros for the padding of the rows
    this->kernel("transport_fused_fill")
        .launch(stream, {.grid = {static_cast<unsigned>(t.ne)}, .block = {kFusedThreads}}, parameters_,
                static_cast<unsigned long long>(this->problem().seed));
  } else {
    state_.fill_bytes(0, stream);
    const int z = depth_ ? 0 : t.start.z;
    std::vector<double> columns(u(t.nx));
    std::vector<T> row(u(pitch()), T(0));
    for (int e = 0; e < t.ne; ++e) {
      for (int a = 0; a < t.ntheta; ++a) {
        std::ranges::fill(columns, 0.0);
        if (!t.start.add(e, a, columns)) continue;
        for (int x = 0; x < t.nx; ++x) row[u(x)] = static_cast<T>(columns[u(x)]);
        state_.upload(row, stream, u(e) * slice_cells() + (u(z) * u(t.ntheta) + u(a)) * u(pitch()));
        stream.synchronize();
      }
    }
  }
  bounds_[0].upload(bounds, stream);
  bounds_[1].upload(bounds, stream);
  stream.synchronize();
}

/// Pairs up the bins that the angle march can compute, and excludes them from the general kernel.
template <typename T>
void CudaFusedSolver<T>::plan_march() {
  const Tables& t = this->tables();
  const bool fits = std::is_same_v<T, float> && !depth_ && t.materials == 1 && t.nx % 4 == 0 && t.ntheta > 1 &&
                    !t.reactions.on() &&
                    static_cast<double>(t.ne) * static_cast<double>(slice_cells()) / 4.0 < 4294967296.0;
  if (!fits) return;
  march_.quads = t.nx / 4;
  march_.angles = std::min(kMarchAngles, (t.ntheta + 1) / 2);  // no block has both the first and the last angle

  std::vector<int> marched(u(t.ne), 0);
  std::vector<MarchPair> pairs;
  const TypedTables<float> typed(t);
  const auto narrow = [&](int e) {
    return widest_kernel(t, typed, e) <= 1 && feeds_and_itself(t, e).count <= kMarchSources;
  };
  for (int e = 0; e < t.ne; ++e) {
    if (!narrow(e)) continue;
    SourceRange feeds = feeds_and_itself(t, e);
    int bins = 1;
    if (e + 1 < t.ne && narrow(e + 1)) {
      const SourceRange next = feeds_and_itself(t, e + 1);
      const int low = std::min(feeds.low, next.low);
      const int count = std::max(feeds.low + feeds.count, next.low + next.count) - low;
      if (count <= kMarchSources) {
        feeds = {low, count};
        bins = 2;
      }
    }
    MarchPair pair{};
    pair.bin = e;
    pair.bins = bins;
    // The bins of the pair come first, because the pair also scores them.
    std::vector<int> order;
    for (int s = e; s < e + bins; ++s) {
      order.push_back(s);
      const std::size_t row = t.row(0, 0, s);
      pair.deposit[pair.scored] = typed.deposit[row];
      pair.stopped[pair.scored] = typed.stopped[row];
      pair.nuclear[pair.scored] = typed.nuclear[row];
      pair.nuclear_escape[pair.scored] = typed.nuclear_escape[row];
      ++pair.scored;
    }
    for (int s = feeds.low; s < feeds.low + feeds.count; ++s) {
      if (s < e || s >= e + bins) order.push_back(s);
    }
    pair.sources = static_cast<int>(order.size());
    for (int s = 0; s < pair.sources; ++s) pair.source[s] = order[u(s)];
    for (int b = 0; b < bins; ++b) {
      marched[u(e + b)] = 1;
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
  march_.count = static_cast<int>(pairs.size());
  march_kernel_.emplace(this->kernel("transport_fused_march"));
}

/// Returns whether the sweep computes each step in one pass.
template <typename T>
bool CudaFusedSolver<T>::prepare_sweep() {
  if constexpr (std::is_same_v<T, float>) {
    // The sweep and the angle march do not record reactions; the general passes do.
    if (depth_ || loop_ == FusedLoop::kPersistent || this->tables().reactions.on()) return false;
    const std::optional<SweepPlan> plan = plan_sweep(this->tables(), this->device()->info());
    if (!plan) return false;
    cuda::Stream& stream = this->stream();
    sweep_ = plan->layout;
    const auto send = [&]<typename V>(const std::vector<V>& values, cuda::DeviceBuffer<V>& to) {
      to = cuda::DeviceBuffer<V>(this->device(), std::max<std::size_t>(values.size(), 1));
      to.upload(values, stream);
      return to.pointer();
    };
    sweep_.groups = send(plan->groups, sweep_groups_);
    sweep_.columns = send(plan->columns, sweep_columns_);
    sweep_.begin = send(plan->begin, sweep_begin_);
    sweep_.angles = send(plan->angles, sweep_angles_);
    sweep_.kernels = send(plan->kernels, sweep_kernels_);
    stream.synchronize();
    sweep_blocks_ = static_cast<unsigned>(plan->begin.size() - 1);
    sweep_threads_ = plan->threads;
    sweep_bytes_ = plan->shared_bytes;
    sweep_kernel_.emplace(this->kernel("transport_fused_sweep"));
    sweep_kernel_->allow_dynamic_shared(sweep_bytes_);
    sweep_scores_ = cuda::DeviceBuffer<float>(
        this->device(), u(static_cast<int>(sweep_blocks_)) * u(this->tables().nz) * u(sweep_score_floats(pitch())));
    sweep_scores_.fill_bytes(0, stream);
    sweep_.scores = sweep_scores_.pointer();
    collect_kernel_.emplace(this->kernel("transport_fused_collect"));
    parameters_.alternates = 1;
    return true;
  }
  return false;
}

/// Queues the kernel that follows the steps of a batch or a graph.
template <typename T>
void CudaFusedSolver<T>::queue_collect() {
  if constexpr (std::is_same_v<T, float>) {
    if (!collect_kernel_) return;
    const auto cells = static_cast<unsigned>(this->tables().plane());
    collect_kernel_->launch(this->stream(), {.grid = {(cells + 31) / 32}, .block = {32 * kCollectWarps}}, parameters_,
                            sweep_, static_cast<int>(sweep_blocks_));
  }
}

template <typename T>
void CudaFusedSolver<T>::queue_step() {
  cuda::Stream& stream = this->stream();
  if constexpr (std::is_same_v<T, float>) {
    if (sweep_kernel_) {
      sweep_kernel_->launch(stream,
                            {.grid = {sweep_blocks_}, .block = {sweep_threads_}, .dynamic_shared_bytes = sweep_bytes_},
                            parameters_, sweep_);
      return;
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    if (march_kernel_) {
      const int chunks = (this->tables().ntheta + march_.angles - 1) / march_.angles;
      const int cells = (this->tables().nz * march_.quads + kFusedThreads - 1) / kFusedThreads;
      march_kernel_->launch(stream,
                            {.grid = {static_cast<unsigned>(march_.count * chunks * cells)}, .block = {kFusedThreads}},
                            parameters_, march_);
    }
  }
  collide_kernel_->launch(
      stream, {.grid = {collide_blocks_}, .block = {collide_threads()}, .dynamic_shared_bytes = shared_bytes_},
      parameters_);
  stream_kernel_->launch(stream, {.grid = {stream_blocks_}, .block = {kFusedThreads}}, parameters_);
}

template <typename T>
void CudaFusedSolver<T>::capture() {
  if (loop_ != FusedLoop::kGraph) return;
  this->stream().begin_capture();
  for (int i = 0; i < kGraphSteps; ++i) queue_step();
  queue_collect();
  graph_.emplace(this->stream().end_capture());
  graph_->upload(this->stream());
}

template <typename T>
void CudaFusedSolver<T>::launch_steps(int first, int count) {
  cuda::Stream& stream = this->stream();
  // Depth stepping ends at the last plane, even if more steps are requested.
  const int planes = depth_ ? this->tables().nz - parameters_.start_z : first + count;
  begin_kernel_->launch(stream, {.grid = {1}, .block = {1}}, parameters_, std::min(first + count, planes));
  if (loop_ == FusedLoop::kPersistent) {
    persistent_kernel_->launch(stream,
                               {.grid = {collide_blocks_},
                                .block = {kFusedThreads},
                                .dynamic_shared_bytes = shared_bytes_,
                                .cooperative = true},
                               parameters_, march_);
  } else {
    int rest = count;
    if (graph_) {
      for (; rest >= kGraphSteps; rest -= kGraphSteps) graph_->launch(stream);
    }
    for (; rest > 0; --rest) {
      queue_step();
      if (rest % kGraphSteps == 1) queue_collect();
    }
  }
  if (!depth_ || first + count < planes || first >= planes) return;
  // Protons beyond the last plane have left the grid. The kernel does nothing if the run ended earlier.
  double* row = this->scores().ledger + static_cast<std::ptrdiff_t>(planes - 1) * kLedgerColumns;
  this->kernel("transport_fused_leave")
      .launch(stream, {.grid = {static_cast<unsigned>(this->tables().ne)}, .block = {kFusedThreads}}, parameters_, row);
}

template <typename T>
void CudaFusedSolver<T>::launch_count(double* row) {
  this->kernel("transport_fused_count")
      .launch(this->stream(), {.grid = {static_cast<unsigned>(this->tables().ne)}, .block = {kFusedThreads}},
              parameters_, row);
}

template <typename T>
DeviceState<T> CudaFusedSolver<T>::device_state() const {
  const Tables& t = this->tables();
  const long long row = static_cast<long long>(t.ntheta) * pitch();
  return {.state = {state_.pointer(), turned_.pointer()},
          .states = parameters_.alternates != 0 ? 2 : 1,
          .boxes = {&bounds_[0].pointer()->z0, &bounds_[1].pointer()->z0, nullptr},
          .box_sets = 2,
          .box_ints = sizeof(DeviceBox) / sizeof(int),
          .step = &control_.pointer()->step,
          .sizes = {t.ne, t.ntheta, parameters_.rows, t.nx},
          .strides = {row * parameters_.rows, pitch(), row, 1},
          .plane = parameters_.start_z,
          .plane_per_step = depth_ ? 1 : 0};
}

template class CudaFusedSolver<float>;
template class CudaFusedSolver<double>;

}  // namespace bb::transport
