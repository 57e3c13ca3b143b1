#include "cuda_step_tables.hpp"

#include <algorithm>
#include <limits>

#include "transport/cuda/cuda_packer.hpp"
#include "transport/model/index.hpp"
#include "transport/model/work.hpp"

namespace bb::transport {
namespace {

unsigned blocks(std::size_t threads) {
  return static_cast<unsigned>((threads + kStepRowThreads - 1) / kStepRowThreads);
}

/// So many values of four bytes that what lies behind them begins on a line of the cache.
std::size_t whole_lines(std::size_t values) { return (values + 31) / 32 * 32; }

/// Packs the arrays of a table; `to` points to them when they are sent.
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
  // Low, high, half, ends, and the sizes: only low counts down.
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
  const std::size_t all = u(p.ne) * u(p.paths) * u(p.materials), rows = whole_lines(all);
  const std::size_t feeds = whole_lines(layout_.feeds * u(p.materials) * u(p.paths));
  const std::size_t kernels = layout_.kernels / u(p.classes) * u(p.paths);
  const std::size_t weights = whole_lines(layout_.weights), kernel_weights = whole_lines(layout_.kernels);
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

CudaStepRows::Made CudaStepRows::read(cuda::Stream& stream) const {
  const std::vector<float> made = made_.read(stream);
  const auto part = [&](const float* from, std::size_t count) {
    const auto begin = made.begin() + (from - made_.pointer());
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const DeviceStepRows& p = rows_;
  const std::size_t rows = u(p.ne) * u(p.paths) * u(p.materials);
  Made out{BinTables<float>(layout_), part(p.deposit, rows), part(p.stopped, rows), part(p.nuclear, rows),
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

}  // namespace bb::transport
