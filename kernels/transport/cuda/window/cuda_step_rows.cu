#include "cuda_step_rows.hpp"

#include "transport/cuda/cuda_common.cuh"

// Kernels that compute the operator tables of the window variants, with one thread per row of a table. The weights are
// those of TypedTables<float>: multiples of 2^-24 whose sum is exactly 1.
namespace bb::transport::step_rows {

constexpr double kUnit = 0x1p-24;

__device__ inline double rounded(double weight) { return round(weight / kUnit) * kUnit; }

/// A row of the tables.
struct Row {
  int e, material, path, group;  // group: index of path and material

  __device__ explicit Row(const DeviceStepRows& p)
      : e(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) % p.ne),
        material(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / p.ne % p.materials),
        path(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / p.ne / p.materials),
        group(path * p.materials + material) {}

  __device__ bool inside(const DeviceStepRows& p) const { return path < p.paths; }
};

/// Target bins of the protons of one bin in a step.
struct Source {
  double after;  // MeV
  double lost;   // share
  physics::MomentTaps taps;
  int top;               // last bin, which also receives the shares beyond it
  int low, high;         // bins with shares; high < low if there are none
  double stopped = 0.0;  // share

  __device__ Source(const DeviceStepRows& p, const Row& row)
      : after(energy_after(p, row)),
        lost(p.model.lost(row.e, after)),
        taps(p.model.landing(p.matter[row.material], p.path_mm[row.path], row.e, after)),
        top(p.ne - 1),
        low(min(max(taps.first, p.first_alive), top)),
        high(taps.last() < p.first_alive ? low - 1 : min(taps.last(), top)) {
    for (int bin = taps.first; bin < p.first_alive && bin <= taps.last(); ++bin) stopped += tap(bin);
  }

  /// Share of the content that moves to a bin between `low` and `high`.
  __device__ double weight(int bin) const {
    if (bin < top) return tap(bin);
    double sum = 0.0;
    for (int beyond = max(top, taps.first); beyond <= taps.last(); ++beyond) sum += tap(beyond);
    return sum;
  }

 private:
  __device__ static double energy_after(const DeviceStepRows& p, const Row& row) {
    const StepMatter& matter = p.matter[row.material];
    return matter.table.energy_at(matter.range[row.e] - matter.thickness(p.path_mm[row.path]));
  }
  __device__ double tap(int bin) const { return taps.weight(bin - taps.first) * (1.0 - lost); }
};

}  // namespace bb::transport::step_rows

