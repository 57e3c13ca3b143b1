"""The small measured workloads as every library is given them: inputs on the host, and what is compared."""

import numpy as np

from made_up import sampled, uniform_values
from protocol import Program, Refused

SCALE = np.float32(0.75)
AXPY_A = np.float32(1.0 / 1024.0)
GEMM_SAMPLES = 1 << 12


def elementwise(problem):
    n, seed = problem.count("n"), problem.seed
    return {"a": uniform_values(n, seed), "b": uniform_values(n, seed + 1)}


def launch(problem):
    n, seed = problem.count("n"), problem.seed
    return {"x": uniform_values(n, seed), "y": uniform_values(n, seed + 1)}


def reduction(problem):
    return {"values": uniform_values(problem.count("n"), problem.seed) + np.float32(1)}


def host_loop(problem):
    rows, length, radius = problem.count("rows"), problem.count("length"), problem.count("radius")
    return {
        "rows": uniform_values(rows * length, problem.seed).reshape(rows, length),
        "taps": uniform_values(2 * radius + 1, problem.seed + 1),
    }


def gemm(problem):
    m, n, k = problem.count("m"), problem.count("n"), problem.count("k")
    return {
        "a": uniform_values(m * k, problem.seed).reshape(m, k),
        "b": uniform_values(k * n, problem.seed + 1).reshape(k, n),
    }


def layer(problem):
    """x[batch][inputs], w[outputs][inputs], b[outputs], and of the gradients dy and y, the layer's own output."""
    batch, inputs, outputs = problem.count("batch"), problem.count("inputs"), problem.count("outputs")
    direction, values = problem.words["direction"], problem.words["values"]
    if direction == "through":
        raise Refused("unsupported", "problem.direction = through: these programs have forward and backward")
    zero = values == "zero"

    def made(rows, columns, which):
        return uniform_values(rows * columns, problem.seed + 16 * which).reshape(rows, columns)

    out = {
        "x": made(batch, inputs, 0),
        "w": np.zeros((outputs, inputs), np.float32) if zero else made(outputs, inputs, 1),
        "b": np.zeros(outputs, np.float32) if zero else made(1, outputs, 2)[0],
    }
    if values == "with-nan":
        for row in range(3 % batch, batch, 7):
            out["x"][row, row * 13 % inputs] = np.nan
    if not problem.switches["bias"]:
        out["b"] = None
    if direction == "backward":
        out["dy"] = made(batch, outputs, 3)
        y = made(batch, outputs, 4)
        out["y"] = np.where(zero | (y < 0), np.float32(0), y)
    return out


INPUTS = {
    "elementwise": elementwise,
    "launch": launch,
    "reduction": reduction,
    "host-loop": host_loop,
    "gemm": gemm,
    "": layer,
}


class Problem:
    """What is asked, by name."""

    def __init__(self, asked):
        self.bench, self.seed = asked["bench"], int(asked["seed"])
        self.numbers, self.words, self.switches = asked["numbers"], asked["words"], asked["switches"]

    def count(self, name):
        return int(self.numbers[name])


class SmallProgram(Program):
    """A library's way to do a bench. `ways[bench][style](library, inputs, problem)` gives two functions: one that does
    a repetition, and one that gives the results as a list of arrays, in the engine's order."""

    def __init__(self, request, library, ways):
        super().__init__(request)
        self.library, self.problem = library, Problem(request["problem"])
        style, styles = request["style"], ways.get(self.problem.bench, {})
        if style not in styles:
            known = ", ".join(styles) or "none"
            raise Refused("unsupported", f"style {style!r} does not solve {self.problem.bench}; those that do: {known}")
        self.way = styles[style]
        self.device, self.versions, self.clock = library.device, library.versions, library.clock
        self.work = None

    def prepare(self):
        with self.part("inputs"):
            inputs = INPUTS[self.problem.bench](self.problem)
            moved = {name: None if one is None else self.library.to_device(one) for name, one in inputs.items()}
            self.work, self.results = self.way(self.library, moved, self.problem)
            self.clock.start()
            self.clock.stop()

    def repeat(self, count):
        for _ in range(count):
            self.work()

    def answer(self):
        host = [np.asarray(self.library.to_host(one), dtype=np.float64).ravel() for one in self.results()]
        # All results are compared, but for products; a layer's output of its other direction is empty.
        if self.problem.bench == "gemm":
            host = [sampled(one, GEMM_SAMPLES) for one in host]
        elif self.problem.bench == "" and self.problem.words["direction"] == "backward":
            host = [np.empty(0), *host, *([np.empty(0)] if len(host) == 2 else [])]
        return {f"result{i}": one for i, one in enumerate(host)}

    def close(self):
        self.work = self.results = None
        self.library.free()
