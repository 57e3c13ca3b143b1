"""Energy that a proton of each bin of residual range holds: kernels/transport/model/energy_grid.cpp in Python."""

import numpy as np

REACH = 2  # bins on either side that a bin's share reaches: cubic interpolation
MOST_BINS = 8  # further up the mean and the centre differ by less than 1e-5
PARTS = 4  # of a bin, for the quadrature
TRIALS = 20

# Five-point Gauss-Legendre on [0, 1].
NODES = np.array([0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842, 0.953089922969332])
WEIGHTS = np.array([0.118463442528095, 0.239314335249683, 0.284444444444444, 0.239314335249683, 0.118463442528095])


def cubic_share(distance):
    """Weight that cubic interpolation between equal bins gives to the one that is `distance` bins away."""
    t = np.abs(distance)
    near = (1.0 - t * t) * (2.0 - t) / 2.0
    far = np.where(t < 2.0, (1.0 - t) * (2.0 - t) * (3.0 - t) / 6.0, 0.0)
    return np.where(t < 1.0, near, far)


def mean_energy(first, step, k, water, last_range):
    """Mean energy in MeV with the shares of bin k; bins below the first count as well. Ranges in g/cm2 of water."""
    centre = first + k * step
    # range = low + width u2: no singularity at 0
    u = ((np.arange(PARTS)[:, None] + NODES) / PARTS).ravel()
    weights = np.tile(WEIGHTS, PARTS) / PARTS
    total = 0.0
    for side in range(-REACH, REACH):
        low = max(centre + side * step, last_range)
        width = centre + (side + 1) * step - low
        if width <= 0.0:
            continue
        reach = low + width * u * u
        shares = cubic_share((reach - centre) / step)
        total += float((weights * 2.0 * u * width / step * water.energy_at(reach) * shares).sum())
    return total


def held_energies(first, step, size, water, last_range):
    """Bin k stands at `first` + k `step`; protons of less range than `last_range` hold nothing. MeV, ascending."""
    centres = np.array(water.energy_at(first + np.arange(size) * step))
    count = min(MOST_BINS, size // 2)
    if count < 3:
        return centres
    means = centres.copy()
    for k in range(count):
        means[k] = mean_energy(first, step, k, water, last_range)
    # What bins below the first would hold goes to the first ones, by the number of protons that a straight line or a
    # parabola through them gives there.
    line, parabola = means.copy(), means.copy()
    for m in range(1, REACH + 1):
        beyond = mean_energy(first, step, -m, water, last_range)
        line[:2] += np.array([1 + m, -m]) * beyond
        parabola[:3] += np.array([0.5 * (m + 1) * (m + 2), -m * (m + 2), 0.5 * m * (m + 1)]) * beyond
    # As much of the better one as leaves them ascending: no step may take more energy than there is.
    for one, other in ((line, parabola), (centres, line)):
        for share in range(TRIALS, -1, -1):
            held = centres.copy()
            part = share / TRIALS
            held[:count] = (1.0 - part) * one[:count] + part * other[:count]
            if (np.diff(held[: count + 1], prepend=0.0) >= 0.0).all():
                return held
    return centres
