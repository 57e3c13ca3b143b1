"""Small measured workloads in PyTorch: `eager`, and `compile` by torch.compile, with the details of torch_device.py. `-tf32`
lets matrix products round their factors to TF32, which eager PyTorch does not by default. `-view` and `-reshape` give the
layer images of rows and columns instead of vectors. Speaks the protocol of README.md."""

import math

from protocol import Refused, serve
from small_work import AXPY_A, SCALE, SmallProgram
from torch_device import Library


def elementwise(library, of, _problem):
    formula = library.compiled(lambda a, b: (a + b) * float(SCALE))
    out = {}

    def work():
        out["sum"] = formula(of["a"], of["b"])

    return work, lambda: [out["sum"]]


def launch(library, of, problem):
    def steps(x, y):
        for _ in range(problem.count("steps")):
            y.add_(x, alpha=float(AXPY_A))
        return y

    run = library.compiled(steps)
    return lambda: run(of["x"], of["y"]), lambda: [of["y"]]


def reduction(library, of, _problem):
    formula = library.compiled(lambda values: values.sum())
    out = {}

    def work():
        out["sum"] = formula(of["values"])

    return work, lambda: [out["sum"]]


def convolve_rows(library, of, problem):
    import torch

    rows, taps = of["rows"][:, None, :], of["taps"][None, None, :]
    radius = problem.count("radius")
    formula = library.compiled(lambda x, t: torch.nn.functional.conv1d(x, t, padding=radius))
    out = {}

    def work():
        out["all"] = formula(rows, taps)

    return work, lambda: [out["all"]]


def gemm(library, of, _problem):
    formula = library.compiled(lambda a, b: a @ b)
    out = {}

    def work():
        out["c"] = formula(of["a"], of["b"])

    return work, lambda: [out["c"]]


def images_of(inputs):
    """Rows and columns of an image of so many pixels, as nearly square as they can be."""
    rows = next(n for n in range(math.isqrt(inputs), 0, -1) if inputs % n == 0)
    return rows, inputs // rows


def forward_layer(library, of, x, vectors):
    import torch

    linear = torch.nn.functional.linear
    formula = library.compiled(lambda x, w, b: torch.relu(linear(vectors(x), w, b)))
    out = {}

    def forward():
        out["all"] = [formula(x, of["w"], of["b"])]

    return forward, lambda: out["all"]


def viewed_layer(library, of, problem):
    """Images lie as their vectors do, so that `view` moves nothing."""
    batch, inputs = problem.count("batch"), problem.count("inputs")
    forward_only(problem)
    return forward_layer(library, of, of["x"].view(batch, *images_of(inputs)), lambda x: x.view(batch, inputs))


def reshaped_layer(library, of, problem):
    """Images lie column by column, so that `reshape` copies them each time; `view` refuses them."""
    batch, inputs = problem.count("batch"), problem.count("inputs")
    forward_only(problem)
    x = of["x"].view(batch, *images_of(inputs)).transpose(1, 2).contiguous().transpose(1, 2)
    return forward_layer(library, of, x, lambda x: x.reshape(batch, inputs))


def forward_only(problem):
    if problem.words["direction"] != "forward":
        raise Refused("unsupported", f"problem.direction = {problem.words['direction']}: images are of forward alone")


def layer(library, of, problem):
    if problem.words["direction"] == "forward":
        return forward_layer(library, of, of["x"], lambda x: x)
    out = {}

    def gradients(dy, y, x, w):
        g = dy * (y > 0)
        return [g @ w, g.T @ x] + ([] if of["b"] is None else [g.sum(dim=0)])

    formula = library.compiled(gradients)

    def backward():
        out["all"] = formula(of["dy"], of["y"], of["x"], of["w"])

    return backward, lambda: out["all"]


STYLES = ("eager", "compile", "eager-tf32", "compile-tf32", "eager-cpu")
STYLES += ("compile-overhead", "compile-autotune", "compile-cached")
IMAGES = {"eager-view": viewed_layer, "eager-reshape": reshaped_layer}


def everywhere(way):
    return {style: way for style in STYLES}


WAYS = {
    "elementwise": everywhere(elementwise),
    "launch": everywhere(launch),
    "reduction": everywhere(reduction),
    "host-loop": everywhere(convolve_rows),
    "gemm": everywhere(gemm),
    "": everywhere(layer) | IMAGES,
}


def program(request):
    library = Library(request["style"])
    out = SmallProgram(request, library, WAYS)
    out.precision = library.precision if out.problem.bench in ("gemm", "") else "fp32"
    return out


if __name__ == "__main__":
    serve(program)
