"""What one path step needs to know about the physics, from a resolved problem: kernels/transport/model/tables.cpp and
energy_grid.cpp in Python, with held_energy.py and beam_energies.py. Built once, in FP64, outside every timed span."""

import math
from dataclasses import dataclass, field

import numpy as np

from beam_energies import beam_energies
from held_energy import held_energies
from moment_kernel import convolved, moment_kernel, quantised, two_point_kernel
from stopping import StoppingTable

PROTON_MASS_MEV = 938.272
BOHR_MEV2_CM2_G = 0.1569
SCATTERING_ENERGY_MEV = 15.0
HIGHLAND_ENERGY_MEV = 14.1
FLUENCE_LOSS_CM2_G = 0.012
NUCLEAR_LOCAL_SHARE = 0.6
NUCLEAR_BUILD_UP_G_CM2 = 2.0
NARROWEST_BEAM = 0.8
# The same of a tilted beam, whose row moves across at every step.
NARROWEST_TILTED = 1.25
BEAM_SIGMAS = 5.0
GUARD_BINS = 2
REMAP_REACH = 2
ROUNDING = 1e-9
# Of a cell a step: angles of a beam straight ahead that fall behind by less take first order in z.
SMALL_LAG = 0.05
# Share of the detour that the remap's clamp holds back, and how much of it matters, mm.
HELD_SHARE = 1.0 / 6.0
HELD_BACK_MM = 0.015


def gamma(energy):
    return 1.0 + energy / PROTON_MASS_MEV


def pv(energy):
    return energy * (energy + 2.0 * PROTON_MASS_MEV) / (energy + PROTON_MASS_MEV)


class Medium:
    def __init__(self, material):
        self.density = material["density_g_cm3"]
        self.z_over_a = material["z_over_a"]
        self.x0 = material["x0_g_cm2"]
        self.xs = material["xs_g_cm2"]
        self.table = StoppingTable(material["energies_MeV"], material["stopping_MeV_cm2_g"])

    def energy_after(self, energy, path_mm):
        return self.table.energy_at(self.table.range(energy) - path_mm * 0.1 * self.density)

    def water_left(self, energy, path_mm, water):
        """Residual range in water, g/cm2, that the path leaves: below zero by what the path is too long."""
        reach = self.table.range(energy)
        return (reach - path_mm * 0.1 * self.density) * water.range(energy) / reach


class EnergyGrid:
    """Bins uniform in residual range of water, or in energy."""

    def __init__(self, grid, water, start_energy, energy_sigma, guard):
        self.water = water
        self.uniform = grid["energy"]["kind"] == "uniform"
        cutoff = grid["cutoff_MeV"]
        top = start_energy + BEAM_SIGMAS * energy_sigma
        if self.uniform:
            self.step = float(grid["energy"]["step_MeV"])
            self.bottom = float(grid["energy"]["min_MeV"])
            count = math.ceil((top - self.bottom) / self.step - 1e-9) + 1 + guard
            self.energies = self.bottom + np.arange(count) * self.step
            self.held = self.energies
            self.first_alive = int(np.searchsorted(self.energies, cutoff, side="left"))
        else:
            self.step = grid["energy"]["step_mm"] * 0.1
            start = float(water.range(start_energy))
            last = float(water.range(cutoff))
            # A bin stands for half a step on either side, and holds protons as long as there is range left.
            below = math.floor((start - max(last - 0.5 * self.step, ROUNDING * self.step)) / self.step)
            self.bottom = start - below * self.step
            above = math.ceil((float(water.range(top)) - start) / self.step - 1e-9)
            count = below + 1 + above + guard
            self.energies = water.energy_at(self.bottom + np.arange(count) * self.step)
            # Energy that a proton of each bin holds: that of its centre, but for the last bins.
            self.held = held_energies(self.bottom, self.step, count, water, last)
            self.first_alive = 0
        self.cutoff = cutoff
        self.size = len(self.energies)

    def index_of(self, energy):
        value = energy if self.uniform else self.water.range(energy)
        return (value - self.bottom) / self.step

    def energy_at(self, bin):
        """Energy of a bin or of a place between two; as far below zero as its range or energy is."""
        value = self.bottom + bin * self.step
        return value if self.uniform else math.copysign(float(self.water.energy_at(abs(value))), value)

    def stops(self, energy):
        """Whether content at `energy` after a step has stopped without a look at the bins."""
        return self.uniform and energy < self.cutoff and self.index_of(max(energy, 1e-6)) < self.first_alive - 0.5

    def kernel_beyond(self, reach):
        """Kernel for content whose residual range, g/cm2 of water, is 0 or less; range grids only."""
        return moment_kernel((reach - self.bottom) / self.step, 0.0)

    def kernel(self, energy, variance):
        if energy <= 0.0:
            return -1, np.ones(1)
        index = float(self.index_of(energy))
        if abs(index - round(index)) < 1e-7:
            index = float(round(index))
        per_bin = self.step if self.uniform else self.step * float(self.water.stopping(energy))
        bins = variance / (per_bin * per_bin)
        if not self.uniform:
            return moment_kernel(index, bins)
        return convolved(two_point_kernel(index), moment_kernel(0.0, bins))


