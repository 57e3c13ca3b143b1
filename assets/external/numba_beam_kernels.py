"""The kernels of numba_transport.py: a step of a beam as four launches, coalesced gathers with nothing cleared, as
cupy_raw.py has them. Imported once Numba and a device are there."""

import functools

from numba import cuda, float64, int32

BLOCK = 256
ENERGIES_PER_THREAD = 16  # enough threads on small grids, few dose atomics on large ones


@cuda.jit(device=True)
def add_of_block(value, sums, at):
    """Adds the block's values to sums[at]; every thread calls it."""
    parts = cuda.shared.array(BLOCK, float64)
    t = cuda.threadIdx.x
    parts[t] = value
    half = BLOCK // 2
    while half > 0:
        cuda.syncthreads()
        if t < half:
            parts[t] += parts[t + half]
        half //= 2
    if t == 0 and parts[0] != 0.0:
        cuda.atomic.add(sums, at, parts[0])
    cuda.syncthreads()


@cuda.jit(device=True)
def neighbour(psi, first, stride, n, i, out, nothing):
    """Behind the end `out` that a row leaves through, its last cell again; behind the other nothing."""
    if i < 0:
        return psi[first] if out == 0 else nothing
    if i >= n:
        return psi[first + (n - 1) * stride] if out == 1 else nothing
    return psi[first + i * stride]


@cuda.jit(device=True)
def handed_on(psi, first, stride, n, i, flux, a, out, nothing):
    if i < 0 or i >= n:
        return nothing
    p = psi[first + i * stride]
    g = flux[a, 2] * p
    g += flux[a, 1] * neighbour(psi, first, stride, n, i - 1, out, nothing)
    g += flux[a, 0] * neighbour(psi, first, stride, n, i - 2, out, nothing)
    g += flux[a, 3] * neighbour(psi, first, stride, n, i + 1, out, nothing)
    g += flux[a, 4] * neighbour(psi, first, stride, n, i + 2, out, nothing)
    # Two comparisons: not every version of Numba takes min and max of two in device code.
    g = g if g > nothing else nothing
    return g if g < p else p


@cuda.jit(device=True)
def content(psi, first, stride, n, i, nothing):
    return nothing if i < 0 or i >= n else psi[first + i * stride]


@functools.cache
def kernels(real):
    """(slow_down, scatter_angles, stream, in_flight) on states of `real`, a type of Numba's."""

    @cuda.jit
    def slow_down(psi, into, dose, sums, begin, source, weight, deposit, stopped, nuclear, escape, cells, ne, plane, slab):
        rest = cuda.grid(1)
        ended, removed, carried = float64(0), float64(0), float64(0)
        if rest < slab:
            cell = rest % plane
            first = cells[cell] * ne
            low = cuda.blockIdx.y * ENERGIES_PER_THREAD
            left = float64(0)
            high = low + ENERGIES_PER_THREAD
            for e in range(low, high if high < ne else ne):
                p = psi[e * slab + rest]
                if p != 0:
                    left += p * deposit[first + e]
                    ended += p * stopped[first + e]
                    removed += p * nuclear[first + e]
                    carried += p * escape[first + e]
                total = real(0)
                for k in range(begin[first + e], begin[first + e + 1]):
                    total += weight[k] * psi[source[k] * slab + rest]
                into[e * slab + rest] = total
            if left != 0.0:
                cuda.atomic.add(dose, cell, left)
        if cuda.syncthreads_or(int32(ended != 0.0 or removed != 0.0)):
            add_of_block(ended, sums, 0)
            add_of_block(removed, sums, 1)
            add_of_block(carried, sums, 2)

    @cuda.jit
    def scatter_angles(psi, into, sums, at, angle, half, escape, energy, cells, ne, ntheta, plane):
        rest, e = cuda.grid(1), cuda.blockIdx.y
        lost = float64(0)
        if rest < ntheta * plane:
            a = rest // plane
            row = cells[rest - a * plane] * ne + e
            here, taps = e * ntheta * plane + rest, half[row]
            total = real(0)
            for k in range(taps, 0, -1):
                pair = real(0)
                if a >= k:
                    pair += psi[here - k * plane]
                if a + k < ntheta:
                    pair += psi[here + k * plane]
                total += angle[row, k] * pair
            p = psi[here]
            into[here] = total + angle[row, 0] * p
            if a < taps or a + taps >= ntheta:
                lost = p * escape[row, a]
        if cuda.syncthreads_or(int32(lost != 0.0)):
            add_of_block(lost, sums, at)
            add_of_block(lost * energy[e], sums, at + 1)

    @cuda.jit
    def stream(psi, into, sums, at, whole, flux, energy, ntheta, plane, stride, n):
        rest, e = cuda.grid(1), cuda.blockIdx.y
        lost = float64(0)
        if rest < ntheta * plane:
            nothing = real(0)
            a, i = rest // plane, (rest // stride) % n
            w = whole[a]
            here = e * ntheta * plane + rest
            first, donor = here - i * stride, i - w
            # Rows in x are open at the end that they move out through.
            out = -1 if stride != 1 else (0 if w < 0 else 1)
            into[here] = (
                content(psi, first, stride, n, donor, nothing)
                - handed_on(psi, first, stride, n, donor, flux, a, out, nothing)
                + handed_on(psi, first, stride, n, donor - 1, flux, a, out, nothing)
            )
            stays, goes = 0 <= i + w < n, 0 <= i + w + 1 < n
            if not (stays and goes):
                moved = handed_on(psi, first, stride, n, i, flux, a, out, nothing)
                if not stays:
                    lost += psi[here] - moved
                if not goes:
                    lost += moved
        if cuda.syncthreads_or(int32(lost != 0.0)):
            add_of_block(lost, sums, at)
            add_of_block(lost * energy[e], sums, at + 1)

    @cuda.jit
    def in_flight(psi, sums, energy, slab):
        rest, e = cuda.grid(1), cuda.blockIdx.y
        p = float64(0)
        if rest < slab:
            p = float64(psi[e * slab + rest])
        if cuda.syncthreads_or(int32(p != 0.0)):
            add_of_block(p, sums, 0)
            add_of_block(p * energy[e], sums, 1)

    return slow_down, scatter_angles, stream, in_flight
