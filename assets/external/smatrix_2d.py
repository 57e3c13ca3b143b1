"""run_simulation.py of the user's checkout of Smatrix_2D, on a beam in water on a uniform grid: its time is of its whole
process, with its own report and figures. It has a physics of its own, so its dose is told and not judged. Speaks the
protocol of README.md; `file` of the request is the script."""

import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from protocol import Program, Refused, serve


BUFFER_MEV = 1.0


def settings(problem):
    """The problem in the words of initial_info.yaml, which JSON is too."""
    beam, grid, solver = problem["beam"], problem["grid"], problem["solver"]
    if problem.get("spots"):
        raise Refused("unsupported", "spots: the script has one beam")
    if len(set(problem["map"])) > 1 or problem["materials"][problem["map"][0]]["name"] != "water":
        raise Refused("unsupported", "geometry.regions: the script's beam is in water")
    if grid["energy"]["kind"] != "uniform":
        raise Refused("unsupported", "grid.energy: the script has a uniform grid of energies; uniform-grid-70MeV has one")
    width, depth = grid["nx"] * grid["dx_mm"], grid["nz"] * grid["dz_mm"]
    degrees, step = math.degrees(grid["dtheta_rad"]), grid["energy"]["step_MeV"]

    def of(value):
        return {"value": value}

    def axis(low, high, delta):
        return {"min": low, "max": high, "delta": delta}

    return {
        "particle": {
            "energy": of(beam["energy_MeV"]),
            "angle": of(90.0 + math.degrees(beam["angle_rad"])),
            "position": {"x": of(beam["x_mm"] + width / 2), "z": of(beam["z_mm"])},
            "weight": of(1.0),
        },
        "grid": {
            "spatial": {"x": axis(0.0, width, grid["dx_mm"]), "z": axis(0.0, depth, grid["dz_mm"])},
            "angular": {"center": 90.0, "half_range": degrees * grid["ntheta"] / 2, "delta": degrees},
            "energy": {
                **axis(grid["energy"]["min_MeV"], beam["energy_MeV"], step),
                # The script wants its cutoff this far above its lowest energy.
                "cutoff": max(grid["cutoff_MeV"], grid["energy"]["min_MeV"] + BUFFER_MEV),
            },
        },
        "material": "H2O",
        "numerical": {
            "safeguards": {
                "beta_sq_minimum": 1e-12,
                "log_argument_minimum": 1e-12,
                "dose_threshold": 1e-6,
                "weight_threshold": 1e-6,
            }
        },
        "transport": {"delta_s": solver["step_mm"], "max_steps": 10_000},
        "resolution": {"propagation": {"mode": "fixed", "multiplier": 0.5, "value": solver["step_mm"]}},
        "convergence": {"min_weight": 1e-4},
        "output": {"directory": "output", "csv": {"enabled": True}, "figures": {"enabled": False}, "verbosity": 0},
    }


class Smatrix(Program):
    precision = "fp32"

    def __init__(self, request):
        super().__init__(request)
        script = pathlib.Path(request["file"]).expanduser().resolve()
        package = script.parent / "smatrix_2d"
        if not script.is_file() or not package.is_dir():
            raise Refused("missing", f"{request['file']} is not a script beside the package smatrix_2d")
        grid = request["problem"]["grid"]
        self.shape = (grid["nz"], grid["nx"])
        self.folder = tempfile.TemporaryDirectory(prefix="braggbench-smatrix-")
        here = pathlib.Path(self.folder.name)
        # The script reads its settings beside itself, and the checkout is not ours to write to.
        shutil.copy(script, here / script.name)
        (here / "smatrix_2d").symlink_to(package)
        (here / "initial_info.yaml").write_text(json.dumps(settings(request["problem"])))
        self.script, self.here, self.steps = script.name, here, None

    def repeat(self, count):
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        for _ in range(count):
            ended = subprocess.run(
                [sys.executable, self.script], cwd=self.here, env=environment, capture_output=True, text=True, check=False
            )
            if ended.returncode != 0:
                last = ended.stderr.strip().split("\n")[-1]
                raise RuntimeError(f"the script ended with code {ended.returncode}: {last}")

    def answer(self):
        dose, steps = np.zeros(self.shape), 0
        with open(self.here / "output" / "proton_transport_profiles.csv", newline="") as rows:
            for row in csv.DictReader(rows):
                dose[int(row["z_index"]), int(row["x_index"])] += float(row["weight"])
                steps = max(steps, int(row["step_number"]))
        self.steps = steps
        return {"dose": dose}

    def facts(self):
        return {"note": "its whole process, with a physics of its own", "steps": self.steps}


if __name__ == "__main__":
    serve(Smatrix)
