"""Discrete kernels with exact sum, mean and variance: kernels/physics/moment_kernel.cpp in Python."""

import math

import numpy as np

THREE_POINT_LIMIT = 0.5
TAIL_SIGMAS = 6.5


def away_from_zero(value):
    """Rounds halves away from zero, as C's round does."""
    return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def moment_kernel(mean, variance):
    """(first, weights): moves content by first + i cells; mean in cells, variance in cells squared."""
    base = away_from_zero(mean)
    f = mean - base
    if f == 0.0 and variance == 0.0:
        return base, np.ones(1)
    if variance >= THREE_POINT_LIMIT:
        return sampled_gaussian(mean, variance)
    second = max(variance + f * f, abs(f))
    return base - 1, np.array([0.5 * (second - f), 1.0 - second, 0.5 * (second + f)])


def sampled_gaussian(mean, variance):
    """Sampled, then multiplied by a + b d + c d2 so that its first three moments are exact."""
    sigma = math.sqrt(variance)
    first = math.floor(mean - TAIL_SIGMAS * sigma)
    last = math.ceil(mean + TAIL_SIGMAS * sigma)
    d = (np.arange(first, last + 1) - mean) / sigma
    weights = np.exp(-0.5 * d * d)
    moments = [(weights * d**k).sum() for k in range(5)]
    hankel = np.array([[moments[i + j] for j in range(3)] for i in range(3)])
    a, b, c = np.linalg.solve(hankel, np.array([1.0, 0.0, 1.0]))
    return first, weights * (a + b * d + c * d * d)


def two_point_kernel(mean):
    low = math.floor(mean)
    f = mean - low
    return (low, np.ones(1)) if f == 0.0 else (low, np.array([1.0 - f, f]))


def convolved(a, b):
    return a[0] + b[0], np.convolve(a[1], b[1])


def quantised(weights):
    """Multiples of 2^-24 that sum to exactly 1, so that an FP32 state loses nothing systematically."""
    for unit in (2.0**-24, 2.0**-23):
        out = np.sign(weights) * np.floor(np.abs(weights) / unit + 0.5) * unit
        out[out.argmax()] += 1.0 - out.sum()
        if (np.abs(out) <= 1.0).all():
            return out
    return out
