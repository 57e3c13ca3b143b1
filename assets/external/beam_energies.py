"""A beam's spectrum on the energy bins: kernels/transport/model/beam_energies.cpp in Python."""

import math

import numpy as np

NARROW = 0.8
FAR = 9.0
PARTS = 2000


def below(t):
    return 0.5 * math.erfc(-t / math.sqrt(2.0))


def moments(energy, sigma, low, high, node_energy):
    """Mean energy at the entrance, and mean and variance at the first node, of what lies from low to high sigmas."""
    t = np.linspace(max(low, -FAR), min(high, FAR), PARTS + 1)
    weight = np.exp(-0.5 * t * t) * np.where(np.arange(PARTS + 1) % 2 == 1, 4.0, 2.0)
    weight[[0, -1]] *= 0.5
    centre = float(node_energy(energy))
    off = np.array([float(node_energy(energy + sigma * one)) for one in t]) - centre
    number = weight.sum()
    mean = (weight * off).sum() / number
    entrance = energy + sigma * (weight * t).sum() / number
    return entrance, centre + mean, (weight * off**2).sum() / number - mean * mean


def few_bins(held, first, mean, variance):
    share = np.zeros(len(held))
    last = len(held) - 1
    above = int(np.searchsorted(held, mean, side="right"))
    middle = min(max(above, first + 1), last)
    if mean - held[middle - 1] < held[middle] - mean:
        middle -= 1
    if first < middle < last:
        a, b, c = (held[middle + i] - mean for i in (-1, 0, 1))
        three = np.array(
            [
                (variance + b * c) / ((a - b) * (a - c)),
                (variance + a * c) / ((b - a) * (b - c)),
                (variance + a * b) / ((c - a) * (c - b)),
            ]
        )
        if (three >= 0.0).all():
            share[middle - 1 : middle + 2] = three
            return share
    low = min(max(above - 1, first), last - 1)
    part = min(max((mean - held[low]) / (held[low + 1] - held[low]), 0.0), 1.0)
    share[low], share[low + 1] = 1.0 - part, part
    return share


def corrected(share, held, mean, variance):
    """Mean and variance right by a factor that is a parabola in energy; the mean alone where that turns one negative."""
    d = (held - mean) / math.sqrt(variance)
    p = [(share * d**n).sum() for n in range(5)]
    matrix = np.array([[p[0], p[1], p[2]], [p[1], p[2], p[3]], [p[2], p[3], p[4]]])
    if np.linalg.det(matrix) != 0.0:
        c = np.linalg.solve(matrix, np.array([1.0, 0.0, 1.0]))
        changed = share * (c[0] + d * (c[1] + d * c[2]))
        if (changed >= 0.0).all():
            return changed
    line = p[0] * p[2] - p[1] * p[1]
    changed = share * (p[2] - d * p[1]) / line if line != 0.0 else share
    return changed if (changed >= 0.0).all() else share


def beam_energies(grid, energy, sigma, node_energy, entrance_energy):
    """Share of each bin, and the mean energy (MeV) at the entrance of the protons that are kept."""
    first, last = grid.first_alive, grid.size - 1

    def in_sigmas(bin):
        lowest = grid.cutoff if bin < first else grid.energy_at(bin)
        return (float(entrance_energy(lowest)) - energy) / sigma

    entrance, mean, variance = moments(energy, sigma, in_sigmas(first - 0.5), in_sigmas(last + 0.5), node_energy)
    middle = float(grid.index_of(mean))
    width = grid.energy_at(middle + 0.5) - grid.energy_at(middle - 0.5)
    if variance < NARROW * NARROW * width * width:
        return few_bins(grid.held, first, mean, variance), entrance
    narrower = math.sqrt(1.0 - width * width / (12.0 * variance))
    edges = np.array([below(in_sigmas(bin - 0.5) / narrower) for bin in range(first, last + 2)])
    share = np.zeros(grid.size)
    share[first:] = np.diff(edges) / (edges[-1] - edges[0])
    return corrected(share, grid.held, mean, variance), entrance
