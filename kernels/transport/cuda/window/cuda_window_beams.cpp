#include "cuda_window_beams.hpp"

#include <algorithm>
#include <string>

#include "cpu/all_cores.hpp"
#include "transport/cuda/cuda_packer.hpp"
#include "transport/cuda/ledger_rows.hpp"
#include "transport/model/index.hpp"
#include "transport/run/score_fields.hpp"

namespace bb::transport {
namespace {

constexpr int kStatic = 2048;         // bytes of shared memory beside the layout's: the parameters of a beam, and sums
constexpr int kWaves = 2;             // beams of a team in one launch
constexpr double kStatesShare = 0.5;  // of the memory that the device has free
constexpr double kLeftShare = 0.15;   // of it, for what the beams of a launch leave; there are two of these

template <typename T>
cuda::Kernel find(const cuda::Session& session, const std::string& name) {
  return cuda::Kernel(session.kernels->module, (name + (sizeof(T) == 4 ? "_f32" : "_f64")).c_str());
}

}  // namespace

template <typename T>
CudaWindowBeams<T>::CudaWindowBeams(const Problem& problem, const Tables& tables, int steps)
    : problem_(problem),
      tables_(tables),
      steps_(steps),
      session_(cuda::Session::open(problem.device, "transport")),
      stream_(session_.device),
      typed_(tables, cpu::on_all_cores),
      device_tables_(problem, tables, typed_, Sent::kLosses, stream_),
      window_(problem, tables, typed_, device_tables_.view(), kStatic, stream_),
      steps_kernel_(find<T>(session_, problem.stepping == Stepping::kDepth ? "transport_window_beams_depth"
                                                                           : "transport_window_beams_path")),
      moments_kernel_(session_.kernels->module, "transport_window_moments") {
  const auto bytes = static_cast<unsigned>(window_.parameters().layout.bytes);
  steps_kernel_.allow_dynamic_shared(bytes);
  const auto& device = *session_.device;
  blocks_ = static_cast<unsigned>(std::max(1, steps_kernel_.resident_blocks(kWindowThreads, bytes)) *
                                  device.info().multiprocessors);
  const double free = static_cast<double>(device.memory().free_bytes);
  const double each = estimate_cuda_rows(problem, tables);
  if (each > kStatesShare * free) {
    cuda::require_memory(device, static_cast<std::uint64_t>(each / kStatesShare),
                         "solver.variant = " + problem.variant + ", many beams at once");
  }
  teams_ = static_cast<int>(std::clamp(kStatesShare * free / each, 1.0, static_cast<double>(blocks_)));
  const double left = sizeof(double) * static_cast<double>(kScorePlanes * tables.plane() + ledger_cells());
  teams_ = static_cast<int>(std::clamp(kLeftShare * free / (kWaves * left), 1.0, static_cast<double>(teams_)));
}

template <typename T>
CudaWindowBeams<T>::~CudaWindowBeams() {
  stream_.settle();  // what it works on goes
}

template <typename T>
int CudaWindowBeams<T>::at_once() const {
  return kWaves * teams_;
}

template <typename T>
double CudaWindowBeams<T>::state_bytes() const {
  return static_cast<double>(states_.bytes());
}

template <typename T>
std::size_t CudaWindowBeams<T>::ledger_cells() const {
  return u(steps_ + 1) * kLedgerColumns;
}

template <typename T>
void CudaWindowBeams<T>::make_room(Left& left, std::size_t beams) {
  const auto& device = session_.device;
  const std::size_t crossing = u(tables_.nz) * engine::Crossing::kCount;
  if (beams > left.beams) {
    left.fields = {device, beams * kScorePlanes * tables_.plane(), cuda::Reuse::kYes};
    left.ledgers = {device, beams * ledger_cells(), cuda::Reuse::kYes};
    left.crossing = {device, beams * crossing, cuda::Reuse::kYes};
    left.extremes = {device, beams * 2, cuda::Reuse::kYes};
    left.dose_here.emplace(device, beams * tables_.plane(), cuda::Reuse::kYes);
    left.ledgers_here.emplace(device, beams * ledger_cells(), cuda::Reuse::kYes);
    left.crossing_here.emplace(device, beams * crossing, cuda::Reuse::kYes);
    left.extremes_here.emplace(device, beams * 2, cuda::Reuse::kYes);
  }
  left.beams = std::max(left.beams, beams);
  if (left.begun) return;
  left.begun.emplace(device);
  left.taken.emplace(device);
  left.arrived.emplace(device);
}

template <typename T>
void CudaWindowBeams<T>::send_starts(std::span<const Start* const> starts, WindowBeams<T>& beams) {
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
    if (s.a0 >= s.a1 || s.x0 >= s.x1) s.bins = 0;  // it misses the grid
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
  starts_ = packer.send(stream_, cuda::Reuse::kYes);
}

template <typename T>
void CudaWindowBeams<T>::begin(std::span<const Start* const> starts) {
  now_ ^= 1;
  on_device([&] {
    try {
      queue(starts, left_[now_]);
    } catch (...) {
      stream_.settle();
      throw;
    }
  });
}

template <typename T>
void CudaWindowBeams<T>::queue(std::span<const Start* const> starts, Left& left) {
  const auto& device = session_.device;
  const std::size_t count = starts.size();
  make_room(left, count);
  // Few beams have larger teams.
  const int wanted = std::min(static_cast<int>(count), teams_);
  const int team = static_cast<int>(blocks_) / wanted;
  const int teams = std::min(wanted, static_cast<int>(blocks_) / team);
  const std::size_t state_cells =
      u(tables_.ne) * u(rows_held(problem_, tables_)) * u(tables_.ntheta) * u(row_pitch(tables_));
  const auto grow = [&](auto& buffer, std::size_t cells) {
    if (buffer.size() < cells) buffer = {device, cells, cuda::Reuse::kYes};
  };
  grow(states_, 2 * u(teams) * state_cells);
  grow(boxes_, 3 * u(teams) * u(tables_.ne));
  grow(controls_, u(teams));
  grow(written_, 2 * u(teams) * u(steps_ + 1));

  WindowBeams<T> beams{};
  send_starts(starts, beams);
  beams.states = states_.pointer();
  beams.boxes = boxes_.pointer();
  beams.controls = controls_.pointer();
  beams.written = written_.pointer();
  beams.fields = left.fields.pointer();
  beams.ledgers = left.ledgers.pointer();
  beams.extremes = left.extremes.pointer();
  beams.state_cells = static_cast<long long>(state_cells);
  beams.beams = static_cast<int>(count);
  beams.team = team;
  beams.steps = steps_;
  beams.threshold = kWindowThreshold<T>;
  beams.stop_share = problem_.stop_weight;
  controls_.fill_bytes(0, stream_);
  left.fields.fill_bytes(0, stream_);
  left.ledgers.fill_bytes(0, stream_);
  left.extremes.fill_bytes(0, stream_);
  left.begun->record(stream_);
  steps_kernel_.launch(stream_,
                       {.grid = {static_cast<unsigned>(teams * team)},
                        .block = {kWindowThreads},
                        .dynamic_shared_bytes = static_cast<unsigned>(window_.parameters().layout.bytes),
                        .cooperative = true},
                       window_.parameters(), beams);
  left.taken->record(stream_);
  moments_kernel_.launch(stream_,
                         {.grid = {static_cast<unsigned>(tables_.nz), static_cast<unsigned>(count)}, .block = {32}},
                         left.fields.pointer(), left.crossing.pointer(), tables_.nx, tables_.dx);
  left.fields.download(left.dose_here->values().first(count * tables_.plane()), stream_);
  left.crossing.download(left.crossing_here->values().first(count * u(tables_.nz) * engine::Crossing::kCount), stream_);
  left.ledgers.download(left.ledgers_here->values().first(count * ledger_cells()), stream_);
  left.extremes.download(left.extremes_here->values().first(count * 2), stream_);
  left.arrived->record(stream_);
}

template <typename T>
double CudaWindowBeams<T>::finish() {
  done_ = now_;
  Left& left = left_[done_];
  return on_device([&] {
    left.arrived->synchronize(stream_);
    return left.taken->seconds_since(*left.begun);
  });
}

template <typename T>
engine::BeamScores CudaWindowBeams<T>::scores(std::size_t i) const {
  const Left& left = left_[done_];
  const auto part = [i](const auto& buffer, std::size_t cells) { return buffer->values().subspan(i * cells, cells); };
  engine::BeamScores out;
  const auto dose = part(left.dose_here, tables_.plane());
  out.dose.assign(dose.begin(), dose.end());
  const auto crossing = part(left.crossing_here, u(tables_.nz) * engine::Crossing::kCount);
  out.crossing.assign(crossing.begin(), crossing.end());
  const auto extremes = part(left.extremes_here, 2);
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
