"""The engine's made-up inputs and samples of results, number for number: native/engine/task.cpp and
kernels/micro/row/row.hpp in NumPy."""

import numpy as np

STEP = np.uint64(0x9E3779B97F4A7C15)


def scrambled(index):
    """Steele, Lea and Flood's SplitMix64 of each index."""
    with np.errstate(over="ignore"):
        z = np.asarray(index, dtype=np.uint64) + STEP
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def uniform_values(count, seed):
    """`count` values in [-1, 1), exact in FP32."""
    with np.errstate(over="ignore"):
        at = scrambled(seed) + np.arange(count, dtype=np.uint64)
    return ((scrambled(at) >> np.uint64(40)).astype(np.float64) / (1 << 23) - 1.0).astype(np.float32)


def sampled(values, most):
    """What the engine compares of so many results: all, or some spread evenly from the first to the last."""
    flat = np.asarray(values).ravel()
    if flat.size <= most:
        return flat
    step = float(flat.size - 1) / float(most - 1)
    return flat[(np.arange(most, dtype=np.float64) * step).astype(np.int64)]
