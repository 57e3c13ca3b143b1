"""Stopping power and CSDA range, as kernels/physics/stopping.cpp computes them: natural cubic spline of ln S
over ln T, range by Gauss-Legendre on a logarithmic mesh, inverted by Newton's method on the same integral."""

import numpy as np

MESH_PER_TABLE = 40
MESH_TOP_MEV = 1000.0
NODES = np.array([0.1127016653792583, 0.5, 0.8872983346207417])
WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18.0


class StoppingTable:
    """energies in MeV (ascending), stopping in MeV cm2/g; ranges are in g/cm2."""

    def __init__(self, energies, stopping):
        self.x = np.log(np.asarray(energies, dtype=float))
        self.y = np.log(np.asarray(stopping, dtype=float))
        self.curvature = self._spline()
        first, last = self.x[1] - self.x[0], self.x[-1] - self.x[-2]
        self.slope_low = (self.y[1] - self.y[0]) / first - first * self.curvature[1] / 6.0
        self.slope_high = (self.y[-1] - self.y[-2]) / last + last * self.curvature[-2] / 6.0
        self._build_mesh(last / MESH_PER_TABLE, np.asarray(energies, float)[0] / np.asarray(stopping, float)[0])

    def _spline(self):
        x, y = self.x, self.y
        n = len(x)
        second, u = np.zeros(n), np.zeros(n)
        for i in range(1, n - 1):
            share = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1])
            p = share * second[i - 1] + 2.0
            second[i] = (share - 1.0) / p
            bend = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1])
            u[i] = (6.0 * bend / (x[i + 1] - x[i - 1]) - share * u[i - 1]) / p
        for i in range(n - 2, -1, -1):
            second[i] = second[i] * second[i + 1] + u[i]
        return second

    def _build_mesh(self, top_width, first_ratio):
        cells = np.arange(MESH_PER_TABLE) / MESH_PER_TABLE
        mesh = [np.concatenate([a + (b - a) * cells for a, b in zip(self.x[:-1], self.x[1:])]), self.x[-1:]]
        extra, end = [], self.x[-1]
        while end < np.log(MESH_TOP_MEV):
            end = end + top_width
            extra.append(end)
        self.mesh = np.concatenate(mesh + [np.array(extra)])
        widths = np.diff(self.mesh)
        at = self.mesh[:-1, None] + widths[:, None] * NODES
        cells = widths * (WEIGHTS * np.exp(at - self._log_stopping(at))).sum(axis=1)
        start = first_ratio / (1.0 - self.slope_low)
        self.mesh_range = np.concatenate([[start], start + np.cumsum(cells)])

    def _log_stopping(self, x):
        x = np.asarray(x, dtype=float)
        hi = np.clip(np.searchsorted(self.x, x, side="right"), 1, len(self.x) - 1)
        lo = hi - 1
        h = self.x[hi] - self.x[lo]
        a = (self.x[hi] - x) / h
        b = 1.0 - a
        inside = (
            a * self.y[lo]
            + b * self.y[hi]
            + ((a**3 - a) * self.curvature[lo] + (b**3 - b) * self.curvature[hi]) * h * h / 6.0
        )
        below = self.y[0] + self.slope_low * (x - self.x[0])
        above = self.y[-1] + self.slope_high * (x - self.x[-1])
        return np.where(x <= self.x[0], below, np.where(x >= self.x[-1], above, inside))

    def stopping(self, energy):
        return np.exp(self._log_stopping(np.log(energy)))

    def range(self, energy):
        energy = np.asarray(energy, dtype=float)
        x = np.log(np.where(energy > 0.0, energy, 1e-300))
        lo = np.clip(np.searchsorted(self.mesh, x, side="right") - 1, 0, len(self.mesh) - 1)
        width = x - self.mesh[lo]
        at = self.mesh[lo][..., None] + width[..., None] * NODES
        inside = self.mesh_range[lo] + width * (WEIGHTS * np.exp(at - self._log_stopping(at))).sum(axis=-1)
        below = self.mesh_range[0] * np.exp((1.0 - self.slope_low) * np.minimum(x - self.mesh[0], 0.0))
        return np.where(energy <= 0.0, 0.0, np.where(x <= self.mesh[0], below, inside))

    def energy_at(self, reach):
        """Energy in MeV of a proton of CSDA range `reach`; 0 for reach <= 0."""
        reach = np.asarray(reach, dtype=float)
        safe = np.where(reach > 0.0, reach, self.mesh_range[0])
        hi = np.clip(np.searchsorted(self.mesh_range, safe, side="right"), 1, len(self.mesh) - 1)
        share = (safe - self.mesh_range[hi - 1]) / (self.mesh_range[hi] - self.mesh_range[hi - 1])
        x = self.mesh[hi - 1] + share * (self.mesh[hi] - self.mesh[hi - 1])
        for _ in range(4):
            energy = np.exp(x)
            x = x + (safe - self.range(energy)) * self.stopping(energy) / energy
        below = np.exp(self.mesh[0] + np.log(safe / self.mesh_range[0]) / (1.0 - self.slope_low))
        found = np.where(safe <= self.mesh_range[0], below, np.exp(x))
        return np.where(reach <= 0.0, 0.0, found)
