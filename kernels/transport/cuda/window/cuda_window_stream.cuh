#pragma once

#include "cuda_window_common.cuh"

// Second pass of a path step: remap in z. A thread computes several rows of one angle and four columns, and issues the
// loads of all rows that it reads at once.
namespace bb::transport::window {

template <typename T>
__device__ void stream_item(const WindowParameters<T>& p, SharedPointers<T>& s, FixedMemory& fixed, int slot, int step,
                            float& lowest, float& highest) {
  const Item& r = fixed.items[slot];
  const DeviceTables<T>& t = p.tables;
  const int bin = r.bin;
  const int column = r.column + static_cast<int>(threadIdx.x);
  const int first = r.z;
  double escaped = 0, written = 0;
  Extent extent;
  bool backwards = false;
  const int angle_index = column / r.quads;
  const int a = r.a0 + angle_index;
  const int x = r.x0 + 4 * (column - angle_index * r.quads);
  if (a < r.a1 && x >= 0 && x < t.nx) {
    const WindowAngle<T>& angle = s.angles[a];
    const unsigned long long place = row_start(p, bin, 0) + static_cast<unsigned long long>(a) * p.pitch + x;
    const long long stride = static_cast<long long>(t.ntheta) * p.pitch;
    // First row of the donors of rows first … first + kWindowRows - 1, with two more on either side.
    const int begin = first - angle.whole_z - 3;
    backwards = angle.whole_z < 0;
    Quad<T> donor[kWindowRows + 5];
#pragma unroll
    for (int k = 0; k < kWindowRows + 5; ++k) {
      const int z = begin + k;
      donor[k] = z >= r.z0 && z < r.z1 ? load_quad(p.state[1] + place + (z & p.row_mask) * stride) : Quad<T>{};
    }
    T c[kRemapTaps];
    for (int k = 0; k < kRemapTaps; ++k) c[k] = angle.flux_z[k];
    Quad<T> before = {};
#pragma unroll
    for (int k = 2; k < kWindowRows + 3; ++k) {
      Quad<T> value;
      for (int j = 0; j < 4; ++j) {
        const T g = c[0] * donor[k - 2].v[j] + c[1] * donor[k - 1].v[j] + c[2] * donor[k].v[j] +
                    c[3] * donor[k + 1].v[j] + c[4] * donor[k + 2].v[j];
        const T passed = clamp_flux(g, donor[k].v[j]);
        value.v[j] = (donor[k].v[j] - passed) + before.v[j];
        before.v[j] = passed;
      }
      const int z = first + k - 3;
      if (k == 2 || z >= r.out_z1) continue;
      if (z < 0 || z >= t.nz) {
        escaped += static_cast<double>(sum_quad(value));
        continue;
      }
      store_quad(p.state[0] + place + (z & p.row_mask) * stride, value);
      const T high = max(max(value.v[0], value.v[1]), max(value.v[2], value.v[3]));
      const T low = min(min(value.v[0], value.v[1]), min(value.v[2], value.v[3]));
      if (high >= p.threshold) extent.add(z, a, x);
      written += static_cast<double>(sum_quad(value));
      highest = max(highest, static_cast<float>(high));
      lowest = max(lowest, -static_cast<float>(low));
    }
  }
  __syncwarp();
  extent.publish(fixed.extent);
  tally_written(s, written, t.energy[bin]);
  tally_escapes(s.sums + (threadIdx.x >> 5) * kWindowTallies, kTallyZLow, backwards ? escaped : 0.0,
                backwards ? 0.0 : escaped, t.energy[bin]);
  publish_written(p, s, fixed, bin, step);
}

}  // namespace bb::transport::window
