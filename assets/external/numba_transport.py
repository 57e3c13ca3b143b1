"""Proton transport in Numba CUDA, by the kernels of numba_beam_kernels.py. `kernel` is the only style. Speaks the
protocol of README.md."""

import numpy as np

from array_solver import escape_weights
from loss_sums import COUNT, THETA, X, Z, losses_of
from numba_device import clock_of, open_device
from protocol import LOOK_EVERY, Refused, serve
from transport_program import TransportProgram


class NumbaSolver:
    """Tables, state and steps on the device."""

    def __init__(self, cuda, tables, dtype):
        from numba import float32, float64

        import numba_beam_kernels as kernels

        self.cuda, self.tables, self.dtype = cuda, tables, dtype
        self.block, self.share = kernels.BLOCK, kernels.ENERGIES_PER_THREAD
        real = float32 if dtype == np.float32 else float64
        self.slow_down, self.scatter_angles, self.stream, self.flight = kernels.kernels(real)
        self.ne, self.ntheta, self.nz, self.nx = tables.shape
        self.plane = self.nz * self.nx
        self.slab = self.ntheta * self.plane
        self.begin, self.source = self.flat(tables.begin, np.int32), self.flat(tables.source, np.int32)
        self.weight, self.cells = self.flat(tables.weight, dtype), self.flat(tables.map, np.int32)
        self.loss_tables = [self.flat(each) for each in (tables.deposit, tables.stopped, tables.nuclear, tables.nuclear_escape)]
        self.energies = self.flat(tables.energy)
        self.angle, self.half = self.rows(tables.angle, dtype), self.flat(tables.half, np.int32)
        self.escape = self.rows(escape_weights(tables), np.float64)
        self.streams = [
            (self.flat(whole, np.int32), self.rows(flux, dtype), stride, n, column)
            for whole, flux, stride, n, column in (
                (tables.whole_x, tables.flux_x, 1, self.nx, X),
                (tables.whole_z, tables.flux_z, self.nx, self.nz, Z),
            )
        ]
        self.begin_state()
        # Compiled as part of the set-up, and not of the first steps.
        self.step()
        self.in_flight()
        self.begin_state()
        cuda.synchronize()

    def begin_state(self):
        start = np.ascontiguousarray(self.tables.start, dtype=self.dtype).ravel()
        self.psi, self.next = self.cuda.to_device(start), self.cuda.device_array_like(start)
        self.deposited = self.cuda.to_device(np.zeros(self.plane))
        self.sums = self.cuda.to_device(np.zeros(COUNT))

    def flat(self, values, dtype=np.float64):
        return self.cuda.to_device(np.ascontiguousarray(values, dtype=dtype).ravel())

    def rows(self, values, dtype):
        """[material][e][…] as one row per material and energy."""
        flat = np.ascontiguousarray(values, dtype=dtype)
        return self.cuda.to_device(flat.reshape(-1, flat.shape[-1]))

    def swap(self):
        self.psi, self.next = self.next, self.psi

    def step(self):
        blocks = -(-self.slab // self.block)
        shares = -(-self.ne // self.share)
        self.slow_down[(blocks, shares), self.block](
            *(self.psi, self.next, self.deposited, self.sums, self.begin, self.source, self.weight),
            *(*self.loss_tables, self.cells, self.ne, self.plane, self.slab),
        )
        self.swap()
        self.scatter_angles[(blocks, self.ne), self.block](
            *(self.psi, self.next, self.sums, THETA, self.angle, self.half, self.escape, self.energies),
            *(self.cells, self.ne, self.ntheta, self.plane),
        )
        self.swap()
        for whole, flux, stride, n, column in self.streams:
            self.stream[(blocks, self.ne), self.block](
                *(self.psi, self.next, self.sums, column, whole, flux, self.energies),
                *(self.ntheta, self.plane, stride, n),
            )
            self.swap()

    def in_flight(self):
        sums = self.cuda.to_device(np.zeros(2))
        blocks = -(-self.slab // self.block)
        self.flight[(blocks, self.ne), self.block](self.psi, sums, self.energies, self.slab)
        number, energy = sums.copy_to_host()
        return float(number), float(energy)

    def protons(self):
        return self.in_flight()[0]

    def taken(self, asked):
        """Steps that changed something."""
        return asked

    @property
    def dose(self):
        return self.deposited.copy_to_host().reshape(self.nz, self.nx)

    @property
    def losses(self):
        return losses_of(self.sums.copy_to_host())


def program(request):
    if request["style"] != "kernel":
        raise Refused("unsupported", f"style {request['style']!r} is not known; allowed: kernel")
    cuda, _, device, versions = open_device()
    out = TransportProgram(request, lambda tables, dtype: NumbaSolver(cuda, tables, dtype), np.asarray, LOOK_EVERY)
    out.device, out.versions, out.clock = device, versions, clock_of(cuda)
    return out


if __name__ == "__main__":
    serve(program)
