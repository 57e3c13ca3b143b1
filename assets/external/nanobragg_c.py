"""The program nanoBragg of the user, on the same image: its time is of its whole process, reading and writing files
included, for it tells no other. Speaks the protocol of README.md; `file` of the request is the program."""

import math
import pathlib
import subprocess
import tempfile

import numpy as np

from diffraction_model import Model
from protocol import Program, Refused, serve

# The program takes the rotation of the pixel before where phi is exactly 0.
NOT_ZERO_DEG = 1e-9


def arguments(problem, folder):
    """The problem in the program's words: mm, degrees, Å."""
    beam, plate, crystal = problem["beam"], problem["detector"], problem["crystal"]
    model = Model(problem)
    if crystal["shape"] in ("gauss", "tophat"):
        raise Refused("unsupported", f"crystal.shape = {crystal['shape']}: the program means something else by it")
    if model.each:
        raise Refused("unsupported", "detector.corrections = subpixel: the program's own are not the same")
    if beam["dispersion"] > 0 or beam["divergence_h_rad"] > 0 or beam["divergence_v_rad"] > 0:
        raise Refused("unsupported", "beam: this program is asked for one direction and wavelength only")
    # Edges of the unturned cell as reciprocal vectors times the wavelength, which avoids the program's own reading of
    # angles of a triclinic cell.
    from diffraction_model import mounted_cell

    edges = mounted_cell(crystal)
    a, b, c = edges
    volume = a @ np.cross(b, c)
    reciprocal = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)]) / volume
    np.savetxt(folder / "A.mat", (reciprocal * beam["wavelength_m"]).T, fmt="%.17g")
    factors, rotation = problem["structure_factors"], problem["rotation"]
    out = ["-mat", "A.mat", "-default_F", factors["default"]]
    if len(factors["reflections"]) > 0:
        listed = np.array(factors["reflections"]).reshape(-1, 4)
        np.savetxt(folder / "P1.hkl", listed, fmt=["%d", "%d", "%d", "%.17g"])
        out += ["-hkl", "P1.hkl", "-nointerpolate"]
    for name, count in zip(("-Na", "-Nb", "-Nc"), crystal["cells"]):
        out += [name, int(count)]
    out += ["-round_xtal"] if crystal["shape"] == "round" else ["-square_xtal"]
    out += ["-lambda", beam["wavelength_m"] * 1e10, "-fluence", beam["fluence_m2"], "-polar", beam["polarisation"]]
    out += ["-distance", plate["distance_m"] * 1e3, "-pixel", plate["pixel_m"] * 1e3]
    out += ["-detpixels_x", plate["width"], "-detpixels_y", plate["height"], "-oversample", plate["oversample"]]
    out += ["-Xbeam", plate["beam_x_m"] * 1e3, "-Ybeam", plate["beam_y_m"] * 1e3]
    for name, angle in zip(("-detector_rotx", "-detector_roty", "-detector_rotz"), plate["rotation_rad"]):
        out += [name, math.degrees(angle)]
    out += ["-twotheta", math.degrees(plate["twotheta_rad"])]
    if crystal["mosaic_domains"] > 1:
        out += ["-mosaic_spread", math.degrees(crystal["mosaic_spread_rad"])]
        out += ["-mosaic_domains", crystal["mosaic_domains"], "-mosaic_seed", crystal["mosaic_seed"]]
    phi = math.degrees(rotation["phi0_rad"])
    if rotation["steps"] > 1 or phi != 0.0:
        out += ["-phi", phi + NOT_ZERO_DEG, "-osc", math.degrees(rotation["oscillation_rad"])]
        out += ["-phisteps", rotation["steps"]]
    out += ["-nonoise", "-nopgm", "-noprogress", "-floatfile", "image.bin"]
    return [str(one) for one in out]


class NanoBragg(Program):
    precision = "fp64"

    def __init__(self, request):
        super().__init__(request)
        self.program = pathlib.Path(request["file"]).expanduser().resolve()
        if not self.program.is_file():
            raise Refused("missing", f"{request['file']} is not there")
        self.folder = tempfile.TemporaryDirectory(prefix="braggbench-nanobragg-")
        self.command = [str(self.program), *arguments(request["problem"], pathlib.Path(self.folder.name))]

    def repeat(self, count):
        for _ in range(count):
            ended = subprocess.run(self.command, cwd=self.folder.name, capture_output=True, text=True, check=False)
            if ended.returncode != 0:
                last = (ended.stderr or ended.stdout).strip().split("\n")[-1]
                raise RuntimeError(f"the program ended with code {ended.returncode}: {last}")

    def answer(self):
        return {"image": np.fromfile(pathlib.Path(self.folder.name) / "image.bin", dtype=np.float32)}

    def facts(self):
        return {"note": "its whole process"}


if __name__ == "__main__":
    serve(NanoBragg)