@dataclass
class Tables:
    energy: np.ndarray
    theta: np.ndarray
    map: np.ndarray  # [z][x] material
    # Energy gather: row (m, e') is fed from source[begin[row]:begin[row + 1]] with these weights.
    begin: np.ndarray = None
    source: np.ndarray = None
    weight: np.ndarray = None
    # Per proton that starts a step in (m, e).
    deposit: np.ndarray = None
    stopped: np.ndarray = None
    nuclear: np.ndarray = None
    nuclear_escape: np.ndarray = None
    # Symmetric angle kernels: weight of distance k is angle[m, e', k].
    angle: np.ndarray = None
    half: np.ndarray = None
    # Per angle.
    whole_x: np.ndarray = None
    flux_x: np.ndarray = None
    whole_z: np.ndarray = None
    flux_z: np.ndarray = None
    start: np.ndarray = None  # phi[e][theta][z][x]
    number_in: float = 0.0
    energy_in: float = 0.0
    missed: float = 0.0
    missed_energy: float = 0.0
    entry_deposit: float = 0.0
    entry_row: int = 0
    entry_dose: np.ndarray = None  # [x], MeV
    shape: tuple = field(default=(0, 0, 0, 0))


def scattering_power(problem, medium, water, energy):
    """d<theta^2>/ds of the plane angle, rad2 per g/cm2; `energy` an array."""
    model = problem["physics"]["scattering"]
    entrance = problem["beam"]["energy_MeV"]
    if model == "fermi-rossi":
        return (SCATTERING_ENERGY_MEV / pv(energy)) ** 2 / medium.x0
    if model == "gottschalk":
        loss = 1.0 - (pv(energy) / pv(entrance)) ** 2
        lg_loss, lg_pv = np.log10(np.where(loss > 0.0, loss, 1.0)), np.log10(pv(energy))
        f = 0.5244 + 0.1975 * lg_loss + 0.2320 * lg_pv - 0.0098 * lg_pv * lg_loss
        f = np.where(loss > 0.0, np.maximum(f, 0.0), 0.0)
        return f * (SCATTERING_ENERGY_MEV / pv(energy)) ** 2 / medium.xs
    if model == "highland":
        lengths = (water.range(entrance) - water.range(energy)) / problem["materials"][0]["x0_g_cm2"]
        correction = 1.0 + np.log10(np.where(lengths > 0.0, lengths, 1e-30)) / 9.0
        power = (HIGHLAND_ENERGY_MEV / pv(energy) * correction) ** 2 / medium.x0
        return np.where((lengths > 0.0) & (correction > 0.0), power, 0.0)
    return np.zeros_like(energy)


def straggling_variance(problem, medium, energy, after, path_mm):
    if problem["physics"]["straggling"] == "off":
        return np.zeros_like(energy)
    middle = medium.energy_after(energy, 0.5 * path_mm)
    alive = after > 0.0
    middle = np.where(alive, middle, 1.0)
    g = gamma(middle)
    gained = BOHR_MEV2_CM2_G * medium.z_over_a * g * g * (1.0 - 0.5 * (1.0 - 1.0 / (g * g)))
    gained = gained * path_mm * 0.1 * medium.density
    stretch = medium.table.stopping(np.where(alive, after, 1.0)) / medium.table.stopping(middle)
    return np.where(alive, gained * stretch * stretch, 0.0)


