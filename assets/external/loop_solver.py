"""Angles scattered as the published notes do: energies, depths and places in a triple Python loop, and in its body one
FFT of a slice of angles. The other operators are whole-array expressions."""

import numpy as np

from array_solver import ArraySolver


class LoopSolver(ArraySolver):
    def prepare_angle(self):
        xp, tables = self.xp, self.tables
        ntheta, reach = tables.shape[1], tables.angle.shape[2]
        # Long enough that nothing comes around: both ends of a slice stay apart by the kernel's reach.
        self.length = ntheta + 2 * reach
        taps = np.zeros((*tables.half.shape, self.length))
        taps[:, :, :reach] = tables.angle
        for k in range(1, reach):
            taps[:, :, -k] += tables.angle[:, :, k]
        self.taps = xp.fft.rfft(xp.asarray(taps), axis=2)
        self.reach = reach

    def scatter_angles(self):
        xp, psi = self.xp, self.psi
        ne, ntheta, nz, nx = psi.shape
        escaped = xp.zeros(ne)
        for e in range(ne):
            for z in range(nz):
                for x in range(nx):
                    spectrum = xp.fft.rfft(psi[e, :, z, x], n=self.length)
                    spread = xp.fft.irfft(spectrum * self.taps[int(self.map[z, x]), e], n=self.length)
                    self.next[e, :, z, x] = spread[:ntheta]
                    escaped[e] += spread[ntheta:].sum()
        # Rounding of a transform leaves values below nothing, which the remap's clamp would not take.
        xp.maximum(self.next, 0, out=self.next)
        self.lose("escaped_theta", escaped)
        self.swap()
