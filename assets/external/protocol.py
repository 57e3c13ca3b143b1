"""The baseline protocol: one JSON request on standard input, one JSON answer on standard output, dose as NPZ.
README.md beside this file describes every field."""

import json
import platform
import sys
import time

import numpy as np

PROTOCOL = 1
LOOK_EVERY = 8  # steps between two looks at what is in flight, where looking waits for the device


class Refused(Exception):
    """What this program cannot do; `code` is 'missing' or 'unsupported'."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class WallClock:
    """Times with the host's clock; a program on a device brings its own clock."""

    def start(self):
        self.begun = time.perf_counter()

    def stop(self):
        """Device seconds (None: there is no device) and wall seconds."""
        return None, time.perf_counter() - self.begun


def march(solver, request, look_every):
    """Steps until too few protons are in flight. Returns the steps taken, and protons and MeV in flight."""
    problem = request["problem"]
    least = problem["solver"]["stop_weight"] * solver.tables.number_in
    steps, flight = 0, solver.tables.number_in
    while steps < request["steps_max"] and flight > least:
        for _ in range(min(look_every, request["steps_max"] - steps)):
            solver.step()
            steps += 1
        if least > 0.0 or steps >= request["steps_max"]:
            flight = solver.in_flight()[0]
    return steps, *solver.in_flight()


def ledger(tables, losses, dose, flight, energy_flight):
    """Relative errors of the sums over all faces: nothing may be lost that is not counted."""
    out = {name: (float(n), float(e)) for name, (n, e) in losses.items()}
    number = flight + tables.missed + sum(n for n, _ in out.values())
    energy = energy_flight + tables.missed_energy + dose
    energy += sum(e for name, (_, e) in out.items() if name != "stopped")
    return {
        "number_error": abs(number - tables.number_in) / tables.number_in,
        "energy_error": abs(energy - tables.energy_in) / tables.energy_in,
        "losses": {name: n for name, (n, _) in out.items()},
    }


def solve_repeatedly(request, tables, make_solver, clock, to_host, look_every):
    """Warm-ups, then timed runs on fresh states. The last run's dose is the answer."""
    runs, setup = [], []
    for index in range(request["warmups"] + request["repeats"]):
        begun = time.perf_counter()
        solver = make_solver()
        setup.append(time.perf_counter() - begun)
        clock.start()
        steps, flight, energy_flight = march(solver, request, look_every)
        device_s, wall_s = clock.stop()
        runs.append({"device_s": device_s, "wall_s": wall_s, "warmup": index < request["warmups"]})
    dose = np.array(to_host(solver.dose), dtype=np.float64)
    losses = {name: (float(n), float(e)) for name, (n, e) in solver.losses.items()}
    dose[tables.entry_row] += tables.entry_dose
    np.savez(request["dose_file"], dose=dose)
    return {
        "runs": runs,
        "solver_setup_s": setup,
        "steps": steps,
        "cell_steps": float(np.prod(tables.shape, dtype=float)) * steps,
        "ledger": ledger(tables, losses, float(dose.sum()), flight, energy_flight),
        "shape": list(tables.shape),
    }


def serve(styles, solve):
    """Reads the request, calls solve(request) -> answer, and prints the answer, or why there is none."""
    try:
        request = json.load(sys.stdin)
        if request.get("protocol") != PROTOCOL:
            raise Refused("unsupported", f"the request is of protocol {request.get('protocol')}; this one knows 1")
        if request["style"] not in styles:
            raise Refused("unsupported", f"style {request['style']!r} is not known; allowed: {', '.join(styles)}")
        answer = solve(request)
        versions = {"python": platform.python_version(), "numpy": np.__version__, **answer.pop("versions", {})}
        print(json.dumps({"protocol": PROTOCOL, "style": request["style"], "versions": versions, **answer}))
    except Refused as error:
        print(json.dumps({"protocol": PROTOCOL, "error": {"code": error.code, "message": str(error)}}))
        sys.exit(3)
    except ValueError as error:
        print(json.dumps({"protocol": PROTOCOL, "error": {"code": "unsupported", "message": str(error)}}))
        sys.exit(3)
    except MemoryError as error:
        print(json.dumps({"protocol": PROTOCOL, "error": {"code": "memory", "message": str(error)}}))
        sys.exit(3)
