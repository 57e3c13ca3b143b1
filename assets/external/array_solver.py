"""Path steps as whole-array expressions, for any library with NumPy's interface (`xp`).

Every temporary that can be is written into a buffer that exists already, and each expression covers only the
energies for which its weight is not zero.
"""

import numpy as np

from transport_tables import REMAP_REACH


def spans(rows):
    """First and last + 1 of the rows that are set."""
    at = np.nonzero(rows)[0]
    return (int(at[0]), int(at[-1]) + 1) if len(at) else None


def groups(values):
    """Stretches of equal values: (value, first, last + 1)."""
    edges = [0, *(np.nonzero(np.diff(values))[0] + 1).tolist(), len(values)]
    return [(int(values[a]), a, b) for a, b in zip(edges[:-1], edges[1:])]


def escape_weights(tables):
    """Share of the protons of (material, e, angle) that one scattering takes out of the angle grid."""
    ntheta = tables.shape[1]
    out = np.zeros((*tables.half.shape, ntheta))
    for k in range(1, tables.angle.shape[2]):
        edge = min(k, ntheta)
        out[:, :, :edge] += tables.angle[:, :, k, None]
        out[:, :, ntheta - edge :] += tables.angle[:, :, k, None]
    return out


class ArraySolver:
    def __init__(self, xp, tables, dtype):
        self.xp, self.tables, self.dtype = xp, tables, dtype
        ne = tables.shape[0]
        self.psi = xp.asarray(tables.start, dtype=dtype)
        self.next = xp.empty_like(self.psi)
        self.work = xp.empty_like(self.psi)
        self.map = tables.map
        self.one_material = len(np.unique(tables.map)) == 1
        self.energies = xp.asarray(tables.energy)
        self.dose = xp.zeros(tables.map.shape)
        self.losses = {}
        self.prepare_energy(ne)
        self.prepare_angle()
        self.prepare_streaming()
        self.deposit, self.stopped, self.nuclear, self.nuclear_escape = (
            self.over_cells(values, np.float64)[:, 0]
            for values in (tables.deposit, tables.stopped, tables.nuclear, tables.nuclear_escape)
        )

    def over_cells(self, values, dtype=None):
        """values[material][e] as an array that broadcasts over [e][theta][z][x]."""
        if self.one_material:
            spread = values[int(self.map[0, 0])][:, None, None, None]
        else:
            spread = values[:, :][self.map].transpose(2, 0, 1)[:, None]
        return self.xp.asarray(spread, dtype=dtype or self.dtype)

    def prepare_energy(self, ne):
        """One weight per distance between the bins that a step connects."""
        tables = self.tables
        by_distance = {}
        for row in range(len(tables.begin) - 1):
            m, e = divmod(row, ne)
            for k in range(tables.begin[row], tables.begin[row + 1]):
                distance = int(tables.source[k]) - e
                by_distance.setdefault(distance, np.zeros((len(tables.deposit), ne)))[m, e] = tables.weight[k]
        self.energy_steps = []
        for distance, weights in sorted(by_distance.items()):
            span = spans((weights != 0.0).any(axis=0))
            if span is not None:
                self.energy_steps.append((distance, *span, self.over_cells(weights[:, span[0] : span[1]])))

    def prepare_angle(self):
        self.angle_steps = []
        for k in range(1, self.tables.angle.shape[2]):
            weights = self.tables.angle[:, :, k]
            span = spans((weights != 0.0).any(axis=0))
            if span is not None:
                self.angle_steps.append((k, *span, self.over_cells(weights[:, span[0] : span[1]])))
        self.angle_centre = self.over_cells(self.tables.angle[:, :, 0])

    def prepare_streaming(self):
        tables, xp = self.tables, self.xp
        self.streams = [
            (3, groups(tables.whole_x), xp.asarray(tables.flux_x, dtype=self.dtype), "x"),
            (2, groups(tables.whole_z), xp.asarray(tables.flux_z, dtype=self.dtype), "z"),
        ]
        # In x the remap reads the last cell again behind the end that it leads out through: what leaves goes on beyond.
        # By cells from that end: the angles that move so, and the last cell's weights as the cells behind.
        flux, back = np.asarray(tables.flux_x), np.asarray(tables.whole_x) < 0
        self.behind = [
            (place, span, xp.asarray(weights[span[0] : span[1]], dtype=self.dtype)[None, :, None])
            for ends, towards, each in ((back, 0, flux[:, ::-1]), (~back, -1, flux))
            if (span := spans(ends)) is not None
            for place, weights in ((towards, each[:, 3] + each[:, 4]), (1 if towards == 0 else -2, each[:, 4]))
            if self.psi.shape[3] > 1 or place == towards
        ]

    def lose(self, name, per_energy):
        """Adds protons that left, given per energy bin, to the sums."""
        number, energy = per_energy.sum(), (per_energy * self.energies).sum()
        before = self.losses.get(name, (0.0, 0.0))
        self.losses[name] = (before[0] + number, before[1] + energy)

    def swap(self):
        self.psi, self.next = self.next, self.psi

    def step(self):
        self.score()
        self.slow_down()
        self.scatter_angles()
        for axis, wholes, flux, name in self.streams:
            self.stream(axis, wholes, flux, name)

    def score(self):
        """Dose and what the step takes out, from the state at its start. Returns protons and MeV in flight."""
        per_cell = self.psi.sum(axis=1, dtype=np.float64)
        self.dose += (per_cell * self.deposit).sum(axis=0)
        self.lose("stopped", (per_cell * self.stopped).sum(axis=(1, 2)))
        removed = (per_cell * self.nuclear).sum()
        carried = (per_cell * self.nuclear_escape).sum()
        before = self.losses.get("nuclear", (0.0, 0.0))
        self.losses["nuclear"] = (before[0] + removed, before[1] + carried)

    def in_flight(self):
        per_energy = self.psi.sum(axis=(1, 2, 3), dtype=np.float64)
        return float(per_energy.sum()), float((per_energy * self.energies).sum())

    def protons(self):
        """Those in flight."""
        return self.in_flight()[0]

    def taken(self, asked):
        """Steps that changed something."""
        return asked

    def slow_down(self):
        xp = self.xp
        self.next.fill(0)
        for distance, low, high, weight in self.energy_steps:
            part = self.work[low:high]
            xp.multiply(self.psi[low + distance : high + distance], weight, out=part)
            self.next[low:high] += part
        self.swap()

    def scatter_angles(self):
        xp, psi = self.xp, self.psi
        ntheta = psi.shape[1]
        xp.multiply(psi, self.angle_centre, out=self.next)
        escaped = xp.zeros(psi.shape[0])
        for k, low, high, weight in self.angle_steps:
            part = self.work[low:high]
            xp.multiply(psi[low:high], weight, out=part)
            into, edge = self.next[low:high], min(k, ntheta)
            if k < ntheta:
                into[:, k:] += part[:, :-k]
                into[:, :-k] += part[:, k:]
            sides = part[:, :edge].sum(axis=(1, 2, 3), dtype=np.float64)
            escaped[low:high] += sides + part[:, -edge:].sum(axis=(1, 2, 3), dtype=np.float64)
        self.lose("escaped_theta", escaped)
        self.swap()

    def along(self, axis, part):
        return tuple(part if i == axis else slice(None) for i in range(4))

    def stream(self, axis, wholes, flux, name):
        """Conservative remap: cell i hands the part G to i + whole + 1 and keeps the rest for i + whole."""
        xp, psi, moved = self.xp, self.psi, self.work
        n = psi.shape[axis]
        taps = flux.T[:, None, :, None, None]
        xp.multiply(psi, taps[REMAP_REACH], out=moved)
        scratch = self.next
        for m in range(2 * REMAP_REACH + 1):
            off = m - REMAP_REACH
            if off == 0 or abs(off) >= n:
                continue
            to, source = (slice(None, -off), slice(off, None)) if off > 0 else (slice(-off, None), slice(None, off))
            to, source = self.along(axis, to), self.along(axis, source)
            xp.multiply(psi[source], taps[m], out=scratch[to])
            moved[to] += scratch[to]
        if name == "x":
            for place, (first, last), weights in self.behind:
                end = 0 if place >= 0 else -1
                moved[:, first:last, :, place] += weights * psi[:, first:last, :, end]
        xp.maximum(moved, 0, out=moved)
        xp.minimum(moved, psi, out=moved)
        psi -= moved
        self.next.fill(0)
        lost = xp.zeros(psi.shape[0])
        for whole, first, last in wholes:
            for part, shift in ((psi, whole), (moved, whole + 1)):
                lost += self.shifted(axis, part[:, first:last], shift, self.next[:, first:last], n)
        self.lose("escaped_" + name, lost)
        self.swap()

    def shifted(self, axis, part, shift, into, n):
        """Adds `part`, `shift` cells on, to `into`; what falls off the end is returned per energy."""
        if abs(shift) >= n:
            return part.sum(axis=(1, 2, 3), dtype=np.float64)
        if shift == 0:
            into += part
            return 0.0
        if shift > 0:
            kept, gone, to = slice(None, n - shift), slice(n - shift, None), slice(shift, None)
        else:
            kept, gone, to = slice(-shift, None), slice(None, -shift), slice(None, n + shift)
        into[self.along(axis, to)] += part[self.along(axis, kept)]
        return part[self.along(axis, gone)].sum(axis=(1, 2, 3), dtype=np.float64)
