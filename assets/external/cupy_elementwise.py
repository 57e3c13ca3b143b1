"""The same steps with one ElementwiseKernel per operator, written as gathers, and ReductionKernels for the sums."""

import cupy as cp
import numpy as np

from array_solver import ArraySolver, escape_weights

REMAP = """
// A row moves out through its end `out`, 0 or 1: behind it the remap reads the last cell again, so that what leaves goes
// on beyond. Behind other ends (-1: both) is nothing.
__device__ __forceinline__ int end_of(bool open, int whole) { return !open ? -1 : whole < 0 ? 0 : 1; }
template <typename Real>
__device__ __forceinline__ Real neighbour(const Real* row, long long stride, int n, int i, int out) {
  if (i < 0) return out == 0 ? row[0] : Real(0);
  if (i >= n) return out == 1 ? row[(n - 1) * stride] : Real(0);
  return row[i * stride];
}
template <typename Real>
__device__ __forceinline__ Real handed_on(const Real* row, long long stride, int n, int i, const Real* c, int out) {
  if (i < 0 || i >= n) return Real(0);
  const Real p = row[i * stride];
  Real g = c[2] * p;
  g += c[1] * neighbour(row, stride, n, i - 1, out);
  g += c[0] * neighbour(row, stride, n, i - 2, out);
  g += c[3] * neighbour(row, stride, n, i + 1, out);
  g += c[4] * neighbour(row, stride, n, i + 2, out);
  g = g > Real(0) ? g : Real(0);
  return g < p ? g : p;
}
template <typename Real>
__device__ __forceinline__ Real content(const Real* row, long long stride, int n, int i) {
  return i < 0 || i >= n ? Real(0) : row[i * stride];
}
"""

slow_down = cp.ElementwiseKernel(
    "raw T psi, raw int32 begin, raw int32 source, raw T weight, raw uint8 map, int32 ne, int32 slab, int32 plane",
    "T out",
    """
    const int e = i / slab;
    const int rest = i - (long long)e * slab;
    const int row = map[rest % plane] * ne + e;
    T sum = 0;
    for (int k = begin[row]; k < begin[row + 1]; ++k) sum += weight[k] * psi[(long long)source[k] * slab + rest];
    out = sum;
    """,
    "slow_down",
)

scatter_angles = cp.ElementwiseKernel(
    "raw T psi, raw T angle, raw int32 half, raw uint8 map, int32 ne, int32 ntheta, int32 plane, int32 reach",
    "T out",
    """
    const int cell = i % plane;
    const int a = (i / plane) % ntheta;
    const int e = i / ((long long)plane * ntheta);
    const int row = map[cell] * ne + e;
    T sum = 0;
    for (int k = half[row]; k > 0; --k) {
      T pair = 0;
      if (a >= k) pair += psi[i - (long long)k * plane];
      if (a + k < ntheta) pair += psi[i + (long long)k * plane];
      sum += angle[row * reach + k] * pair;
    }
    out = sum + angle[row * reach] * psi[i];
    """,
    "scatter_angles",
)

stream = cp.ElementwiseKernel(
    "raw T psi, raw int32 whole, raw T flux, int32 ntheta, int32 plane, int32 stride, int32 n",
    "T out",
    """
    const int a = (i / plane) % ntheta;
    const int to = (i / stride) % n;
    const T* row = &psi[0] + (i - (long long)to * stride);
    const T* c = &flux[0] + 5 * a;
    const int donor = to - whole[a], end = end_of(stride == 1, whole[a]);
    out = content(row, (long long)stride, n, donor) - handed_on(row, (long long)stride, n, donor, c, end)
        + handed_on(row, (long long)stride, n, donor - 1, c, end);
    """,
    "stream",
    preamble=REMAP,
)

