#pragma once

#include "cuda_sweep_common.cuh"

// The streaming warps of a sweep. A thread processes four columns of x at one angle of one bin. It reads them row by
// row from the tiles and keeps the rows for the remap in z in registers.
namespace bb::transport::sweep {

/// Part of a cell's content that moves: the weighted sum over its neighbours, clamped to between zero and the content.
/// The bit patterns of contents >= 0 are ordered like integers, so that one integer instruction clamps at both ends.
__device__ inline float clamp_flux(float g, float content) {
#if __CUDA_ARCH__ >= 900
  int bits;
  asm("min.relu.s32 %0, %1, %2;" : "=r"(bits) : "r"(__float_as_int(g)), "r"(__float_as_int(content)));
  return __int_as_float(bits);
#else
  return fminf(fmaxf(g, 0.0f), content);
#endif
}

__device__ inline float flux(float m2, float m1, float c, float p1, float p2, const float (&w)[5]) {
  return clamp_flux(w[0] * m2 + w[1] * m1 + w[2] * c + w[3] * p1 + w[4] * p2, c);
}

using physics::kRemapReach;

struct RemappedRow {
  float v[4];
};

class ColumnStreamer {
 public:
  __device__ ColumnStreamer(const Work& work, int thread) : w(work) {
    tile_floats = w.column.tile_floats;
    padded = w.p.pitch != w.p.tables.nx;
    const int quads = w.p.pitch / 4;
    const int made = w.column.a1 - w.column.a0;
    const int line = thread / quads;
    active = line < w.group.bins * made;
    const int quad = active ? thread - line * quads : 0;
    const int b = active ? line / made : 0;
    const int a = w.column.a0 + (active ? line - b * made : 0);
    const SweepAngle& angle = w.angles[a];
    for (int m = 0; m < 5; ++m) {
      cx[m] = angle.x[m];
      cz[m] = angle.z[m];
    }
    mirrored = angle.mirrored != 0;
    bin = w.group.bin + b;
    at = w.column.tiles_at + (active ? line * (w.p.pitch + 4) + 4 + 4 * quad : 4);
    const int x = mirrored ? w.p.pitch - 4 - 4 * quad : 4 * quad;
    padding = active && !mirrored ? max(0, x + 4 - w.p.tables.nx) : 0;
    edge = active && quad == quads - 1 && padding == 0 ? 1.0f : 0.0f;
    behind = active ? max(0, 4 * quad + 6 - (mirrored ? w.p.pitch : w.p.tables.nx)) : 0;
    stride = w.p.tables.ntheta * w.p.pitch;
    to = active ? angle.whole_z - kRemapReach : -(1 << 24);
    out = w.to + fused::row_start(w.p, bin, 0) + static_cast<unsigned>(a * w.p.pitch + x) +
          static_cast<long long>(angle.whole_z - kRemapReach) * stride;
  }

  __device__ void run(LedgerTally& tally) {
    const int warps = w.column.colliders + w.column.streamers;
    const int rows = w.p.tables.nz, last = rows + kRemapReach + 1;
    const float* const from = w.shared + at;
    for (int row = 0; row < last; row += 5) {
      step<0>(row, rows, from, warps);
      if (row + 1 >= last) break;
      step<1>(row + 1, rows, from, warps);
      if (row + 2 >= last) break;
      step<2>(row + 2, rows, from, warps);
      if (row + 3 >= last) break;
      step<3>(row + 3, rows, from, warps);
      if (row + 4 >= last) break;
      step<4>(row + 4, rows, from, warps);
    }
    if (!active) return;
    const double energy = w.p.tables.energy[bin];
    // All content moves to higher z, and along x in the direction of its angle.
    tally.escape(kXLow, mirrored ? escaped_x : 0.0f, energy);
    tally.escape(kXHigh, mirrored ? 0.0f : escaped_x, energy);
    tally.escape(kZHigh, escaped_z, energy);
    const float highest = __int_as_float(high);
    const float lowest = low > 0x80000000u ? -__uint_as_float(low) : 0.0f;
    fused::max_from_thread(lowest, w.p.scores.extremes);
    fused::max_from_thread(highest, w.p.scores.extremes + 1);
  }

