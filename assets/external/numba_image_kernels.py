"""The kernel of numba_diffraction.py, compiled for a problem. Imported once Numba and a device are there."""

import math

from diffraction_array import GAUSS_WIDTH2, SPHERE, TOPHAT_RADIUS2
from numba import cuda, float32, float64, int32

BLOCK = (32, 8)
TILE = 64  # orientations that are added up in FP32, and that a block shares
ROUND = 6755399441055744.0  # what is added to it leaves no digit behind the point
PI = float32(math.pi)


@cuda.jit(device=True)
def nearest(x):
    return (x + ROUND) - ROUND


@cuda.jit(device=True)
def row_of_cells(index, n):
    part = index - nearest(index)
    turns = n * part
    below = float32(math.sin(PI * float32(part)))
    if below == 0:
        return float32(n)
    return float32(math.sin(PI * float32(turns - nearest(turns)))) / below


@cuda.jit(device=True)
def sphere(turns):
    around = PI * turns
    square = around * around
    if square < float32(0.6):  # a series, where the difference would cancel
        rest = float32(1) - square / float32(54) * (
            float32(1) - square / float32(88) * (float32(1) - square / float32(130))
        )
        return float32(1) - square / float32(10) * (float32(1) - square / float32(28) * rest)
    return float32(3) * (float32(math.sin(around)) / around - float32(math.cos(around))) / square


@cuda.jit(device=True)
def correction(x, y, z, path, lights, source, kahn, foot):
    """Solid angle and polarisation in the direction (x, y, z), `path` away."""
    along = lights[source, 0] * x + lights[source, 1] * y + lights[source, 2] * z
    cos2 = along * along
    polar = 1.0 + cos2
    if kahn != 0.0:
        b = lights[source, 3] * x + lights[source, 4] * y + lights[source, 5] * z
        e = lights[source, 6] * x + lights[source, 7] * y + lights[source, 8] * z
        across = b * b + e * e
        if across > 0.0:
            polar -= kahn * (e * e - b * b) / across * (1.0 - cos2)
    return 0.5 * polar * (foot / (path * path * path))


def image_kernel(model, shape):
    """A kernel that knows the problem's numbers; what it does not need is left out when it is compiled."""
    width, height, oversample = int(model.width), int(model.height), int(model.oversample)
    sources, orientations = len(model.sources), len(model.orientations)
    cells_a, cells_b, cells_c = (float(n) for n in model.cells)
    each, listed, default = bool(model.each), model.table is not None, float32(model.default_f)
    kahn, foot, scale = float(model.kahn), float(model.pixel**2 * model.close), float(model.scale)
    all_cells = float32(cells_a * cells_b * cells_c)

    @cuda.jit(device=True)
    def lattice(h, k, l):  # noqa: E741
        if shape == 0:
            return row_of_cells(h, cells_a) * row_of_cells(k, cells_b) * row_of_cells(l, cells_c)
        x = float32(cells_a * (h - nearest(h)))
        y = float32(cells_b * (k - nearest(k)))
        z = float32(cells_c * (l - nearest(l)))
        rho2 = x * x + y * y + z * z
        if shape == 2:
            return all_cells * float32(math.exp(-rho2 / float32(GAUSS_WIDTH2)))
        if shape == 3:
            return all_cells if rho2 < float32(TOPHAT_RADIUS2) else float32(0)
        return all_cells * float32(SPHERE) * sphere(float32(math.sqrt(rho2)))

    @cuda.jit(device=True)
    def structure(h, k, l, box, factors):  # noqa: E741
        i = int32(math.ceil(h - 0.5)) - box[0]
        j = int32(math.ceil(k - 0.5)) - box[1]
        m = int32(math.ceil(l - 0.5)) - box[2]
        if i < 0 or i >= box[3] or j < 0 or j >= box[4] or m < 0 or m >= box[5]:
            return default
        return factors[(i * box[4] + j) * box[5] + m]

    @cuda.jit
    def draw(plate, rays, lights, edges, box, factors, out):
        tile = cuda.shared.array((TILE, 9), float64)
        fast, slow = cuda.grid(2)
        thread = cuda.threadIdx.x + cuda.threadIdx.y * BLOCK[0]
        # Threads beyond the edge load with the others.
        f0 = fast if fast < width else width - 1
        s0 = slow if slow < height else height - 1
        total, whole = 0.0, 1.0
        for ss in range(oversample):
            for sf in range(oversample):
                f, t = float64(f0 * oversample + sf), float64(s0 * oversample + ss)
                x = plate[0] + f * plate[3] + t * plate[6]
                y = plate[1] + f * plate[4] + t * plate[7]
                z = plate[2] + f * plate[5] + t * plate[8]
                path = math.sqrt(x * x + y * y + z * z)
                shorten = 1.0 / path
                x *= shorten
                y *= shorten
                z *= shorten
                if not each and ss + sf == 0:
                    whole = correction(x, y, z, path, lights, 0, kahn, foot)
                for source in range(sources):
                    qx = (x - rays[source, 0]) * rays[source, 3]
                    qy = (y - rays[source, 1]) * rays[source, 3]
                    qz = (z - rays[source, 2]) * rays[source, 3]
                    weight = correction(x, y, z, path, lights, source, kahn, foot) if each else 1.0
                    for first in range(0, orientations, TILE):
                        count = min(orientations - first, TILE)
                        cuda.syncthreads()  # the tile before is read
                        for i in range(thread, 9 * count, BLOCK[0] * BLOCK[1]):
                            tile[i // 9, i % 9] = edges[first + i // 9, i % 9]
                        cuda.syncthreads()
                        part = float32(0)
                        for n in range(count):
                            h = tile[n, 0] * qx + tile[n, 1] * qy + tile[n, 2] * qz
                            k = tile[n, 3] * qx + tile[n, 4] * qy + tile[n, 5] * qz
                            l = tile[n, 6] * qx + tile[n, 7] * qy + tile[n, 8] * qz  # noqa: E741
                            amplitude = lattice(h, k, l)
                            amplitude *= structure(h, k, l, box, factors) if listed else default
                            part += amplitude * amplitude
                        total += weight * float64(part)
        if fast < width and slow < height:
            out[slow, fast] = float32(scale * whole * total)

    return draw