# One element per row of cells: what leaves the grid at its ends.
stream_loss = cp.ElementwiseKernel(
    "raw T psi, raw int32 whole, raw T flux, int32 ntheta, int32 plane, int32 stride, int32 n",
    "float64 lost",
    """
    const int rows = plane / n;
    const int line = i % rows;
    const int a = (i / rows) % ntheta;
    const T* row = &psi[0] + (i / rows) * plane + (stride == 1 ? (long long)line * n : line);
    const T* c = &flux[0] + 5 * a;
    const int w = whole[a];
    double sum = 0;
    for (int d = 0; d < n; ++d) {
      const bool stays = d + w >= 0 && d + w < n, goes = d + w + 1 >= 0 && d + w + 1 < n;
      if (stays && goes) {
        if (w >= -1) d = max(d, n - w - 3);  // nothing leaves before the last cells
        continue;
      }
      const double moved = handed_on(row, (long long)stride, n, d, c, end_of(stride == 1, w));
      if (!goes) sum += moved;
      if (!stays) sum += row[d * (long long)stride] - moved;
    }
    lost = sum;
    """,
    "stream_loss",
    preamble=REMAP,
)

weighted_sum = cp.ReductionKernel(
    "T value, float64 weight", "float64 out", "weight * value", "a + b", "out = a", "0", "weighted_sum"
)


class ElementwiseSolver(ArraySolver):
    def prepare_energy(self, ne):
        tables = self.tables
        self.begin, self.source = cp.asarray(tables.begin), cp.asarray(tables.source)
        self.weight = cp.asarray(tables.weight, dtype=self.dtype)
        self.cells = cp.asarray(tables.map)
        _, self.ntheta, self.nz, self.nx = tables.shape
        self.plane, self.ne = self.nz * self.nx, ne

    def prepare_angle(self):
        tables = self.tables
        self.angle = cp.asarray(np.ascontiguousarray(tables.angle), dtype=self.dtype)
        self.half = cp.asarray(tables.half)
        self.edge = min(int(tables.half.max()), self.ntheta)
        escape = escape_weights(tables)
        if self.one_material:
            spread = escape[int(self.map[0, 0])][:, :, None, None]
        else:
            spread = escape[self.map].transpose(2, 3, 0, 1)
        self.escape = cp.asarray(spread)

    def prepare_streaming(self):
        tables = self.tables
        self.streams = [
            (cp.asarray(whole), cp.asarray(flux, dtype=self.dtype), stride, n, name)
            for whole, flux, stride, n, name in (
                (tables.whole_x, tables.flux_x, 1, self.nx, "x"),
                (tables.whole_z, tables.flux_z, self.nx, self.nz, "z"),
            )
        ]

    def step(self):
        self.score()
        self.slow_down()
        self.scatter_angles()
        for whole, flux, stride, n, name in self.streams:
            arguments = (self.psi, whole, flux, self.ntheta, self.plane, stride, n)
            lost = stream_loss(*arguments, size=self.ne * self.ntheta * self.plane // n)
            self.lose("escaped_" + name, lost.reshape(self.ne, -1).sum(axis=1))
            stream(*arguments, self.next)
            self.swap()

    def score(self):
        per_cell = self.psi.sum(axis=1, dtype=np.float64)
        self.dose += weighted_sum(per_cell, self.deposit, axis=0)
        self.lose("stopped", weighted_sum(per_cell, self.stopped, axis=(1, 2)))
        before = self.losses.get("nuclear", (0.0, 0.0))
        if self.tables.nuclear.any():
            removed, carried = weighted_sum(per_cell, self.nuclear), weighted_sum(per_cell, self.nuclear_escape)
            self.losses["nuclear"] = (before[0] + removed, before[1] + carried)

    def slow_down(self):
        slab = self.ntheta * self.plane
        slow_down(self.psi, self.begin, self.source, self.weight, self.cells, self.ne, slab, self.plane, self.next)
        self.swap()

    def scatter_angles(self):
        k = self.edge
        if k > 0:
            sides = [(slice(None), slice(0, k)), (slice(None), slice(max(k, self.ntheta - k), None))]
            self.lose("escaped_theta", sum(weighted_sum(self.psi[s], self.escape[s], axis=(1, 2, 3)) for s in sides))
        reach = self.angle.shape[2]
        scatter_angles(
            self.psi, self.angle, self.half, self.cells, self.ne, self.ntheta, self.plane, reach, self.next
        )
        self.swap()
