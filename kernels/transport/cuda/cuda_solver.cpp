#include "cuda_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "cuda/device/graph.hpp"
#include "cuda_packer.hpp"
#include "cuda_rows.hpp"
#include "transport/model/index.hpp"
#include "transport/model/typed_tables.hpp"
#include "transport/run/score_fields.hpp"

namespace bb::transport {
namespace {

template <typename T>
std::vector<T> flat(const std::vector<std::array<T, physics::kRemapTaps>>& rows) {
  std::vector<T> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

template <typename T>
std::vector<T> typed(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

std::vector<int> whole_shifts_of(const std::vector<physics::RemapShift>& shifts) {
  std::vector<int> out;
  for (const physics::RemapShift& s : shifts) out.push_back(s.whole);
  return out;
}

}  // namespace

template <typename T>
CudaTables<T>::CudaTables(const Problem& problem, const Tables& t, const TypedTables<T>& rounded, TableSet sent,
                          cuda::Stream& stream) {
  view_.ne = t.ne;
  view_.ntheta = t.ntheta;
  view_.nz = t.nz;
  view_.nx = t.nx;
  view_.materials = t.materials;
  view_.classes = t.classes;
  view_.depth = problem.stepping == Stepping::kDepth ? 1 : 0;
  view_.angle_half_max = t.angle_half_max;
  view_.reach_down = t.reach_down;
  view_.reach_up = t.reach_up;
  view_.dx = t.dx;
  view_.dz = t.dz;

  std::vector<unsigned char> mixed;
  for (int z = 0; z < t.nz; ++z) {
    const auto row = static_cast<std::size_t>(z);
    mixed.push_back(rounded.run_begin[row + 1] - rounded.run_begin[row] > 1 ? 1 : 0);
  }
  Packer packer;
  packer.add(t.path_of, &view_.path_of);
  if (sent == TableSet::kAll) {
    packer.add(t.gather_begin, &view_.gather_begin);
    packer.add(t.gather_source, &view_.gather_source);
    packer.add(rounded.gather_weight, &view_.gather_weight);
    packer.add(t.angle_begin, &view_.angle_begin);
    packer.add(rounded.angle_weight, &view_.angle_weight);
  }
  packer.add(rounded.deposit, &view_.deposit);
  packer.add(rounded.stopped, &view_.stopped);
  packer.add(rounded.nuclear, &view_.nuclear);
  packer.add(rounded.nuclear_escape, &view_.nuclear_escape);
  packer.add(whole_shifts_of(t.shift_x), &view_.whole_x);
  packer.add(whole_shifts_of(t.shift_z), &view_.whole_z);
  packer.add(flat(rounded.flux_x), &view_.flux_x);
  packer.add(flat(rounded.flux_z), &view_.flux_z);
  packer.add(typed<T>(t.plane_weight), &view_.plane_weight);
  packer.add(typed<T>(t.theta), &view_.theta);
  packer.add(t.energy, &view_.energy);
  packer.add(t.map, &view_.map);
  packer.add(mixed, &view_.mixed);
  memory_ = packer.send(stream, cuda::Reuse::kYes);
}

template class CudaTables<float>;
template class CudaTables<double>;

namespace {

using engine::StepTotals;

// Maximum time of one batch, s. Between batches, the host checks the cancel flag and the page updates its view of the
// beam.
constexpr double kBatchSeconds = 0.05;
// Assumed speed of a variant before its first timing. Every variant exceeds it on current devices.
constexpr double kFirstGuess = 1e10;  // cells per second
constexpr int kLongestBatch = 1024;   // ledger rows per download

/// The pairs of axes in Marginals.
using engine::Axis;
constexpr engine::PlaneRequest kPairs[] = {{Axis::kZ, Axis::kX},          {Axis::kX, Axis::kTheta},
                                           {Axis::kEnergy, Axis::kTheta}, {Axis::kEnergy, Axis::kZ},
                                           {Axis::kEnergy, Axis::kX},     {Axis::kZ, Axis::kTheta}};

}  // namespace

template <typename T>
CudaSolver<T>::CudaSolver(const Problem& problem, const Tables& tables, TableSet sent)
    : problem_(problem),
      tables_(tables),
      opened_(cuda::OpenedDevice::open(problem.device, "transport")),
      stream_(opened_.device),
      setup_parts_(opened_.parts),
      typed_([&] {
        std::optional<TypedTables<T>> out;
        engine::add_part(setup_parts_, "rounding", [&] { out.emplace(tables, cpu::on_all_cores); });
        return std::move(*out);
      }()),
      device_tables_([&] {
        std::optional<CudaTables<T>> out;
        engine::add_part(setup_parts_, "upload", [&] { out.emplace(problem, tables, typed_, sent, stream_); });
        return std::move(*out);
      }()),
      ledger_(opened_.device, u(problem.max_steps) * kLedgerColumns, cuda::Reuse::kYes),
      count_(opened_.device, kLedgerColumns, cuda::Reuse::kYes),
      fields_(opened_.device, kScorePlanes * tables.plane(), cuda::Reuse::kYes),
      extremes_(opened_.device, 2, cuda::Reuse::kYes),
      rows_(opened_.device, u(kLongestBatch) * kLedgerColumns, cuda::Reuse::kYes),
      tail_(opened_.device, kLedgerColumns, cuda::Reuse::kYes),
      seen_extremes_(opened_.device, 2, cuda::Reuse::kYes),
      batch_start_(opened_.device),
      batch_end_(opened_.device),
      origin_(opened_.device) {
  scores_.dose = fields_.pointer() + kDose * tables.plane();
  scores_.current = fields_.pointer() + kCurrent * tables.plane();
  scores_.current_theta = fields_.pointer() + kCurrentTheta * tables.plane();
  scores_.current_theta_theta = fields_.pointer() + kCurrentThetaTheta * tables.plane();
  scores_.ledger = ledger_.pointer();
  scores_.extremes = extremes_.pointer();
  if (tables.reactions.on()) send_reactions();
  if (tables.tracks.on()) send_tracks();
}

template <typename T>
CudaSolver<T>::~CudaSolver() = default;

template <typename T>
void CudaSolver<T>::send_reactions() {
  const ReactionGrid& grid = tables_.reactions;
  recorded_.assign(grid.size(), 0.0);
  reactions_ = cuda::DeviceBuffer<double>(opened_.device, grid.size());
  Packer packer;
  packer.add(grid.bin, &scores_.reactions.bin);
  packer.add(grid.upper, &scores_.reactions.upper);
  packer.add(grid.plane_of, &scores_.reactions.plane_of);
  reaction_bins_ = packer.send(stream_);
  scores_.reactions.number = reactions_.pointer();
  scores_.reactions.cells = grid.cells;
  scores_.reactions.bins = grid.bins;
  scores_.reactions.columns = grid.columns;
}

template <typename T>
void CudaSolver<T>::send_tracks() {
  const TrackScores& from = tables_.tracks;
  tracked_.assign(from.size(), 0.0);
  tracks_ = cuda::DeviceBuffer<double>(opened_.device, from.size());
  std::vector<double> moments;
  for (const std::vector<double>& moment : from.moment) moments.insert(moments.end(), moment.begin(), moment.end());
  std::vector<long long> spectra(u(tables_.nz), -1);
  for (const int row : from.rows) spectra[u(row)] = static_cast<long long>(from.spectrum(row, 0));
  Packer packer;
  packer.add(moments, &device_tracks_.moment);
  packer.add(std::vector<T>(from.way.begin(), from.way.end()), &device_tracks_.way);
  packer.add(spectra, &device_tracks_.spectrum);
  track_tables_ = packer.send(stream_);
  device_tracks_.scored = tracks_.pointer();
}

template <typename T>
cuda::Kernel CudaSolver<T>::kernel(const char* name) const {
  return cuda::Kernel(opened_.kernels->module, (std::string(name) + (sizeof(T) == 4 ? "_f32" : "_f64")).c_str());
}

// Another run may reuse cached memory at once, so the stream must be idle when an exception propagates.
template <typename T>
template <typename F>
auto CudaSolver<T>::idle_on_error(F&& work) {
  try {
    return work();
  } catch (...) {
    stream_.synchronize_ignoring_errors();
    throw;
  }
}

template <typename T>
void CudaSolver<T>::set_up() {
  idle_on_error([&] { make_ready(); });
}

template <typename T>
void CudaSolver<T>::make_ready() {
  if (opened_.kernels->pieces) {
    engine::add_part(setup_parts_, "compiling", [&] { opened_.kernels->module.prepare(kernels_needed()); });
  }
  engine::add_part(setup_parts_, "state", [&] {
    cuda::require_memory(*opened_.device, static_cast<std::uint64_t>(state_bytes_needed()),
                         "solver.variant = " + problem_.variant + ", " + std::to_string(tables_.ne) + " x " +
                             std::to_string(tables_.ntheta) + " x " + std::to_string(tables_.nz) + " x " +
                             std::to_string(tables_.nx) + " cells (energy, angle, z, x),");
    ledger_.fill_bytes(0, stream_);
    fields_.fill_bytes(0, stream_);
    extremes_.fill_bytes(0, stream_);
    if (scores_.reactions.on()) reactions_.fill_bytes(0, stream_);
    if (!tracked_.empty()) tracks_.fill_bytes(0, stream_);
    prepare();
    stream_.synchronize();
  });
  engine::add_part(setup_parts_, "capture", [&] {
    capture();
    stream_.synchronize();
  });
}

template <typename T>
int CudaSolver<T>::batch(int max_steps) const {
  const double seconds = step_ > 0 ? device_seconds_ / step_ : cells_per_step() / kFirstGuess;
  const double fit = seconds > 0.0 ? kBatchSeconds / seconds : kLongestBatch;
  const int rest = std::min(max_steps, problem_.max_steps - step_);
  return std::min(rest, static_cast<int>(std::clamp(fit, 1.0, static_cast<double>(kLongestBatch))));
}

template <typename T>
int CudaSolver<T>::advance(int max_steps, std::vector<StepTotals>& totals, engine::SpanRecorder& spans,
                           const std::atomic<bool>& cancel) {
  const int count = batch(max_steps);
  if (cancel.load() || over_ || count < 1) return 0;
  scores_here_ = false;
  return on_device([&] { return idle_on_error([&] { return take_steps(count, totals, spans); }); });
}

template <typename T>
int CudaSolver<T>::take_steps(int count, std::vector<StepTotals>& totals, engine::SpanRecorder& spans) {
  if (step_ == 0) {  // synchronizes the device's clock with the host's
    origin_.record(stream_);
    origin_.synchronize(stream_);
    origin_ns_ = spans.now_ns();
  }
  const double begin_ns = spans.now_ns();
  std::optional<cuda::Graph> graph;
  if (replay_) {
    stream_.begin_capture();
    try {
      launch_steps(step_, count);
    } catch (...) {
      stream_.abandon_capture();
      throw;
    }
    graph.emplace(stream_.end_capture());
    graph->upload(stream_);
    stream_.synchronize();
  }
  if (flush_) flush_->run(stream_);  // keeps the device busy while the host queues the steps to be timed
  const double queue_ns = spans.now_ns();
  untimed_seconds_ += (queue_ns - begin_ns) * 1e-9;
  batch_start_.record(stream_);
  if (graph) {
    graph->launch(stream_);
  } else {
    launch_steps(step_, count);
  }
  batch_end_.record(stream_);
  flush_.reset();
  ledger_.download(rows_.values().first(u(count) * kLedgerColumns), stream_, u(step_) * kLedgerColumns);
  extremes_.download(seen_extremes_.values(), stream_);
  count_state();
  const double wait_ns = spans.now_ns();
  stream_.synchronize();

  int done = 0;
  while (done < count && rows_.values()[u(done) * kLedgerColumns + kInFlight] > 0.0) ++done;
  over_ = done < count;
  if (over_) {
    discard_steps(count - done);
    count_state();
    stream_.synchronize();
  }
  const double seconds = batch_end_.seconds_since(batch_start_);
  const double start_ns = origin_ns_ + batch_start_.seconds_since(origin_) * 1e9;
  const auto step = static_cast<std::uint32_t>(step_);
  spans.record(0, spans.name_id("queue steps"), step, queue_ns, wait_ns);
  spans.record(0, spans.name_id("wait"), step, wait_ns, spans.now_ns());
  if (spans.lanes().size() > 1) {
    spans.record(1, spans.name_id("steps on the device"), step, start_ns, start_ns + seconds * 1e9);
  }
  device_seconds_ += seconds;
  for (int i = 0; i < done; ++i) {
    const double counted = rows_.values()[u(i) * kLedgerColumns + kCellsVisited];
    cell_steps_ += counted > 0.0 ? counted : cells_per_step();
  }
  step_ += done;
  append_totals(done, totals);
  if (seen_extremes_.values()[1] > 0.0f) {
    min_over_max_ = -static_cast<double>(seen_extremes_.values()[0]) / static_cast<double>(seen_extremes_.values()[1]);
  }
  return done;
}

template <typename T>
void CudaSolver<T>::replay_graphs() {
  if (*no_graph() != '\0') throw ProblemError("unsupported", no_graph());
  replay_ = true;
}

template <typename T>
void CudaSolver<T>::start_cold() {
  on_device([&] { flush_.emplace(opened_.device); });
}

template <typename T>
void CudaSolver<T>::count_state() {
  count_.fill_bytes(0, stream_);
  launch_count(count_.pointer());
  count_.download(tail_.values(), stream_);
}

template <typename T>
void CudaSolver<T>::append_totals(int done, std::vector<StepTotals>& totals) const {
  for (int i = 0; i < done; ++i) {
    const double* row = &rows_.values()[u(i) * kLedgerColumns];
    const double* next = i + 1 < done ? row + kLedgerColumns : tail_.values().data();
    totals.push_back(step_totals(row, next));
  }
}

template <typename T>
void CudaSolver<T>::marginals(engine::Marginals& out) {
  std::vector<engine::Plane> made = planes(kPairs);
  std::vector<float>* const to[] = {&out.zx, &out.xtheta, &out.etheta, &out.ez, &out.ex, &out.ztheta};
  for (std::size_t i = 0; i < made.size(); ++i) *to[i] = std::move(made[i].values);
  double number = 0.0, depth = 0.0;
  for (std::size_t i = 0; i < out.ez.size(); ++i) {
    number += static_cast<double>(out.ez[i]);
    depth += static_cast<double>(out.ez[i]) * (static_cast<double>(i % u(tables_.nz)) + 0.5);
  }
  out.step = step_;
  out.depth_mm = number > 0.0 ? depth / number * tables_.dz : 0.0;
}

template <typename T>
std::vector<engine::Plane> CudaSolver<T>::planes(std::span<const engine::PlaneRequest> requests) {
  const std::array<int, engine::kAxes> cells{tables_.ne, tables_.ntheta, tables_.nz, tables_.nx};
  const auto count = [&](Axis axis) { return u(cells[u(static_cast<int>(axis))]); };
  std::size_t all = 0;
  for (const engine::PlaneRequest& r : requests) all += count(r.slow) * count(r.fast);
  return on_device([&] {
    if (sums_.size() < all) sums_ = cuda::DeviceBuffer<double>(opened_.device, all, cuda::Reuse::kYes);
    sums_.fill_bytes(0, stream_);
    const DeviceState<T> state = device_state();
    std::size_t at = 0;
    for (const engine::PlaneRequest& r : requests) {
      queue_plane(state, r, cells, sums_.pointer() + at);
      at += count(r.slow) * count(r.fast);
    }
    if (rounded_.size() < all) rounded_ = cuda::DeviceBuffer<float>(opened_.device, all, cuda::Reuse::kYes);
    constexpr unsigned kBlocks = 256, kThreads = 256;
    cuda::Kernel(opened_.kernels->module, "planes_rounded")
        .launch(stream_, {.grid = {kBlocks, 1, 1}, .block = {kThreads, 1, 1}},
                static_cast<const double*>(sums_.pointer()), rounded_.pointer(), static_cast<long long>(all));
    cuda::PinnedBuffer<float> here(opened_.device, all, cuda::Reuse::kYes);
    rounded_.download(here.values().first(all), stream_);
    stream_.synchronize();
    std::vector<engine::Plane> out;
    const float* from = here.values().data();
    for (const engine::PlaneRequest& r : requests) {
      const std::size_t values = count(r.slow) * count(r.fast);
      out.emplace_back(r, std::vector<float>(from, from + values));
      from += values;
    }
    return out;
  });
}

template <typename T>
void CudaSolver<T>::queue_plane(const DeviceState<T>& state, const engine::PlaneRequest& request,
                                const std::array<int, engine::kAxes>& cells, double* sums) {
  // Enough blocks to fill a device twice. More blocks would only add more atomics on the same cells.
  constexpr unsigned kBlocks = 512;
  const int slow = static_cast<int>(request.slow), fast = static_cast<int>(request.fast);
  DevicePlane plane{.sums = sums,
                    .strides = {},
                    .cut = {},
                    .first = std::min(slow, fast),
                    .second = std::max(slow, fast),
                    .first_cells = cells[u(std::min(slow, fast))],
                    .second_cells = cells[u(std::max(slow, fast))]};
  std::ranges::copy(request.cut, plane.cut);
  plane.strides[slow] = cells[u(fast)];
  plane.strides[fast] = 1;
  const auto rows = [&](int axis, int all) {  // stored rows of an axis
    return static_cast<unsigned>(axis == static_cast<int>(Axis::kZ) && state.sizes[axis] == 1 ? 1 : all);
  };
  const unsigned first = rows(plane.first, plane.first_cells), second = rows(plane.second, plane.second_cells);
  const bool with_x = plane.second == static_cast<int>(Axis::kX);
  const unsigned across = with_x ? (second + 31) / 32 : (second + kPlaneRows - 1) / kPlaneRows;
  kernel(with_x ? "planes_with_x" : "planes_over_x")
      .launch(stream_,
              {.grid = {across, first, std::max(1u, kBlocks / (across * first))}, .block = {32, kPlaneRows, 1}}, state,
              plane);
}

template <typename T>
void CudaSolver<T>::download_scores() {
  if (scores_here_) return;
  on_device([&] {
    // Copies to pinned memory are faster, but pinning a larger buffer takes longer than the copy.
    constexpr std::size_t kMaxPinned = std::size_t{4} << 20;  // values
    std::optional<cuda::PinnedBuffer<double>> pinned;
    std::vector<double> pageable;
    if (fields_.size() <= kMaxPinned) {
      pinned.emplace(opened_.device, fields_.size(), cuda::Reuse::kYes);
    } else {
      pageable.resize(fields_.size());
    }
    const std::span<double> fields = pinned ? pinned->values().first(fields_.size()) : std::span<double>(pageable);
    fields_.download(fields, stream_);
    engine::Scores scores(tables_);  // initialized with the dose of the entry path
    stream_.synchronize();
    const auto add_rows = [&](int first, int end) {
      add_fields(tables_, first, end, fields.data(), scores.dose().data(), scores.crossing().data());
    };
    constexpr int kRows = 16;             // rows per task
    constexpr std::size_t kAlone = 8192;  // number of cells up to which one core is faster than waking others
    if (tables_.plane() <= kAlone) {
      add_rows(0, tables_.nz);
    } else {
      cpu::on_all_cores((tables_.nz + kRows - 1) / kRows,
                        [&](int i) { add_rows(i * kRows, std::min(tables_.nz, (i + 1) * kRows)); });
    }
    dose_ = std::move(scores.dose());
    crossing_ = std::move(scores.crossing());
  });
  scores_here_ = true;
}

template <typename T>
std::span<const double> CudaSolver<T>::dose() {
  download_scores();
  return dose_;
}

template <typename T>
std::span<const double> CudaSolver<T>::crossing() {
  download_scores();
  return crossing_;
}

template <typename T>
std::span<const double> CudaSolver<T>::reactions() {
  if (!recorded_.empty() && step_ > 0) on_device([&] { recorded_ = reactions_.read(stream_); });
  return recorded_;
}

template <typename T>
std::span<const double> CudaSolver<T>::tracks() {
  if (!tracked_.empty() && step_ > 0) on_device([&] { tracked_ = tracks_.read(stream_); });
  return tracked_;
}

template class CudaSolver<float>;
template class CudaSolver<double>;

}  // namespace bb::transport