namespace bb::transport {

/// Computes the widths of the tables.
extern "C" __global__ void __launch_bounds__(kStepRowThreads)
    transport_rows_measure(const __grid_constant__ DeviceStepRows p) {
  const step_rows::Row row(p);
  if (!row.inside(p)) return;
  const step_rows::Source source(p, row);
  for (int bin = source.low; bin <= source.high; ++bin) {
    atomicMin(p.low + bin, row.e);
    atomicMax(p.high + bin, row.e);
  }
  if (step_rows::rounded(source.stopped) != 0.0 || step_rows::rounded(source.lost) != 0.0) p.ends[row.e] = 1;
  const physics::MomentTaps angles = p.model.angles(p.matter[row.material], p.path_mm[row.path], row.e);
  int half = angles.last();
  while (half > 0 && step_rows::rounded(angles.weight(half - angles.first)) == 0.0) --half;
  atomicMax(p.half + row.e, half);
  atomicAdd(p.taps + row.group, source.high - source.low + 1);
  atomicAdd(p.pairs + row.group, angles.last());
}

/// Computes the rows and rounds their weights.
extern "C" __global__ void __launch_bounds__(kStepRowThreads)
    transport_rows_fill(const __grid_constant__ DeviceStepRows p) {
  const step_rows::Row row(p);
  if (!row.inside(p)) return;
  const step_rows::Source source(p, row);
  // Adds the remainder of rounding to the largest weight. Ties go to the first of them in the order taps, stopped,
  // lost.
  double sum = 0.0, largest = -1.0;
  int largest_at = 0, at = 0;
  const auto take = [&](double weight) {
    const double r = step_rows::rounded(weight);
    sum += r;
    if (r > largest) {
      largest = r;
      largest_at = at;
    }
    ++at;
  };
  for (int bin = source.low; bin <= source.high; ++bin) take(source.weight(bin));
  take(source.stopped);
  take(source.lost);
  at = 0;
  const auto give = [&](double weight) {
    const double r = step_rows::rounded(weight);
    return at++ == largest_at ? r + (1.0 - sum) : r;
  };
  double kept = 0.0;
  for (int bin = source.low; bin <= source.high; ++bin) {
    const WindowBin& to = p.bins[bin];
    const double weight = give(source.weight(bin));
    const long long place =
        (static_cast<long long>(to.feed_at + row.e - to.feed_low) * p.materials + row.material) * p.paths + row.path;
    p.feeds[place] = static_cast<float>(weight);
    kept += weight * p.held[bin];
  }
  const int index = row.group * p.ne + row.e;
  const double stopped = give(source.stopped), lost = give(source.lost), held = p.held[row.e];
  const double escape = source.lost > 0.0 ? p.model.escape(row.e, source.lost, held) * lost / source.lost : 0.0;
  p.stopped[index] = static_cast<float>(stopped);
  p.nuclear[index] = static_cast<float>(lost);
  p.nuclear_escape[index] = static_cast<float>(escape);
  p.deposit[index] = static_cast<float>(held - kept - escape);

  // Rounds the symmetric pairs first, so that both sides of the kernel stay equal; the centre is the remainder.
  const physics::MomentTaps angles = p.model.angles(p.matter[row.material], p.path_mm[row.path], row.e);
  const WindowBin& bin = p.bins[row.e];
  float* kernel = p.kernels + static_cast<long long>(bin.kernel_at) / p.classes * p.paths +
                  static_cast<long long>(row.material) * (bin.half + 1) * p.paths + row.path;
  double pairs = 0.0;
  for (int d = 1; d <= angles.last(); ++d) {
    const double weight = step_rows::rounded(angles.weight(d - angles.first));
    if (d <= bin.half) kernel[static_cast<long long>(d) * p.paths] = static_cast<float>(weight);
    pairs += 2.0 * weight;
  }
  kernel[0] = static_cast<float>(1.0 - pairs);
}

/// Writes the tables by angle class, one bin per block.
extern "C" __global__ void __launch_bounds__(kStepRowThreads)
    transport_rows_spread(const __grid_constant__ DeviceStepRows p) {
  extern __shared__ float heaviest[];  // [feed_count], followed by the ranks of the source bins
  const int e = blockIdx.x;
  const WindowBin& bin = p.bins[e];
  int* place = reinterpret_cast<int*>(heaviest + bin.feed_count);
  const long long of_feed = static_cast<long long>(p.materials) * p.paths;
  const float* feeds = p.feeds + bin.feed_at * of_feed;
  for (int k = threadIdx.x / 32; k < bin.feed_count; k += kStepRowThreads / 32) {
    float most = 0.0f;
    for (int i = threadIdx.x % 32; i < of_feed; i += 32) most = fmaxf(most, feeds[k * of_feed + i]);
    for (int lanes = 16; lanes > 0; lanes /= 2) most = fmaxf(most, __shfl_down_sync(kWholeWarp, most, lanes));
    if (threadIdx.x % 32 == 0) heaviest[k] = most;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < bin.feed_count; k += kStepRowThreads) {
    int before = 0;
    for (int other = 0; other < bin.feed_count; ++other) {
      if (heaviest[other] > heaviest[k] || (heaviest[other] == heaviest[k] && other < k)) ++before;
    }
    place[k] = before;
    p.feed_bin[bin.feed_at + before] = bin.feed_low + k;
  }
  __syncthreads();
  const int by_class = p.materials * p.classes;
  for (int i = threadIdx.x; i < bin.feed_count * by_class; i += kStepRowThreads) {
    const int k = i / by_class, m = i / p.classes % p.materials, c = i % p.classes;
    p.feed_weight[bin.feed_weight_at + (place[k] * p.materials + m) * p.classes + c] =
        feeds[k * of_feed + static_cast<long long>(m) * p.paths + p.path_of[c]];
  }
  const float* kernels = p.kernels + static_cast<long long>(bin.kernel_at) / p.classes * p.paths;
  for (int i = threadIdx.x; i < p.materials * (bin.half + 1) * p.classes; i += kStepRowThreads) {
    p.kernel_weight[bin.kernel_at + i] =
        kernels[static_cast<long long>(i / p.classes) * p.paths + p.path_of[i % p.classes]];
  }
  for (int i = threadIdx.x; i < 2 * p.materials * p.ntheta; i += kStepRowThreads) {
    const int a = i % p.ntheta, m = i / p.ntheta % p.materials;
    const bool above = i >= p.materials * p.ntheta;
    const int path = p.path_of[p.classes > 1 ? a : 0];
    float share = 0.0f;
    for (int d = bin.half; d > 0 && d >= (above ? p.ntheta - a : a + 1); --d) {
      share += kernels[(static_cast<long long>(m) * (bin.half + 1) + d) * p.paths + path];
    }
    p.lost[((above ? p.ne : 0) + e) * p.materials * p.ntheta + m * p.ntheta + a] = share;
  }
}

}  // namespace bb::transport
