#include "cuda_window_tables.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cpu/memory.hpp"
#include "cuda_window_layout.hpp"
#include "transport/cuda/cuda_packer.hpp"
#include "transport/model/index.hpp"
#include "transport/model/work.hpp"

namespace bb::transport {
namespace {

unsigned blocks(std::size_t threads) {
  return static_cast<unsigned>((threads + kStepRowThreads - 1) / kStepRowThreads);
}

/// Rounds up a number of four-byte values, so that the next array starts on a cache line.
std::size_t round_up_to_lines(std::size_t values) { return (values + 31) / 32 * 32; }

/// Packs the arrays of a table; sets the pointers in `to` when they are sent.
void add(Packer& packer, const physics::StoppingView& from, physics::StoppingView& to) {
  to = from;
  const auto put = [&](const double* values, int count, const double** pointer) {
    packer.add(std::vector<double>(values, values + count), pointer);
  };
  put(from.x, from.entries, &to.x);
  put(from.y, from.entries, &to.y);
  put(from.y2, from.entries, &to.y2);
  put(from.mesh, from.cells, &to.mesh);
  put(from.mesh_range, from.cells, &to.mesh_range);
  put(from.mesh_slope, from.cells, &to.mesh_slope);
}

}  // namespace

void CudaStepRows::measure(const Tables& t, cuda::Stream& stream) {
  const StepOperators& operators = *t.operators;
  DeviceStepRows& p = rows_;
  p.ne = t.ne;
  p.first_alive = operators.first_alive();
  p.ntheta = t.ntheta;
  p.materials = t.materials;
  p.paths = t.paths;
  p.classes = t.classes;
  p.model = operators.model();
  std::vector<StepMatter> matter = operators.matter();
  Packer packer;
  for (StepMatter& each : matter) {
    add(packer, each.table, each.table);
    packer.add(std::vector<double>(each.range, each.range + t.ne), &each.range);
  }
  packer.add(t.path_mm, &p.path_mm);
  packer.add(t.energy, &p.held);
  packer.add(t.path_of, &p.path_of);
  inputs_ = packer.send(stream, cuda::Reuse::kYes);
  p.model.scattering.water = matter[0].table;
  p.model.axis.water = matter[0].table;
  p.model.water_range = matter[0].range;
  Packer second;
  second.add(matter, &p.matter);
  matter_ = second.send(stream, cuda::Reuse::kYes);

  const std::size_t bins = u(t.ne), groups = u(t.paths) * u(t.materials);
  measured_ = {stream.device(), 4 * bins + 2 * groups, cuda::Reuse::kYes};
  // Arrays in order: low, high, half, ends, and the sizes. `low` is a minimum and starts at the largest int, `high` at
  // -1, the others at 0.
  measured_.fill_bytes(0, stream);
  cuda::PinnedBuffer<int> here(stream.device(), measured_.size(), cuda::Reuse::kYes);
  const std::span<int> values = here.values().first(measured_.size());
  std::ranges::fill(values.first(bins), std::numeric_limits<int>::max());
  std::ranges::fill(values.subspan(bins, bins), -1);
  measured_.upload(values.first(2 * bins), stream);
  int* at = measured_.pointer();
  for (int** each : {&p.low, &p.high, &p.half, &p.ends}) {
    *each = at;
    at += bins;
  }
  p.taps = at;
  p.pairs = at + groups;
  kernels_[0].launch(stream, {.grid = {blocks(bins * groups)}, .block = {kStepRowThreads}}, p);
  measured_.download(values, stream);
  stream.synchronize();

  layout_.bins.resize(bins);
  reach_down_ = t.ne;
  reach_up_ = -t.ne;
  for (std::size_t e = 0; e < bins; ++e) {
    const int bin = static_cast<int>(e), low = values[e], high = values[bins + e];
    const bool fed = high >= 0;
    if (fed) {
      reach_down_ = std::min(reach_down_, low - bin);
      reach_up_ = std::max(reach_up_, high - bin);
    }
    layout_.bins[e] = {.feed_low = fed ? low : bin,
                       .feed_count = fed ? high - low + 1 : 0,
                       .half = values[2 * bins + e],
                       .ends = values[3 * bins + e] != 0};
  }
  layout_.lay_out(t.materials, t.classes);
  sizes_.assign(values.begin() + static_cast<std::ptrdiff_t>(4 * bins), values.end());
}

void CudaStepRows::make(WindowParameters<float>& window, cuda::Stream& stream) {
  DeviceStepRows& p = rows_;
  const auto& device = stream.device();
  const std::size_t all = u(p.ne) * u(p.paths) * u(p.materials), rows = round_up_to_lines(all);
  const std::size_t feeds = round_up_to_lines(layout_.feeds * u(p.materials) * u(p.paths));
  const std::size_t kernels = layout_.kernels / u(p.classes) * u(p.paths);
  const std::size_t weights = round_up_to_lines(layout_.weights), kernel_weights = round_up_to_lines(layout_.kernels);
  const std::size_t losses = 2 * u(p.ne) * u(p.materials) * u(p.ntheta);
  by_path_ = {device, feeds + kernels, cuda::Reuse::kYes};
  made_ = {device, 4 * rows + weights + kernel_weights + losses, cuda::Reuse::kYes};
  feed_bin_ = {device, layout_.feeds, cuda::Reuse::kYes};
  by_path_.fill_bytes(0, stream);
  p.bins = window.bins;
  p.feeds = by_path_.pointer();
  p.kernels = p.feeds + feeds;
  p.deposit = made_.pointer();
  p.stopped = p.deposit + rows;
  p.nuclear = p.stopped + rows;
  p.nuclear_escape = p.nuclear + rows;
  p.feed_weight = p.nuclear_escape + rows;
  p.kernel_weight = p.feed_weight + weights;
  p.lost = p.kernel_weight + kernel_weights;
  p.feed_bin = feed_bin_.pointer();
  kernels_[1].launch(stream, {.grid = {blocks(all)}, .block = {kStepRowThreads}}, p);
  const auto shared = static_cast<unsigned>(2 * sizeof(float) * u(layout_.most_feeds));
  kernels_[2].allow_dynamic_shared(shared);
  kernels_[2].launch(
      stream, {.grid = {static_cast<unsigned>(p.ne)}, .block = {kStepRowThreads}, .dynamic_shared_bytes = shared}, p);

  window.feed_bin = p.feed_bin;
  window.feed_weight = p.feed_weight;
  window.kernel_weight = p.kernel_weight;
  window.lost = p.lost;
  window.tables.deposit = p.deposit;
  window.tables.stopped = p.stopped;
  window.tables.nuclear = p.nuclear;
  window.tables.nuclear_escape = p.nuclear_escape;
  window.tables.reach_down = reach_down_;
  window.tables.reach_up = reach_up_;
}

CudaStepRows::StepRowTables CudaStepRows::read(cuda::Stream& stream) const {
  const std::vector<float> made = made_.read(stream);
  const auto part = [&](const float* from, std::size_t count) {
    const auto begin = made.begin() + (from - made_.pointer());
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const DeviceStepRows& p = rows_;
  const std::size_t rows = u(p.ne) * u(p.paths) * u(p.materials);
  StepRowTables out{BinTables<float>(layout_), part(p.deposit, rows), part(p.stopped, rows), part(p.nuclear, rows),
                    part(p.nuclear_escape, rows)};
  out.tables.feed_bin = feed_bin_.read(stream);
  out.tables.feed_weight = part(p.feed_weight, layout_.weights);
  out.tables.kernel_weight = part(p.kernel_weight, layout_.kernels);
  out.tables.lost = part(p.lost, 2 * u(p.ne) * u(p.materials) * u(p.ntheta));
  return out;
}

double CudaStepRows::flops_per_cell_step(const Tables& t) const {
  const std::size_t groups = sizes_.size() / 2;
  std::vector<RowSizes> sizes;
  for (std::size_t i = 0; i < groups; ++i)
    sizes.push_back({static_cast<double>(sizes_[i]), static_cast<double>(sizes_[groups + i])});
  return transport::flops_per_cell_step(t, sizes);
}

namespace {

constexpr int kLongestAxis = std::numeric_limits<short>::max() - 8;  // boxes are stored as 16-bit numbers

}  // namespace

template <typename T>
void CudaWindowTables<T>::begin(const Problem& problem, const Tables& t, const DeviceTables<T>& on_device) {
  if (std::max({t.nx, t.nz, t.ntheta}) > kLongestAxis) {
    throw ProblemError("unsupported", "solver.variant = " + problem.variant + ": an axis of " +
                                          std::to_string(std::max({t.nx, t.nz, t.ntheta})) +
                                          " cells; the moving window allows at most " + std::to_string(kLongestAxis) +
                                          "; use cuda-gather");
  }
  const bool depth = problem.stepping == Stepping::kDepth;
  WindowParameters<T>& p = parameters_;
  p.tables = on_device;
  p.rows = stored_rows(problem, t);
  p.row_mask = -1;
  p.pitch = row_pitch(t);
  p.start_z = depth && !problem.filled ? t.start.z : 0;
  const WholeShifts in_x = whole_shifts(t.shift_x), in_z = whole_shifts(t.shift_z);
  p.whole_x_min = in_x.least;
  p.whole_x_max = in_x.most;
  p.whole_z_min = in_z.least;
  p.whole_z_max = in_z.most;
}

template <typename T>
CudaWindowTables<T>::CudaWindowTables(const Problem& problem, const Tables& t, const TypedTables<T>& typed,
                                      const DeviceTables<T>& on_device, const WindowKernels& kernels,
                                      cuda::Stream& stream) {
  begin(problem, t, on_device);
  const BinTables<T> by_bin(t, typed);
  choose_layout(problem, t, by_bin, kernels, stream.device()->info());
  send(t, typed, by_bin, &by_bin, stream);
}

template <typename T>
CudaWindowTables<T>::CudaWindowTables(const Problem& problem, const Tables& t, const TypedTables<T>& typed,
                                      const DeviceTables<T>& on_device, const WindowKernels& kernels,
                                      cuda::Stream& stream, CudaStepRows rows)
  requires std::is_same_v<T, float>
    : rows_(std::move(rows)) {
  begin(problem, t, on_device);
  const BinLayout& by_bin = rows_->layout();
  choose_layout(problem, t, by_bin, kernels, stream.device()->info());
  send(t, typed, by_bin, nullptr, stream);
  rows_->make(parameters_, stream);
}

template <typename T>
std::vector<WindowBin> CudaWindowTables<T>::window_bins(const BinLayout& by_bin) const {
  std::vector<WindowBin> bins;
  for (int e = 0; e < static_cast<int>(by_bin.bins.size()); ++e) {
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
  return bins;
}

template <typename T>
void CudaWindowTables<T>::send(const Tables& t, const TypedTables<T>& typed, const BinLayout& layout,
                               const BinTables<T>* by_bin, cuda::Stream& stream) {
  WindowParameters<T>& p = parameters_;
  p.feeds = static_cast<int>(layout.feeds);
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
  packer.add(window_bins(layout), &p.bins);
  packer.add(angles, &p.angles);
  packer.add(rows, &p.row_material);
  if (by_bin != nullptr) {
    packer.add(by_bin->feed_bin, &p.feed_bin);
    packer.add(by_bin->feed_weight, &p.feed_weight);
    packer.add(by_bin->kernel_weight, &p.kernel_weight);
    packer.add(by_bin->lost, &p.lost);
  }
  memory_ = packer.send(stream, cuda::Reuse::kYes);
}

template <typename T>
void CudaWindowTables<T>::choose_layout(const Problem& problem, const Tables& t, const BinLayout& by_bin,
                                        const WindowKernels& kernels, const cuda::DeviceInfo& info) {
  const auto limit = static_cast<std::size_t>(info.shared_per_block_optin_bytes - kernels.static_shared);
  WindowSizes sizes = window_sizes(problem, t);
  sizes.feeds = by_bin.feeds;
  sizes.most_feeds = by_bin.most_feeds;
  sizes.most_half = by_bin.most_half;
  sizes.turned = kernels.turned;
  parameters_.layout = window_layout<T>(sizes, limit);
  const int bytes = parameters_.layout.bytes;
  if (static_cast<std::size_t>(bytes) <= limit) return;
  throw ProblemError("unsupported", "solver.variant = " + problem.variant + ": " + std::to_string(t.ne) +
                                        " energies and " + std::to_string(t.ntheta) + " angles need " +
                                        cpu::bytes_text(bytes) + " of shared memory per block, " + info.name + " has " +
                                        cpu::bytes_text(static_cast<double>(limit)) +
                                        "; use fewer, or solver.variant = cuda-gather");
}

template class CudaWindowTables<float>;
template class CudaWindowTables<double>;

}  // namespace bb::transport
