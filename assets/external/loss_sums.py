"""Columns of the sums that hand-written kernels leave, and what they mean for the ledger."""

STOPPED, NUCLEAR, NUCLEAR_ENERGY, THETA, THETA_ENERGY, X, X_ENERGY, Z, Z_ENERGY = range(9)
COUNT = 9


def losses_of(sums):
    """By name, protons and MeV."""
    return {
        "stopped": (sums[STOPPED], 0.0),
        "nuclear": (sums[NUCLEAR], sums[NUCLEAR_ENERGY]),
        "escaped_theta": (sums[THETA], sums[THETA_ENERGY]),
        "escaped_x": (sums[X], sums[X_ENERGY]),
        "escaped_z": (sums[Z], sums[Z_ENERGY]),
    }
