"""The same steps as four CUDA C++ kernels: coalesced gathers, sums reduced with warp shuffles, nothing cleared,
and no look at the device from one step to the next."""

import cupy as cp
import numpy as np

from array_solver import ArraySolver, escape_weights
from cupy_elementwise import REMAP
from loss_sums import COUNT, THETA, X, Z, losses_of

BLOCK = 256
ENERGIES_PER_THREAD = 16  # enough threads on small grids, few dose atomics on large ones

SOURCE = (
    REMAP
    + r"""
__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

// Adds the block's values to *to and, times `energy`, to to[1]. Every thread calls it; most blocks have none.
__device__ void add_lost(double value, double energy, double* to) {
  if (!__syncthreads_or(value != 0.0)) return;
  value = warp_sum(value);
  if ((threadIdx.x & 31) == 0 && value != 0.0) {
    atomicAdd(to, value);
    atomicAdd(to + 1, value * energy);
  }
}

extern "C" __global__ void slow_down(const REAL* __restrict__ psi, REAL* __restrict__ next, double* dose, double* sums,
                                     const int* __restrict__ begin, const int* __restrict__ source,
                                     const REAL* __restrict__ weight, const double* __restrict__ deposit,
                                     const double* __restrict__ stopped, const double* __restrict__ nuclear,
                                     const double* __restrict__ nuclear_escape,
                                     const unsigned char* __restrict__ map, int ne, int plane, int slab,
                                     int per_thread) {
  const int rest = blockIdx.x * blockDim.x + threadIdx.x;
  double ended = 0, removed = 0, carried = 0;
  if (rest < slab) {
    const int cell = rest % plane, first = map[cell] * ne;
    const int low = blockIdx.y * per_thread, high = min(low + per_thread, ne);
    double left = 0;
    for (int e = low; e < high; ++e) {
      const double p = psi[(long long)e * slab + rest];
      if (p != 0.0) {
        left += p * deposit[first + e];
        ended += p * stopped[first + e];
        removed += p * nuclear[first + e];
        carried += p * nuclear_escape[first + e];
      }
      REAL sum = 0;
      for (int k = begin[first + e]; k < begin[first + e + 1]; ++k) {
        sum += weight[k] * psi[(long long)source[k] * slab + rest];
      }
      next[(long long)e * slab + rest] = sum;
    }
    if (left != 0.0) atomicAdd(dose + cell, left);
  }
  if (__syncthreads_or(ended != 0.0 || removed != 0.0)) {
    ended = warp_sum(ended);
    removed = warp_sum(removed);
    carried = warp_sum(carried);
    if ((threadIdx.x & 31) == 0) {
      atomicAdd(sums, ended);
      atomicAdd(sums + 1, removed);
      atomicAdd(sums + 2, carried);
    }
  }
}

extern "C" __global__ void scatter_angles(const REAL* __restrict__ psi, REAL* __restrict__ next, double* sums,
                                          const REAL* __restrict__ angle, const int* __restrict__ half,
                                          const double* __restrict__ escape, const double* __restrict__ energy,
                                          const unsigned char* __restrict__ map, int ne, int ntheta, int plane,
                                          int reach) {
  const int rest = blockIdx.x * blockDim.x + threadIdx.x, e = blockIdx.y;
  double lost = 0;
  if (rest < ntheta * plane) {
    const int a = rest / plane, row = map[rest - a * plane] * ne + e, taps = half[row];
    const REAL* from = psi + (long long)e * ntheta * plane + rest;
    const REAL* w = angle + row * reach;
    REAL sum = 0;
    for (int k = taps; k > 0; --k) {
      REAL pair = 0;
      if (a >= k) pair += from[-(long long)k * plane];
      if (a + k < ntheta) pair += from[(long long)k * plane];
      sum += w[k] * pair;
    }
    const REAL p = from[0];
    next[(long long)e * ntheta * plane + rest] = sum + w[0] * p;
    if (a < taps || a + taps >= ntheta) lost = p * escape[row * ntheta + a];
  }
  add_lost(lost, energy[e], sums);
}

extern "C" __global__ void stream(const REAL* __restrict__ psi, REAL* __restrict__ next, double* sums,
                                  const int* __restrict__ whole, const REAL* __restrict__ flux,
                                  const double* __restrict__ energy, int ntheta, int plane, int stride, int n) {
  const int rest = blockIdx.x * blockDim.x + threadIdx.x, e = blockIdx.y;
  double lost = 0;
  if (rest < ntheta * plane) {
    const int a = rest / plane, i = (rest / stride) % n, w = whole[a];
    const long long at = (long long)e * ntheta * plane + rest;
    const REAL* row = psi + (at - (long long)i * stride);
    const REAL* c = flux + 5 * a;
    const int donor = i - w, out = end_of(stride == 1, w);
    next[at] = content(row, (long long)stride, n, donor) - handed_on(row, (long long)stride, n, donor, c, out) +
               handed_on(row, (long long)stride, n, donor - 1, c, out);
    const bool stays = i + w >= 0 && i + w < n, goes = i + w + 1 >= 0 && i + w + 1 < n;
    if (!stays || !goes) {
      const REAL moved = handed_on(row, (long long)stride, n, i, c, out);
      if (!stays) lost += row[(long long)i * stride] - moved;
      if (!goes) lost += moved;
    }
  }
  add_lost(lost, energy[e], sums);
}
"""
)



