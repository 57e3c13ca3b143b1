#include "cuda_window_tables.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cuda_window_layout.hpp"
#include "transport/cuda/cuda_packer.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {
namespace {

constexpr int kLongestAxis = std::numeric_limits<short>::max() - 8;  // boxes are held as 16-bit numbers

}  // namespace

template <typename T>
void CudaWindowTables<T>::begin(const Problem& problem, const Tables& t, const DeviceTables<T>& on_device) {
  if (std::max({t.nx, t.nz, t.ntheta}) > kLongestAxis) {
    throw ProblemError("unsupported", "solver.variant = " + problem.variant + ": an axis of " +
                                          std::to_string(std::max({t.nx, t.nz, t.ntheta})) +
                                          " cells, the moving window allows " + std::to_string(kLongestAxis) +
                                          "; use cuda-gather");
  }
  const bool depth = problem.stepping == Stepping::kDepth;
  WindowParameters<T>& p = parameters_;
  p.tables = on_device;
  p.rows = rows_held(problem, t);
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
                                        std::to_string(bytes / 1024) + " KiB of shared memory per block, " + info.name +
                                        " has " + std::to_string(limit / 1024) + " KiB; use fewer or cuda-gather");
}

template class CudaWindowTables<float>;
template class CudaWindowTables<double>;

}  // namespace bb::transport
