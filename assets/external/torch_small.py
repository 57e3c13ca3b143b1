"""Small measured workloads in PyTorch: `eager`, and `compile` by torch.compile; `-tf32` lets matrix products round their
factors to TF32, which eager PyTorch does not by default; `-cpu` runs on the CPU. Speaks the protocol of README.md."""

from protocol import serve
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


def layer(library, of, problem):
    import torch

    linear = torch.nn.functional.linear
    out = {}
    if problem.words["direction"] == "forward":
        formula = library.compiled(lambda x, w, b: torch.relu(linear(x, w, b)))

        def forward():
            out["all"] = [formula(of["x"], of["w"], of["b"])]

        return forward, lambda: out["all"]

    def gradients(dy, y, x, w):
        g = dy * (y > 0)
        return [g @ w, g.T @ x] + ([] if of["b"] is None else [g.sum(dim=0)])

    formula = library.compiled(gradients)

    def backward():
        out["all"] = formula(of["dy"], of["y"], of["x"], of["w"])

    return backward, lambda: out["all"]


STYLES = ("eager", "compile", "eager-tf32", "compile-tf32", "eager-cpu")


def everywhere(way):
    return {style: way for style in STYLES}


WAYS = {
    "elementwise": everywhere(elementwise),
    "launch": everywhere(launch),
    "reduction": everywhere(reduction),
    "host-loop": everywhere(convolve_rows),
    "gemm": everywhere(gemm),
    "": everywhere(layer),
}


def program(request):
    library = Library(request["style"])
    out = SmallProgram(request, library, WAYS)
    out.precision = library.precision if out.problem.bench in ("gemm", "") else "fp32"
    return out


if __name__ == "__main__":
    serve(program)