class RawSolver(ArraySolver):
    """State and tables as ArraySolver's; the steps are SOURCE's."""

    def __init__(self, xp, tables, dtype):
        self.sums = cp.zeros(COUNT)
        super().__init__(xp, tables, dtype)
        real = "float" if dtype == np.float32 else "double"
        module = cp.RawModule(code=SOURCE, options=("-std=c++17", f"-DREAL={real}"))
        self.slow_down_kernel, self.angle_kernel, self.stream_kernel = (
            module.get_function(name) for name in ("slow_down", "scatter_angles", "stream")
        )
        self.deposit, self.stopped, self.nuclear, self.nuclear_escape = (
            cp.asarray(values) for values in (tables.deposit, tables.stopped, tables.nuclear, tables.nuclear_escape)
        )

    def prepare_energy(self, ne):
        tables = self.tables
        self.begin, self.source = cp.asarray(tables.begin), cp.asarray(tables.source)
        self.weight = cp.asarray(tables.weight, dtype=self.dtype)
        self.cells = cp.asarray(tables.map)
        _, self.ntheta, self.nz, self.nx = tables.shape
        self.plane, self.ne = self.nz * self.nx, ne
        self.slab = self.ntheta * self.plane

    def prepare_angle(self):
        self.angle = cp.asarray(np.ascontiguousarray(self.tables.angle), dtype=self.dtype)
        self.half = cp.asarray(self.tables.half)
        self.escape = cp.asarray(escape_weights(self.tables))

    def prepare_streaming(self):
        tables = self.tables
        self.streams = [
            (cp.asarray(whole), cp.asarray(flux, dtype=self.dtype), np.int32(stride), np.int32(n), self.sums[column:])
            for whole, flux, stride, n, column in (
                (tables.whole_x, tables.flux_x, 1, self.nx, X),
                (tables.whole_z, tables.flux_z, self.nx, self.nz, Z),
            )
        ]

    def step(self):
        ne, ntheta, plane, slab = (np.int32(v) for v in (self.ne, self.ntheta, self.plane, self.slab))
        blocks = -(-self.slab // BLOCK)
        shares = -(-self.ne // ENERGIES_PER_THREAD)
        arguments = (self.psi, self.next, self.dose, self.sums, self.begin, self.source, self.weight, self.deposit)
        arguments += (self.stopped, self.nuclear, self.nuclear_escape, self.cells, ne, plane, slab)
        self.slow_down_kernel((blocks, shares), (BLOCK,), (*arguments, np.int32(ENERGIES_PER_THREAD)))
        self.swap()
        arguments = (self.psi, self.next, self.sums[THETA:], self.angle, self.half, self.escape, self.energies)
        reach = np.int32(self.angle.shape[2])
        self.angle_kernel((blocks, self.ne), (BLOCK,), (*arguments, self.cells, ne, ntheta, plane, reach))
        self.swap()
        for whole, flux, stride, n, sums in self.streams:
            arguments = (self.psi, self.next, sums, whole, flux, self.energies, ntheta, plane, stride, n)
            self.stream_kernel((blocks, self.ne), (BLOCK,), arguments)
            self.swap()

    @property
    def losses(self):
        return losses_of(cp.asnumpy(self.sums))

    @losses.setter
    def losses(self, value):
        """ArraySolver starts with none; ours are on the device."""
