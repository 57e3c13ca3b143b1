"""Small measured workloads in CuPy: `array` (expressions), `elementwise` (ElementwiseKernel and ReductionKernel), `raw`
(RawKernel as an expert would write it), `ours` (Braggbench's own kernel in a RawModule: what CuPy itself costs), `jit` (cupyx.jit), `loop`
(the published notes' FFT a slice), `graph` (the launches captured once). Speaks the protocol of README.md."""

from cupy_device import DeviceClock, open_device
from our_kernels import source_of
from protocol import serve
from small_work import AXPY_A, SCALE, SmallProgram

BLOCK = 256


class Library:
    def __init__(self):
        self.cp, self.device, self.versions = open_device()
        self.clock = DeviceClock(self.cp)

    def to_device(self, values):
        return self.cp.asarray(values)

    def to_host(self, values):
        return self.cp.asnumpy(values)

    def free(self):
        self.cp.get_default_memory_pool().free_all_blocks()

    def kernel(self, source, name):
        return self.cp.RawKernel(source, name, options=("--std=c++17",))

    def ours(self, folder, name, *files):
        """A kernel of Braggbench's sources."""
        module = self.cp.RawModule(code=source_of(folder, *files), options=("--std=c++17",))
        return module.get_function(name)


def blocks(n, each=BLOCK):
    return ((n + each - 1) // each,)


def elementwise_array(library, of, _problem):
    out = {}

    def work():
        out["sum"] = (of["a"] + of["b"]) * SCALE

    return work, lambda: [out["sum"]]


def elementwise_kernel(library, of, _problem):
    kernel = library.cp.ElementwiseKernel("T a, T b, T scale", "T out", "out = (a + b) * scale", "scaled_sum")
    out = library.cp.empty_like(of["a"])
    return lambda: kernel(of["a"], of["b"], SCALE, out), lambda: [out]


SCALED_SUM = r"""
extern "C" __global__ void scaled_sum(unsigned n, float scale, const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, quads = n / 4;
  if (i < quads) {
    const float4 x = ((const float4*)a)[i], y = ((const float4*)b)[i];
    ((float4*)out)[i] = make_float4((x.x + y.x) * scale, (x.y + y.y) * scale, (x.z + y.z) * scale, (x.w + y.w) * scale);
  }
  const unsigned rest = 4 * quads + i;
  if (i < 4 && rest < n) out[rest] = (a[rest] + b[rest]) * scale;
}
"""


def elementwise_launched(library, of, problem, kernel):
    n = problem.count("n")
    out = library.cp.empty_like(of["a"])
    arguments = (library.cp.uint32(n), SCALE, of["a"], of["b"], out)
    grid = blocks(max(1, n // 4))
    return lambda: kernel(grid, (BLOCK,), arguments), lambda: [out]


def elementwise_raw(library, of, problem):
    return elementwise_launched(library, of, problem, library.kernel(SCALED_SUM, "scaled_sum"))


def elementwise_ours(library, of, problem):
    kernel = library.ours("micro", "micro_elementwise_16", "launch/elementwise.cu")
    return elementwise_launched(library, of, problem, kernel)


def launch_array(library, of, problem):
    def work():
        for _ in range(problem.count("steps")):
            of["y"] += AXPY_A * of["x"]

    return work, lambda: [of["y"]]


def launch_kernel(library, of, problem):
    kernel = library.cp.ElementwiseKernel("T a, T x", "T y", "y = a * x + y", "axpy")

    def work():
        for _ in range(problem.count("steps")):
            kernel(AXPY_A, of["x"], of["y"])

    return work, lambda: [of["y"]]


AXPY = r"""
extern "C" __global__ void axpy(unsigned n, float a, const float* __restrict__ x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}
"""


def launched(library, of, problem, kernel):
    n = problem.count("n")
    arguments, grid = (library.cp.uint32(n), AXPY_A, of["x"], of["y"]), blocks(n)

    def work():
        for _ in range(problem.count("steps")):
            kernel(grid, (BLOCK,), arguments)

    return work, lambda: [of["y"]]


def launch_raw(library, of, problem):
    return launched(library, of, problem, library.kernel(AXPY, "axpy"))


def launch_ours(library, of, problem):
    return launched(library, of, problem, library.ours("micro", "micro_axpy", "launch/launch.cu"))


def launch_jit(library, of, problem):
    """The same kernel, written in Python and compiled by cupyx.jit."""
    from cupyx import jit

    @jit.rawkernel()
    def axpy(n, a, x, y):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        if i < n:
            y[i] = a * x[i] + y[i]

    return launched(library, of, problem, axpy)


def launch_graph(library, of, problem):
    """CuPy's own capture: the launches of a repetition as one graph."""
    cp = library.cp
    queue, results = launch_raw(library, of, problem)
    before = of["y"].copy()
    queue()  # compiles, which a capture cannot
    of["y"][...] = before
    cp.cuda.Device().synchronize()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        queue()
        graph = stream.end_capture()
    current = cp.cuda.get_current_stream()
    return lambda: graph.launch(current), results


def reduction_array(library, of, _problem):
    out = {}

    def work():
        out["sum"] = of["values"].sum()

    return work, lambda: [out["sum"]]


def reduction_kernel(library, of, _problem):
    kernel = library.cp.ReductionKernel("T value", "T out", "value", "a + b", "out = a", "0", "sum_of")
    out = {}

    def work():
        out["sum"] = kernel(of["values"])

    return work, lambda: [out["sum"]]


SUM = r"""
__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}
extern "C" __global__ void sums(unsigned n, const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float parts[8];
  float mine = 0;
  const unsigned stride = gridDim.x * blockDim.x;
  const float4* quads = (const float4*)in;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += stride) {
    const float4 q = quads[i];
    mine += (q.x + q.y) + (q.z + q.w);
  }
  for (unsigned i = (n & ~3u) + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) mine += in[i];
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  mine = warp_sum(threadIdx.x < 8 ? parts[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) out[blockIdx.x] = mine;
}
"""


def summed(library, of, problem, kernel):
    """A grid that fills the device, then one block."""
    cp, n = library.cp, problem.count("n")
    several = cp.cuda.runtime.getDeviceProperties(cp.cuda.runtime.getDevice())["multiProcessorCount"] * 8
    count = max(1, min(several, blocks(n, 4 * BLOCK)[0]))
    parts, total = cp.empty(count, cp.float32), cp.empty(1, cp.float32)

    def work():
        kernel((count,), (BLOCK,), (cp.uint32(n), of["values"], parts))
        kernel((1,), (BLOCK,), (cp.uint32(count), parts, total))

    return work, lambda: [total]


def reduction_raw(library, of, problem):
    return summed(library, of, problem, library.kernel(SUM, "sums"))


def reduction_ours(library, of, problem):
    kernel = library.ours("micro", "micro_reduce_grid_stride", "patterns/reduction.cu")
    return summed(library, of, problem, kernel)


def fft_loop(library, of, problem):
    """A transform of every row by itself, in a Python loop."""
    cp, radius, length = library.cp, problem.count("radius"), problem.count("length")
    size = length + 2 * radius
    backwards = cp.zeros(size, cp.float32)
    backwards[: 2 * radius + 1] = of["taps"][::-1]
    spectrum, out = cp.fft.rfft(backwards), cp.empty_like(of["rows"])

    def work():
        for row in range(problem.count("rows")):
            whole = cp.fft.irfft(cp.fft.rfft(of["rows"][row], n=size) * spectrum, n=size)
            out[row] = whole[radius : radius + length]

    return work, lambda: [out]


def fft_batched(library, of, problem):
    """The same of all rows at once."""
    cp, radius, length = library.cp, problem.count("radius"), problem.count("length")
    size = length + 2 * radius
    backwards = cp.zeros(size, cp.float32)
    backwards[: 2 * radius + 1] = of["taps"][::-1]
    spectrum, out = cp.fft.rfft(backwards), {}

    def work():
        whole = cp.fft.irfft(cp.fft.rfft(of["rows"], n=size, axis=1) * spectrum, n=size, axis=1)
        out["all"] = whole[:, radius : radius + length]

    return work, lambda: [out["all"]]


CONVOLVE = r"""
extern "C" __global__ void convolve(const float* __restrict__ in, float* __restrict__ out, int rows, int length,
                                    const float* __restrict__ taps, int radius) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= length) return;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const float* row = in + (long long)r * length;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      const int from = at + k;
      if (from >= 0 && from < length) sum = fmaf(taps[k + radius], row[from], sum);
    }
    out[(long long)r * length + at] = sum;
  }
}
"""


def convolved(library, of, problem, kernel):
    rows, length, radius = problem.count("rows"), problem.count("length"), problem.count("radius")
    i32, out = library.cp.int32, library.cp.empty_like(of["rows"])
    arguments = (of["rows"], out, i32(rows), i32(length), of["taps"], i32(radius))
    grid = (blocks(length)[0], min(rows, 65535))
    return lambda: kernel(grid, (BLOCK,), arguments), lambda: [out]


def convolve_raw(library, of, problem):
    return convolved(library, of, problem, library.kernel(CONVOLVE, "convolve"))


def convolve_ours(library, of, problem):
    return convolved(library, of, problem, library.ours("micro", "micro_convolve_rows", "launch/host_loop.cu"))


def gemm(library, of, _problem):
    out = {}

    def work():
        out["c"] = of["a"] @ of["b"]

    return work, lambda: [out["c"]]


def layer_array(library, of, problem):
    cp, out = library.cp, {}

    def forward():
        z = of["x"] @ of["w"].T
        out["all"] = [cp.maximum(z if of["b"] is None else z + of["b"], 0)]

    def backward():
        g = of["dy"] * (of["y"] > 0)
        out["all"] = [g @ of["w"], g.T @ of["x"]] + ([] if of["b"] is None else [g.sum(axis=0)])

    return (forward if problem.words["direction"] == "forward" else backward), lambda: out["all"]


def only_forward(way):
    def checked(library, of, problem):
        if problem.words["direction"] != "forward":
            raise ValueError("this style has the forward direction only")
        return way(library, of, problem)

    return checked


@only_forward
def layer_kernel(library, of, problem):
    """The library's product, then bias and rectifier in one pass that works in place."""
    cp = library.cp
    rectify = cp.ElementwiseKernel("T bias", "T z", "const T s = z + bias; z = s <= T(0) ? T(0) : s", "rectify")
    bias = cp.zeros(problem.count("outputs"), cp.float32) if of["b"] is None else of["b"]
    turned = of["w"].T
    z = cp.empty((problem.count("batch"), problem.count("outputs")), cp.float32)

    def work():
        cp.matmul(of["x"], turned, out=z)
        rectify(bias, z)

    return work, lambda: [z]


@only_forward
def layer_ours(library, of, problem):
    cp, u32 = library.cp, library.cp.uint32
    batch, inputs, outputs = problem.count("batch"), problem.count("inputs"), problem.count("outputs")
    kernel = library.ours("linear_relu", "linear_relu_tiled", "tiled.cu")
    y = cp.empty((batch, outputs), cp.float32)
    bias = cp.uint64(0) if of["b"] is None else of["b"]
    arguments = (of["x"], of["w"], bias, y, u32(batch), u32(outputs), u32(inputs))
    grid = (blocks(outputs, 32)[0], blocks(batch, 32)[0])
    return lambda: kernel(grid, (32, 32), arguments), lambda: [y]


WAYS = {
    "elementwise": {
        "array": elementwise_array,
        "elementwise": elementwise_kernel,
        "raw": elementwise_raw,
        "ours": elementwise_ours,
    },
    "launch": {
        "array": launch_array,
        "elementwise": launch_kernel,
        "raw": launch_raw,
        "ours": launch_ours,
        "jit": launch_jit,
        "graph": launch_graph,
    },
    "reduction": {
        "array": reduction_array,
        "elementwise": reduction_kernel,
        "raw": reduction_raw,
        "ours": reduction_ours,
    },
    "host-loop": {"loop": fft_loop, "array": fft_batched, "raw": convolve_raw, "ours": convolve_ours},
    "gemm": {"array": gemm},
    "": {"array": layer_array, "elementwise": layer_kernel, "ours": layer_ours},
}

if __name__ == "__main__":
    serve(lambda request: SmallProgram(request, Library(), WAYS))
