"""The kernels of numba_small.py: CUDA in Python, as an expert would write it. Imported once Numba and a device are there."""

from numba import cuda, float32

BLOCK = 256
WARPS = BLOCK // 32
TILE = 32
WHOLE_WARP = 0xFFFFFFFF


@cuda.jit
def scaled_sum(a, b, scale, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = (a[i] + b[i]) * scale


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def sums(values, out):
    """A sum a block: a walk over the array, then shuffles within warps."""
    parts = cuda.shared.array(WARPS, float32)
    t = cuda.threadIdx.x
    stride = cuda.gridDim.x * cuda.blockDim.x
    mine = float32(0)
    i = cuda.grid(1)
    while i < values.size:
        mine += values[i]
        i += stride
    offset = 16
    while offset > 0:
        mine += cuda.shfl_down_sync(WHOLE_WARP, mine, offset)
        offset //= 2
    if t % 32 == 0:
        parts[t // 32] = mine
    cuda.syncthreads()
    if t < 32:
        mine = parts[t] if t < WARPS else float32(0)
        offset = 16
        while offset > 0:
            mine += cuda.shfl_down_sync(WHOLE_WARP, mine, offset)
            offset //= 2
        if t == 0:
            out[cuda.blockIdx.x] = mine


@cuda.jit
def convolve(rows, taps, radius, out):
    at = cuda.grid(1)
    if at >= rows.shape[1]:
        return
    row = cuda.blockIdx.y
    while row < rows.shape[0]:
        total = float32(0)
        for k in range(-radius, radius + 1):
            source = at + k
            if source >= 0 and source < rows.shape[1]:
                total += taps[k + radius] * rows[row, source]
        out[row, at] = total
        row += cuda.gridDim.y


@cuda.jit
def forward(x, w, b, y):
    """Tiles of both operands in shared memory; bias and rectifier before the result is written."""
    left = cuda.shared.array((TILE, TILE + 1), float32)
    right = cuda.shared.array((TILE, TILE + 1), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    m, first_n = cuda.blockIdx.y * TILE + ty, cuda.blockIdx.x * TILE
    depth = x.shape[1]
    total = float32(0)
    for first_k in range(0, depth, TILE):
        inside = first_k + tx < depth
        left[ty, tx] = x[m, first_k + tx] if inside and m < x.shape[0] else float32(0)
        right[tx, ty] = w[first_n + ty, first_k + tx] if inside and first_n + ty < w.shape[0] else float32(0)
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    n = first_n + tx
    if m < y.shape[0] and n < y.shape[1]:
        total += b[n]
        # Not a maximum: what is not a number stays so.
        y[m, n] = float32(0) if total <= float32(0) else total
