"""Softmax by rows in NumPy: every step is written to y, and no further array of its size is made."""

import numpy as np


def run(x, y, rows, columns):
    np.subtract(x, x.max(axis=1, keepdims=True), out=y)
    np.exp(y, out=y)
    y /= y.sum(axis=1, keepdims=True)
