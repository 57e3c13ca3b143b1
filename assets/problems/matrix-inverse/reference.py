import numpy as np


def reference(a, batch, n):
    first = np.linalg.inv(a)
    # One step of Newton and Schulz in extended precision.
    a, x = a.astype(np.longdouble), first.astype(np.longdouble)
    return np.einsum("bij,bjk->bik", x, 2 * np.eye(n) - np.einsum("bij,bjk->bik", a, x)).astype(float)
