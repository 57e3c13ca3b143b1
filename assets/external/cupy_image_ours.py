"""Images by Braggbench's own kernel of `diffraction-cuda-mixed`, compiled and launched by CuPy: what CuPy itself costs."""

import cupy as cp
import numpy as np

from cupy_device import architecture
from device_structs import POINTER, filled, layout_checks, struct
from diffraction_kernels import SHAPES, ImageTables
from our_kernels import COMPILED, constant_checks, constants_of, source_of

WARP = 32
HEIGHT = ("kBlockHeight",)
OF = "bb::diffraction::device::"


def floats(*names):
    return struct(*((name, np.float32) for name in names))


def doubles(*names):
    return struct(*((name, np.float64) for name in names))


AXES = ("x", "y", "z")
CORNERS = ("a", "b", "c")
VECTOR, SHORT_VECTOR = doubles(*AXES), floats(*AXES)
DETECTOR = struct(*((name, VECTOR) for name in ("fast", "slow", "normal", "origin")), ("close", np.float64))
PLATE = struct(
    *((name, np.int32) for name in ("width", "height", "oversample", "layers")),
    *((name, np.float64) for name in ("pixel", "subpixel", "layer", "attenuation_depth")),
    *(("detector", DETECTOR), ("kahn", np.float64)),
)
LIGHT = struct(
    *((name, SHORT_VECTOR) for name in ("incident", "magnetic", "electric", "normal")),
    *(("nearest", np.float32), ("kahn", np.float32)),
)
FACTORS = struct(
    ("other", np.float32),
    *((name, np.int32) for name in ("h0", "k0", "l0")),
    *((name, np.uint32) for name in ("nh", "nk", "nl")),
    ("table", POINTER),
)
SETUP = struct(
    ("plate", PLATE),
    *((name, VECTOR) for name in ("first", "fast", "slow", "deep")),
    *((name, SHORT_VECTOR) for name in ("surface", "across", "down")),
    *(("light", LIGHT), ("cells64", doubles(*CORNERS)), ("cells", floats(*CORNERS))),
    *(("shape", np.int32), ("lookup", np.int32), ("each", np.bool_), ("weighted", np.bool_), ("table", np.bool_)),
    *((name, np.float64) for name in ("f2", "scale", "water")),
    *((name, np.int32) for name in ("sources", "orientations", "phis", "domains")),
    *((name, POINTER) for name in ("source", "rays", "edges")),
    *(("factors", FACTORS), ("mounted", struct(*((name, VECTOR) for name in CORNERS))), ("spindle", VECTOR)),
    *((name, POINTER) for name in ("phi", "domain", "cancelled")),
)


def source():
    """The kernel, and lines that hold its structures to those above."""
    of = "bb::diffraction::"
    structs = ((f"{of}Detector", DETECTOR), (f"{of}Plate", PLATE), (f"{OF}Light<float>", LIGHT))
    structs += ((f"{of}FactorBox<float>", FACTORS), (f"{OF}DeviceSetup<double, float>", SETUP))
    constants = constant_checks(OF, (*HEIGHT, "kBlockWidth"), (*block_height(), WARP))
    shapes = constant_checks(f"(int){of}Shape::", ("kSquare", "kRound", "kGauss", "kTophat"), range(len(SHAPES)))
    constants += f'static_assert(sizeof({OF}Edges<double>) == 80 && sizeof({of}Source) == 80, "edges, sources");\n'
    return source_of("diffraction", "cuda/arithmetic/cuda_mixed.cu") + constants + shapes + layout_checks(structs)


def block_height():
    return constants_of("diffraction", "cuda/device_pixel.hpp", HEIGHT, architecture(cp))


def setup_of(model, tables, arrays):
    def vector(v):
        return tuple(float(one) for one in v)

    detector = filled(DETECTOR, close=model.close)
    for name, v in (("fast", model.fast), ("slow", model.slow), ("normal", model.normal), ("origin", model.origin)):
        detector[name] = vector(v)
    sizes = {"width": model.width, "height": model.height, "oversample": model.oversample, "layers": 1}
    plate = filled(PLATE, **sizes, pixel=model.pixel, subpixel=model.subpixel, detector=detector, kahn=model.kahn)
    direction, _, magnetic, electric = model.sources[0]
    light = filled(LIGHT, nearest=(model.pixel / model.close) ** 2, kahn=model.kahn)
    light["incident"], light["magnetic"] = vector(direction), vector(magnetic)
    light["electric"], light["normal"] = vector(electric), vector(model.normal)
    box = dict(zip(("h0", "k0", "l0", "nh", "nk", "nl"), tables.box))
    factors = filled(FACTORS, other=model.default_f, table=arrays["factors"].data.ptr, **box)
    first, table = tables.plate[:3], model.table is not None
    return filled(
        SETUP,
        **{"plate": plate, "light": light, "factors": factors},
        **{"first": vector(first), "fast": vector(tables.plate[3:6]), "slow": vector(tables.plate[6:9])},
        **{"surface": vector(first), "across": vector(model.pixel * model.fast)},
        **{"down": vector(model.pixel * model.slow), "cells64": vector(model.cells), "cells": vector(model.cells)},
        **{"shape": SHAPES.index(model.shape), "each": model.each, "weighted": model.each, "table": table},
        **{"f2": 1.0 if table else float(model.default_f) ** 2, "scale": model.scale},
        **{"sources": len(model.sources), "orientations": len(model.orientations)},
        **{name: arrays[name].data.ptr for name in ("source", "rays", "edges")},
    )


def ours(model):
    tables = ImageTables(model)
    wide = np.zeros((len(tables.edges), 10))  # an orientation is aligned to 16 bytes
    wide[:, :9] = tables.edges
    beams = np.array([[*d, wavelength, *magnetic, *electric] for d, wavelength, magnetic, electric in model.sources])
    values = {"edges": wide, "rays": tables.rays, "source": beams, "factors": tables.factors}
    arrays = {name: cp.asarray(one) for name, one in values.items()}
    setup = setup_of(model, tables, arrays)
    plain = model.shape == "square" and not model.each and model.table is None
    module = cp.RawModule(code=source(), options=COMPILED)
    kernel = module.get_function("diffraction_mixed_plain" if plain else "diffraction_mixed")
    image = cp.empty((model.height, model.width), cp.float32)
    block = (WARP, *block_height())
    grid = (-(-model.width // block[0]), -(-model.height // block[1]))
    # `arrays` lives as long as what draws from it.
    return lambda: arrays and kernel(grid, block, (setup, np.int32(0), np.int32(model.height), image)), image