def step_physics(problem, media, grid, tables, single):
    """Energy gather, losses and angle kernels; `single`: weights are rounded so that FP32 sums are exact."""
    path, ne = problem["solver"]["step_mm"], grid.size
    dtheta = problem["grid"]["dtheta_rad"]
    water = media[0].table
    begin, source, weight, kernels = [0], [], [], []
    losses = {name: np.zeros((len(media), ne)) for name in ("deposit", "stopped", "nuclear", "nuclear_escape")}
    for m, medium in enumerate(media):
        energies = grid.energies
        after = medium.energy_after(energies, path)
        variance = straggling_variance(problem, medium, energies, after, path)
        lost = np.zeros(ne)
        if problem["physics"]["nuclear"] == "attenuation":
            before_range = water.range(energies)
            lost = FLUENCE_LOSS_CM2_G * (before_range - water.range(after)) / (1.0 + FLUENCE_LOSS_CM2_G * before_range)
        # The deposited share builds up behind the entrance, as secondary protons carry it downstream.
        depth = np.maximum(0.0, water.range(problem["beam"]["energy_MeV"]) - water.range(energies))
        deposited = NUCLEAR_LOCAL_SHARE * (1.0 - np.exp(-depth / NUCLEAR_BUILD_UP_G_CM2))
        rows = [dict() for _ in range(ne)]
        for e in range(ne):
            kept = stopped = 0.0
            if grid.stops(after[e]):
                stopped = 1.0 - lost[e]
            else:
                if after[e] > 0.0:
                    first, weights = grid.kernel(float(after[e]), float(variance[e]))
                else:
                    first, weights = grid.kernel_beyond(float(medium.water_left(energies[e], path, water)))
                weights = quantised(weights) if single else weights
                for i, w in enumerate(weights * (1.0 - lost[e])):
                    to = min(first + i, ne - 1)
                    if first + i < grid.first_alive:
                        stopped += w
                        continue
                    kept += w * grid.held[to]
                    rows[to][e] = rows[to].get(e, 0.0) + w
            escape = (1.0 - deposited[e]) * lost[e] * grid.held[e]
            losses["deposit"][m, e] = grid.held[e] - kept - escape
            losses["stopped"][m, e] = stopped
            losses["nuclear"][m, e] = lost[e]
            losses["nuclear_escape"][m, e] = escape
        for row in rows:
            source.extend(row.keys())
            weight.extend(row.values())
            begin.append(len(source))
        before = medium.table.energy_at(medium.table.range(energies) + 0.5 * path * 0.1 * medium.density)
        power = scattering_power(problem, medium, water, before)
        for variance_bins in power * path * 0.1 * medium.density / (dtheta * dtheta):
            first, weights = moment_kernel(0.0, float(variance_bins))
            kernels.append((quantised(weights) if single else weights)[-first:])
    tables.begin = np.array(begin, dtype=np.int32)
    tables.source = np.array(source, dtype=np.int32)
    tables.weight = np.array(weight)
    tables.half = np.array([len(k) - 1 for k in kernels], dtype=np.int32).reshape(len(media), ne)
    tables.angle = np.zeros((len(media), ne, tables.half.max() + 1))
    for row, kernel in enumerate(kernels):
        tables.angle[row // ne, row % ne, : len(kernel)] = kernel
    for name, values in losses.items():
        setattr(tables, name, values)


def remap_weights(fraction, high_order):
    """Weights of the donor's neighbours i - 2 ... i + 2 in the part that it hands on."""
    taps = 2 * REMAP_REACH + 1
    if not high_order:
        return np.array([fraction if m == REMAP_REACH else 0.0 for m in range(taps)])
    x = 0.5 - fraction
    face = np.ones(taps + 1)
    for a in range(taps + 1):
        for b in range(taps + 1):
            if b != a:
                face[a] *= (x - (b - 2.5)) / (a - b)
    return np.array([(1.0 if m <= REMAP_REACH else 0.0) - face[m + 1 :].sum() for m in range(taps)])


def detour_mm(problem, media, cells, grid, start_energy, first_depth):
    """By how much the path along the axis is longer than its depth, mean over the angles that it scatters to."""
    beam, spec, path = problem["beam"], problem["grid"], problem["solver"]["step_mm"]
    cutoff, detour, theta_squared = spec["cutoff_MeV"], 0.0, beam["angle_sigma_rad"] ** 2
    energy, step = start_energy, 0
    while energy > cutoff:
        z = int((first_depth + step * path * math.cos(beam["angle_rad"])) / spec["dz_mm"])
        x = math.floor((beam["x_mm"] + step * path * math.sin(beam["angle_rad"])) / spec["dx_mm"] + 0.5 * spec["nx"])
        if z >= spec["nz"] or not 0 <= x < spec["nx"]:
            break
        medium = media[cells[z, x]]
        nearest = math.floor(float(grid.index_of(energy)) + 0.5)
        if float(medium.energy_after(grid.energies[min(max(nearest, 0), grid.size - 1)], path)) <= cutoff:
            break
        middle = max(float(medium.energy_after(energy, 0.5 * path)), cutoff)
        power = float(scattering_power(problem, medium, media[0].table, np.array(middle)))
        theta_squared += power * path * 0.1 * medium.density
        detour += 0.5 * theta_squared * path
        energy = float(medium.energy_after(energy, path))
        step += 1
    return detour


def keeps_row(problem, detour, theta):
    """Angles of a beam straight ahead, in steps of whole cells, that stay within a cell of its depth."""
    cells = problem["solver"]["step_mm"] / problem["grid"]["dz_mm"]
    ahead = abs(math.sin(problem["beam"]["angle_rad"])) < ROUNDING and abs(cells - round(cells)) < ROUNDING
    matters = ahead and HELD_SHARE * detour > HELD_BACK_MM
    return matters & (cells * (1.0 - np.cos(theta)) < SMALL_LAG)


def streaming(shifts, high_orders):
    """Per angle: whole cells, and the weights of the fraction that is left."""
    whole, flux = [], []
    for shift, high_order in zip(shifts, high_orders):
        nearest = math.floor(abs(shift) + 0.5) * (1 if shift >= 0 else -1)
        off = shift - nearest
        if abs(off) < 1e-9:
            whole.append(nearest)
            flux.append(remap_weights(0.0, high_order))
        else:
            whole.append(nearest - (1 if off < 0.0 else 0))
            flux.append(remap_weights(shift - whole[-1], high_order))
    return np.array(whole, dtype=np.int32), np.array(flux)


def filled_state(seed, shape):
    """The number in each cell of a filled state: in (0, 1], the same on every engine."""
    mask = (1 << 64) - 1
    base = (int(seed) * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & mask
    z = np.arange(np.prod(shape, dtype=np.int64), dtype=np.uint64) + np.uint64(base)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (((z >> np.uint64(40)).astype(np.float64) + 1.0) * 2.0**-24).reshape(shape)


def spectrum(beam, grid, entry, start_energy, entry_path):
    """Share of each bin at the first node, and the mean energy at the entrance."""
    if beam["energy_sigma_MeV"] > 0.0:
        return beam_energies(
            grid,
            beam["energy_MeV"],
            beam["energy_sigma_MeV"],
            lambda energy: entry.energy_after(energy, entry_path) if entry_path > 0.0 else energy,
            lambda energy: entry.energy_after(energy, -entry_path) if entry_path > 0.0 else energy,
        )
    share = np.zeros(grid.size)
    first, weights = grid.kernel(start_energy, 0.0)
    for i, w in enumerate(weights):
        share[min(max(first + i, grid.first_alive), grid.size - 1)] += w
    return share, beam["energy_MeV"]


def beam_state(problem, grid, tables, entry_medium, start_energy, entry_path, start_z):
    beam, spec = problem["beam"], problem["grid"]
    _, ntheta, _, nx = tables.shape
    share, at_entrance = spectrum(beam, grid, entry_medium, start_energy, entry_path)
    energy = beam["weight"] * share
    bins = (beam["angle_rad"] - tables.theta[0]) / spec["dtheta_rad"]
    bins = float(round(bins)) if abs(bins - round(bins)) < 1e-9 else bins
    angle = np.zeros(ntheta)
    first, weights = moment_kernel(bins, (beam["angle_sigma_rad"] / spec["dtheta_rad"]) ** 2)
    for i, w in enumerate(weights):
        if 0 <= first + i < ntheta:
            angle[first + i] = w
    narrowest = NARROWEST_TILTED if abs(math.sin(beam["angle_rad"])) > 1e-9 else NARROWEST_BEAM
    sigma = max(beam["x_sigma_mm"] / spec["dx_mm"], narrowest)

    def across(path):
        lateral = np.zeros((ntheta, nx))
        for a in np.nonzero(angle)[0]:
            x = beam["x_mm"] + path * math.sin(tables.theta[a])
            first, weights = moment_kernel(x / spec["dx_mm"] + 0.5 * nx - 0.5, sigma * sigma)
            for i, w in enumerate(weights):
                if 0 <= first + i < nx:
                    lateral[a, first + i] = w
        return lateral

    lateral = across(entry_path + 0.5 * problem["solver"]["step_mm"])
    in_grid = (angle[:, None] * lateral).sum()
    mean_energy = (energy * tables.energy).sum()
    tables.number_in = beam["weight"]
    tables.missed = beam["weight"] * (1.0 - in_grid)
    tables.missed_energy = mean_energy * (1.0 - in_grid)
    entry = 0.0
    if entry_path > 0.0:
        spread = beam["energy_sigma_MeV"] > 0.0
        lost = beam["energy_MeV"] - start_energy
        entry = beam["weight"] * at_entrance - mean_energy if spread else beam["weight"] * lost
    tables.entry_dose = entry * (angle @ across(0.5 * entry_path))
    tables.entry_deposit = tables.entry_dose.sum()
    tables.missed_energy += entry - tables.entry_deposit
    tables.energy_in = mean_energy + entry
    tables.start = np.zeros(tables.shape)
    tables.start[:, :, start_z, :] = energy[:, None, None] * (angle[:, None] * lateral)[None]


def build_tables(problem):
    """Tables of a resolved problem with path stepping. Raises ValueError for what is not offered."""
    if problem["solver"]["stepping"] != "path":
        raise ValueError("solver.stepping = depth: the baselines offer path")
    if problem["physics"]["nuclear"] == "icru63":
        raise ValueError("physics.nuclear = icru63: the baselines offer off and attenuation")
    spec, beam, step = problem["grid"], problem["beam"], problem["solver"]["step_mm"]
    media = [Medium(material) for material in problem["materials"]]
    nz, nx, ntheta = spec["nz"], spec["nx"], spec["ntheta"]
    cosine = math.cos(beam["angle_rad"])
    half = 0.5 * step * cosine
    start_z = min(max(math.ceil((beam["z_mm"] + half) / spec["dz_mm"] - 0.5 - 1e-9), 0), nz - 1)
    entry_path = max(0.0, ((start_z + 0.5) * spec["dz_mm"] - half - beam["z_mm"]) / cosine)
    entry_x = beam["x_mm"] + 0.5 * entry_path * math.sin(beam["angle_rad"])
    entry_z = min(max(int((beam["z_mm"] + 0.5 * entry_path * cosine) / spec["dz_mm"]), 0), nz - 1)
    entry_x = min(max(math.floor(entry_x / spec["dx_mm"] + 0.5 * nx), 0), nx - 1)
    cells = np.asarray(problem["map"], dtype=np.uint8).reshape(nz, nx)
    entry = media[cells[entry_z, entry_x]]
    start_energy = float(entry.energy_after(beam["energy_MeV"], entry_path)) if entry_path > 0.0 else beam["energy_MeV"]

    water, guard = media[0].table, 0
    if spec["energy"]["kind"] == "range":
        for medium in media:
            after = medium.energy_after(start_energy, step)
            shift = (water.range(start_energy) - water.range(after)) / (0.1 * spec["energy"]["step_mm"])
            guard = GUARD_BINS if shift < 1.0 - 1e-6 else guard
    grid = EnergyGrid(spec, water, start_energy, beam["energy_sigma_MeV"], guard)
    theta = spec["theta_centre_rad"] + spec["dtheta_rad"] * (np.arange(ntheta) - 0.5 * (ntheta - 1))
    tables = Tables(energy=grid.held, theta=theta, map=cells, shape=(grid.size, ntheta, nz, nx))
    tables.entry_row, tables.entry_dose = entry_z, np.zeros(nx)
    step_physics(problem, media, grid, tables, problem["solver"]["precision"] == "fp32")
    high = np.full(ntheta, problem["solver"]["remap"] == "high-order")
    tables.whole_x, tables.flux_x = streaming(step * np.sin(theta) / spec["dx_mm"], high)
    filled = problem["initial"]["kind"] == "filled"
    first_depth = (start_z + 0.5) * spec["dz_mm"]
    detour = 0.0 if filled else detour_mm(problem, media, cells, grid, start_energy, first_depth)
    rows = high & ~keeps_row(problem, detour, theta)
    tables.whole_z, tables.flux_z = streaming(step * np.cos(theta) / spec["dz_mm"], rows)
    if filled:
        tables.start = filled_state(problem["initial"]["seed"], tables.shape)
        per_bin = tables.start.sum(axis=(1, 2, 3))
        tables.number_in, tables.energy_in = per_bin.sum(), (per_bin * tables.energy).sum()
    else:
        beam_state(problem, grid, tables, entry, start_energy, entry_path, start_z)
    return tables
