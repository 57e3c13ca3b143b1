#include "cuda_window_beams.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cpu/thread_pool.hpp"
#include "cuda_window_layout.hpp"
#include "transport/cuda/cuda_packer.hpp"
#include "transport/cuda/cuda_rows.hpp"
#include "transport/model/index.hpp"
#include "transport/run/score_fields.hpp"

namespace bb::transport {
namespace {

constexpr int kStatic = 2048;          // bytes of shared memory outside the layout: the parameters of a beam, and sums
constexpr double kStatesShare = 0.5;   // share of the device's free memory for states
constexpr double kMaxFreeShare = 0.8;  // share of free memory if states are so large that few fit
constexpr double kLeftShare = 0.3;     // share of free memory for the results of beams

template <typename T>
cuda::Kernel find(const cuda::OpenedDevice& opened, const std::string& name) {
  return cuda::Kernel(opened.kernels->module, (name + (sizeof(T) == 4 ? "_f32" : "_f64")).c_str());
}

}  // namespace

template <typename T>
CudaWindowBeams<T>::CudaWindowBeams(const Problem& problem, const Tables& tables, int steps)
    : problem_(problem),
      tables_(tables),
      steps_(steps),
      opened_(cuda::OpenedDevice::open(problem.device, "transport")),
      stream_(opened_.device),
      typed_(tables, cpu::on_all_cores),
      device_tables_(problem, tables, typed_, TableSet::kLosses, stream_),
      window_(problem, tables, typed_, device_tables_.view(),
              {.static_shared = kStatic, .turned = opened_.kernels->module.tunable("kWindowTurned", kWindowTurned)},
              stream_),
      parameters_(window_.parameters()),
      steps_kernel_(find<T>(opened_, problem.stepping == Stepping::kDepth ? "transport_window_beams_depth"
                                                                          : "transport_window_beams_path")),
      moments_kernel_(opened_.kernels->module, "transport_window_moments"),
      slots_{Slot(opened_.device), Slot(opened_.device), Slot(opened_.device)} {
  if (const int rows = beam_rows(problem, tables, steps); rows < parameters_.rows) {
    parameters_.rows = rows;
    parameters_.row_mask = rows - 1;
  }
  const auto bytes = static_cast<unsigned>(parameters_.layout.bytes);
  steps_kernel_.allow_dynamic_shared(bytes);
  blocks_ = static_cast<unsigned>(std::max(1, steps_kernel_.resident_blocks(kWindowThreads, bytes)) *
                                  opened_.device->info().multiprocessors);
  share_memory();
}

template <typename T>
void CudaWindowBeams<T>::share_memory() {
  const auto& device = *opened_.device;
  const double free = static_cast<double>(device.memory().free_bytes), blocks = blocks_;
  const double each = 2.0 * sizeof(T) * static_cast<double>(state_cells());
  if (each > kMaxFreeShare * free) {
    cuda::require_memory(device, static_cast<std::uint64_t>(each / kMaxFreeShare),
                         "solver.variant = " + problem_.variant + ", many beams at once");
  }
  const double left = sizeof(double) * static_cast<double>(kScorePlanes * tables_.plane() + ledger_cells());
  // Two slots share the blocks. If memory suffices for one beam per block, blocks of one slot may wait in the queue
  // behind those of another. No block is then idle while the results of a third slot are downloaded. In this case,
  // blocks reserve state storage when they start.
  queued_ = kStatesShare * free / each >= blocks && kLeftShare * free / left >= kMaxSlots * blocks;
  if (queued_) {
    slots_used_ = kMaxSlots;
    teams_ = kMaxSlots * static_cast<int>(blocks_);
    return;
  }
  if (2.0 * each > kMaxFreeShare * free) slots_used_ = 1;
  teams_ = static_cast<int>(std::clamp(std::min(kStatesShare * free / each, kLeftShare * free / left),
                                       static_cast<double>(slots_used_), std::max(blocks, 2.0)));
}

template <typename T>
int CudaWindowBeams<T>::blocks_of_slot(bool all) const {
  return static_cast<int>(blocks_) / (all ? 1 : slots_used_);
}

template <typename T>
CudaWindowBeams<T>::~CudaWindowBeams() {
  for (Slot& slot : slots_) slot.stream.synchronize_ignoring_errors();  // their buffers are about to be freed
}

template <typename T>
int CudaWindowBeams<T>::at_once() const {
  return teams_ / slots_used_;
}

template <typename T>
double CudaWindowBeams<T>::state_bytes() const {
  std::size_t bytes = shared_.states.bytes();
  for (const Slot& slot : slots_) bytes += slot.places.states.bytes();
  return static_cast<double>(bytes);
}

template <typename T>
std::size_t CudaWindowBeams<T>::state_cells() const {
  return u(tables_.ne) * u(parameters_.rows) * u(tables_.ntheta) * u(row_pitch(tables_));
}

template <typename T>
std::size_t CudaWindowBeams<T>::ledger_cells() const {
  return u(steps_ + 1) * kLedgerColumns;
}

template <typename T>
std::size_t CudaWindowBeams<T>::crossing_cells() const {
  return u(tables_.nz) * engine::Crossing::kCount;
}

template <typename T>
void CudaWindowBeams<T>::allocate_results(Slot& slot, std::size_t beams) {
  if (beams <= slot.room) return;
  const auto& device = opened_.device;
  slot.fields = {device, beams * kScorePlanes * tables_.plane(), cuda::Reuse::kYes};
  slot.ledgers = {device, beams * ledger_cells(), cuda::Reuse::kYes};
  slot.crossing = {device, beams * crossing_cells(), cuda::Reuse::kYes};
  slot.extremes = {device, beams * 2, cuda::Reuse::kYes};
  slot.dose_here.emplace(device, beams * tables_.plane(), cuda::Reuse::kYes);
  slot.ledgers_here.emplace(device, beams * ledger_cells(), cuda::Reuse::kYes);
  slot.crossing_here.emplace(device, beams * crossing_cells(), cuda::Reuse::kYes);
  slot.extremes_here.emplace(device, beams * 2, cuda::Reuse::kYes);
  slot.room = beams;
}

template <typename T>
void CudaWindowBeams<T>::make_places(BeamStorage& places, int count, cuda::Stream& stream) {
  if (places.controls.size() >= u(count)) return;
  const auto& device = opened_.device;
  places.states = {device, 2 * u(count) * state_cells(), cuda::Reuse::kYes};
  places.boxes = {device, 3 * u(count) * u(tables_.ne), cuda::Reuse::kYes};
  places.controls = {device, u(count), cuda::Reuse::kYes};
  places.written = {device, 2 * u(count) * u(steps_ + 1), cuda::Reuse::kYes};
  if (!queued_) return;
  places.taken = {device, u(count), cuda::Reuse::kYes};
  places.taken.fill_bytes(0, stream);
  stream.synchronize();  // before other streams access it
}

template <typename T>
void CudaWindowBeams<T>::send_starts(Slot& slot, std::span<const Start* const> starts, WindowBeams<T>& beams) {
  std::vector<WindowStart> list;
  std::vector<double> values;
  for (const Start* start : starts) {
    const Start::Part& part = start->parts.front();
    const Start::Extent extent = start->extent();
    const auto some = [](double value) { return value != 0.0; };
    const auto first = std::ranges::find_if(part.energy, some);
    const auto last = std::find_if(part.energy.rbegin(), part.energy.rend(), some).base();
    WindowStart s{.first_bin = static_cast<int>(first - part.energy.begin()),
                  .bins = std::max(0, static_cast<int>(last - first)),
                  .a0 = extent.a0,
                  .a1 = extent.a1,
                  .x0 = extent.x0,
                  .x1 = extent.x1,
                  .bins_at = static_cast<int>(values.size()),
                  .angles_at = 0,
                  .columns_at = 0,
                  .unused = 0,
                  .number = start->number_in};
    if (s.a0 >= s.a1 || s.x0 >= s.x1) s.bins = 0;  // the beam misses the grid
    if (s.bins > 0) {
      values.insert(values.end(), first, last);
      s.angles_at = static_cast<int>(values.size());
      values.insert(values.end(), part.angle.begin() + s.a0, part.angle.begin() + s.a1);
      s.columns_at = static_cast<int>(values.size());
      for (int a = s.a0; a < s.a1; ++a) {
        const auto row = part.x.begin() + static_cast<std::ptrdiff_t>(a) * tables_.nx;
        values.insert(values.end(), row + s.x0, row + s.x1);
      }
    }
    list.push_back(s);
  }
  Packer packer;
  packer.add(list, &beams.starts);
  packer.add(values, &beams.values);
  slot.starts = packer.send(slot.stream, cuda::Reuse::kYes);
}

template <typename T>
void CudaWindowBeams<T>::begin(int slot, std::span<const Start* const> starts, bool all) {
  on_device([&] {
    try {
      queue(slots_[u(slot)], starts, all);
    } catch (...) {
      for (Slot& each : slots_) each.stream.synchronize_ignoring_errors();
      throw;
    }
  });
}

template <typename T>
void CudaWindowBeams<T>::queue(Slot& slot, std::span<const Start* const> starts, bool all) {
  cuda::Stream& stream = slot.stream;
  const std::size_t count = starts.size();
  // If there are few beams, teams have more blocks. A block that forms a team by itself does not wait for others and
  // need not run concurrently with them.
  const int most = queued_ ? static_cast<int>(blocks_) : blocks_of_slot(all);
  const int teams = std::min({static_cast<int>(count), all ? teams_ : at_once(), most});
  const int team = queued_ && !all ? 1 : std::max(1, blocks_of_slot(all) / teams);
  allocate_results(slot, count);
  BeamStorage& places = queued_ ? shared_ : slot.places;
  make_places(places, queued_ ? static_cast<int>(blocks_) : teams, stream);

  WindowBeams<T> beams{};
  send_starts(slot, starts, beams);
  beams.states = places.states.pointer();
  beams.boxes = places.boxes.pointer();
  beams.controls = places.controls.pointer();
  beams.written = places.written.pointer();
  beams.places = static_cast<int>(places.controls.size());
  // Teams of several blocks only run in a single launch, so they need not reserve shared state storage.
  if (queued_ && team == 1) beams.taken = places.taken.pointer();
  beams.fields = slot.fields.pointer();
  beams.ledgers = slot.ledgers.pointer();
  beams.extremes = slot.extremes.pointer();
  beams.state_cells = static_cast<long long>(state_cells());
  beams.beams = static_cast<int>(count);
  beams.team = team;
  beams.steps = steps_;
  beams.threshold = kWindowThreshold<T>;
  beams.stop_share = problem_.stop_weight;
  if (beams.taken == nullptr) places.controls.fill_bytes(0, stream);
  slot.fields.fill_bytes(0, stream);
  slot.ledgers.fill_bytes(0, stream);
  slot.extremes.fill_bytes(0, stream);
  steps_kernel_.launch(stream,
                       {.grid = {static_cast<unsigned>(teams * team)},
                        .block = {kWindowThreads},
                        .dynamic_shared_bytes = static_cast<unsigned>(parameters_.layout.bytes),
                        .cooperative = team > 1},
                       parameters_, beams);
  moments_kernel_.launch(stream,
                         {.grid = {static_cast<unsigned>(tables_.nz), static_cast<unsigned>(count)}, .block = {32}},
                         slot.fields.pointer(), slot.crossing.pointer(), tables_.nx, tables_.dx);
  slot.fields.download(slot.dose_here->values().first(count * tables_.plane()), stream);
  slot.crossing.download(slot.crossing_here->values().first(count * crossing_cells()), stream);
  slot.ledgers.download(slot.ledgers_here->values().first(count * ledger_cells()), stream);
  slot.extremes.download(slot.extremes_here->values().first(count * 2), stream);
  slot.arrived.record(stream);
}

template <typename T>
void CudaWindowBeams<T>::finish(int slot) {
  on_device([&] { slots_[u(slot)].arrived.synchronize(slots_[u(slot)].stream); });
}

template <typename T>
engine::BeamScores CudaWindowBeams<T>::scores(int slot, std::size_t i) const {
  const Slot& left = slots_[u(slot)];
  const auto part = [i](const auto& buffer, std::size_t cells) { return buffer->values().subspan(i * cells, cells); };
  engine::BeamScores out;
  const auto dose = part(left.dose_here, tables_.plane());
  out.dose.assign(dose.begin(), dose.end());
  const auto crossing = part(left.crossing_here, crossing_cells());
  out.crossing.assign(crossing.begin(), crossing.end());
  const auto extremes = part(left.extremes_here, 2);
  if (std::isinf(extremes[1])) {
    throw ProblemError("unsupported",
                       "solver.variant = " + problem_.variant +
                           ": one of the beams occupies more rows of z in a single step than are stored per beam; "
                           "allowed: a separate grid for each beam");
  }
  if (extremes[1] > 0.0f) out.min_over_max = -static_cast<double>(extremes[0]) / static_cast<double>(extremes[1]);
  const auto rows = part(left.ledgers_here, ledger_cells());
  const auto row = [&](int step) { return &rows[u(step) * kLedgerColumns]; };
  int done = 0;
  while (done < steps_ && row(done)[kInFlight] > 0.0) ++done;
  for (int step = 0; step < done; ++step) {
    out.totals.push_back(step_totals(row(step), row(step + 1 < done ? step + 1 : steps_)));
    out.cell_steps += row(step)[kCellsVisited];
  }
  return out;
}

std::unique_ptr<engine::BeamsSolver> make_cuda_window_beams(const Problem& problem, const Tables& tables, int steps) {
  return on_device([&]() -> std::unique_ptr<engine::BeamsSolver> {
    if (problem.precision == Precision::kFp32) {
      return std::make_unique<CudaWindowBeams<float>>(problem, tables, steps);
    }
    return std::make_unique<CudaWindowBeams<double>>(problem, tables, steps);
  });
}

template class CudaWindowBeams<float>;
template class CudaWindowBeams<double>;

}  // namespace bb::transport