 private:
  /// Returns a row of a tile after the remap in x.
  __device__ RemappedRow remap_x(const float* from, int tile, bool again, int warps) {
    wait_at(kTileFull + tile, warps);
    const float4 left = *reinterpret_cast<const float4*>(from - 4);
    float4 here = *reinterpret_cast<const float4*>(from);
    float2 right = *reinterpret_cast<const float2*>(from + 4);
    if (again) arrive_at(kTileFree + tile, warps);
    if (behind > 0) extend(here, right);
    const float f0 = flux(left.y, left.z, left.w, here.x, here.y, cx);
    const float f1 = flux(left.z, left.w, here.x, here.y, here.z, cx);
    const float f2 = flux(left.w, here.x, here.y, here.z, here.w, cx);
    const float f3 = flux(here.x, here.y, here.z, here.w, right.x, cx);
    const float f4 = flux(here.y, here.z, here.w, right.x, right.y, cx);
    RemappedRow moved{{(here.x - f1) + f0, (here.y - f2) + f1, (here.z - f3) + f2, (here.w - f4) + f3}};
    escaped_x = fmaf(edge, f4, escaped_x);
    if (padded) {
      const float passed[4] = {f0, f1, f2, f3};
#pragma unroll
      for (int j = 0; j < 4; ++j) {  // clears the padding of a row
        if (j < 4 - padding) continue;
        if (j == 4 - padding) escaped_x += passed[j];
        moved.v[j] = 0.0f;
      }
    }
    return moved;
  }

  /// Repeats a row's last cell beyond its end; see remap_neighbour.
  __device__ void extend(float4& here, float2& right) const {
    if (behind > 4) here.y = here.x;
    if (behind > 3) here.z = here.y;
    if (behind > 2) here.w = here.z;
    if (behind > 1) right.x = here.w;
    right.y = right.x;
  }

  template <int kPlace>
  __device__ void step(int row, int rows, const float* from, int warps) {
    ring[kPlace] =
        row < rows ? remap_x(from + kPlace * tile_floats, kPlace, row + kSweepTiles < rows, warps) : RemappedRow{};
    const RemappedRow& m2 = ring[(kPlace + 1) % 5];
    const RemappedRow& m1 = ring[(kPlace + 2) % 5];
    const RemappedRow& content = ring[(kPlace + 3) % 5];
    const RemappedRow& p1 = ring[(kPlace + 4) % 5];
    const RemappedRow& p2 = ring[kPlace];
    float v[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float passed = flux(m2.v[j], m1.v[j], content.v[j], p1.v[j], p2.v[j], cz);
      v[j] = (content.v[j] - passed) + before.v[j];
      before.v[j] = passed;
    }
    if (static_cast<unsigned>(to) < static_cast<unsigned>(rows)) {
      *reinterpret_cast<float4*>(out) = mirrored ? float4{v[3], v[2], v[1], v[0]} : float4{v[0], v[1], v[2], v[3]};
      high = max(max(high, __float_as_int(v[0])), __float_as_int(v[1]));
      high = max(max(high, __float_as_int(v[2])), __float_as_int(v[3]));
      low = max(max(low, __float_as_uint(v[0])), __float_as_uint(v[1]));
      low = max(max(low, __float_as_uint(v[2])), __float_as_uint(v[3]));
    } else if (to >= rows) {
      escaped_z += (v[0] + v[1]) + (v[2] + v[3]);
    }
    ++to;
    out += stride;
  }

  const Work& w;
  float cx[5], cz[5];
  RemappedRow ring[5] = {};
  RemappedRow before = {};
  float* out;
  int stride, at, bin, padding, tile_floats;
  int behind;        // number of cells beyond the row's end, among the four columns and the next two
  int to;            // row to be written by the next step
  int high = 0;      // bits of the largest value
  unsigned low = 0;  // bits of the most negative value, if any
  float escaped_x = 0, escaped_z = 0;
  float edge;  // 1 if the row ends with these four columns
  bool active, mirrored, padded;
};

}  // namespace bb::transport::sweep
