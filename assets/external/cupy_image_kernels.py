"""Images by CuPy's kernels, compiled for the problem: `elementwise`, an ElementwiseKernel over the pixels, and `raw`, a
RawKernel whose blocks share the orientations."""

import cupy as cp

from diffraction_array import GAUSS_WIDTH2, SPHERE, TOPHAT_RADIUS2
from diffraction_kernels import SHAPES, ImageTables

BLOCK = (32, 8)
TILE = 64  # orientations that are added up in FP32, and that a block shares

PIXEL = r"""
__device__ __forceinline__ double nearest(double x) { return (x + 6755399441055744.0) - 6755399441055744.0; }

__device__ __forceinline__ float row_of_cells(double index, double n) {
  const double part = index - nearest(index), turns = n * part;
  const float below = sinpif((float)part), above = sinpif((float)(turns - nearest(turns)));
  return below == 0.0f ? (float)n : __fdividef(above, below);
}

__device__ __forceinline__ float lattice(double h, double k, double l) {
  if (SHAPE == 0) return row_of_cells(h, CELLS_A) * row_of_cells(k, CELLS_B) * row_of_cells(l, CELLS_C);
  const float x = (float)(CELLS_A * (h - nearest(h))), y = (float)(CELLS_B * (k - nearest(k)));
  const float z = (float)(CELLS_C * (l - nearest(l)));
  const float all = (float)(CELLS_A * CELLS_B * CELLS_C), rho2 = x * x + y * y + z * z;
  if (SHAPE == 2) return all * expf(-rho2 / (float)GAUSS_WIDTH2);
  if (SHAPE == 3) return rho2 < (float)TOPHAT_RADIUS2 ? all : 0.0f;
  const float turns = sqrtf(rho2), around = 3.14159265f * turns, square = around * around;
  if (square < 0.6f) {  // a series, where the difference would cancel
    const float rest = 1.0f - square / 54.0f * (1.0f - square / 88.0f * (1.0f - square / 130.0f));
    return all * (float)SPHERE * (1.0f - square / 10.0f * (1.0f - square / 28.0f * rest));
  }
  return all * (float)SPHERE * 3.0f * (sinpif(turns) / around - cospif(turns)) / square;
}

__device__ __forceinline__ float structure(double h, double k, double l, const int* box, const float* factors) {
  const int i = (int)ceil(h - 0.5) - box[0], j = (int)ceil(k - 0.5) - box[1], m = (int)ceil(l - 0.5) - box[2];
  if (i < 0 || i >= box[3] || j < 0 || j >= box[4] || m < 0 || m >= box[5]) return (float)DEFAULT_F;
  return factors[((long long)i * box[4] + j) * box[5] + m];
}

// Solid angle and polarisation in the direction (x, y, z), `path` away.
__device__ __forceinline__ double correction(double x, double y, double z, double path, const double* light) {
  const double along = light[0] * x + light[1] * y + light[2] * z, cos2 = along * along;
  double polar = 1.0 + cos2;
  if (KAHN != 0.0) {
    const double b = light[3] * x + light[4] * y + light[5] * z, e = light[6] * x + light[7] * y + light[8] * z;
    const double across = b * b + e * e;
    if (across > 0.0) polar -= KAHN * (e * e - b * b) / across * (1.0 - cos2);
  }
  return 0.5 * polar * (PIXEL_M * PIXEL_M * CLOSE_M / (path * path * path));
}

// Photons of a pixel. `load(first, count)` tells where the edges of the orientations first, first + 1, ... are.
template <typename Load>
__device__ __forceinline__ float photons(int fast, int slow, const double* plate, const double* rays,
                                         const double* lights, const int* box, const float* factors, Load load) {
  double total = 0.0, whole = 1.0;
  for (int ss = 0; ss < OVERSAMPLE; ++ss) {
    for (int sf = 0; sf < OVERSAMPLE; ++sf) {
      const double f = fast * OVERSAMPLE + sf, t = slow * OVERSAMPLE + ss;
      double x = plate[0] + f * plate[3] + t * plate[6], y = plate[1] + f * plate[4] + t * plate[7];
      double z = plate[2] + f * plate[5] + t * plate[8];
      const double square = x * x + y * y + z * z, shorten = rsqrt(square), path = square * shorten;
      x *= shorten;
      y *= shorten;
      z *= shorten;
      if (!EACH && ss + sf == 0) whole = correction(x, y, z, path, lights);
      for (int source = 0; source < SOURCES; ++source) {
        const double* ray = rays + 4 * source;
        const double qx = (x - ray[0]) * ray[3], qy = (y - ray[1]) * ray[3], qz = (z - ray[2]) * ray[3];
        const double weight = EACH ? correction(x, y, z, path, lights + 9 * source) : 1.0;
        for (int first = 0; first < ORIENTATIONS; first += TILE) {
          const int count = ORIENTATIONS - first < TILE ? ORIENTATIONS - first : TILE;
          const double* edges = load(first, count);
          float sum = 0.0f;
          for (int n = 0; n < count; ++n, edges += 9) {
            const double h = edges[0] * qx + edges[1] * qy + edges[2] * qz;
            const double k = edges[3] * qx + edges[4] * qy + edges[5] * qz;
            const double l = edges[6] * qx + edges[7] * qy + edges[8] * qz;
            const float amplitude = lattice(h, k, l) * (TABLE ? structure(h, k, l, box, factors) : (float)DEFAULT_F);
            sum += amplitude * amplitude;
          }
          total += weight * (double)sum;
        }
      }
    }
  }
  return (float)(SCALE * whole * total);
}
"""

RAW = r"""
extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
    image(const double* __restrict__ plate, const double* __restrict__ rays, const double* __restrict__ lights,
          const double* __restrict__ edges, const int* __restrict__ box, const float* __restrict__ factors,
          float* __restrict__ out) {
  __shared__ double tile[9 * TILE];
  const int fast = blockIdx.x * BLOCK_X + threadIdx.x, slow = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int thread = threadIdx.x + threadIdx.y * BLOCK_X;
  const auto load = [&](int first, int count) {
    __syncthreads();  // the tile before is read
    for (int i = thread; i < 9 * count; i += BLOCK_X * BLOCK_Y) tile[i] = edges[9 * first + i];
    __syncthreads();
    return (const double*)tile;
  };
  // Threads beyond the edge load with the others.
  const float value = photons(min(fast, WIDTH - 1), min(slow, HEIGHT - 1), plate, rays, lights, box, factors, load);
  if (fast < WIDTH && slow < HEIGHT) out[slow * WIDTH + fast] = value;
}
"""

ELEMENT = """
    out = photons(i % WIDTH, i / WIDTH, &plate[0], &rays[0], &lights[0], &box[0], &factors[0],
                  [&](int first, int) { return &edges[0] + 9 * first; });
"""
GIVEN = "raw float64 plate, raw float64 rays, raw float64 lights, raw float64 edges, raw int32 box, raw float32 factors"


def constants(model):
    """What the compiler is to know about the problem."""
    numbers = {
        **dict(zip(("CELLS_A", "CELLS_B", "CELLS_C"), (float(n) for n in model.cells))),
        **{"SHAPE": SHAPES.index(model.shape), "TILE": TILE, "BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]},
        **{"WIDTH": int(model.width), "HEIGHT": int(model.height), "OVERSAMPLE": int(model.oversample)},
        **{"SOURCES": len(model.sources), "ORIENTATIONS": len(model.orientations), "EACH": int(model.each)},
        **{"TABLE": int(model.table is not None), "DEFAULT_F": float(model.default_f), "KAHN": float(model.kahn)},
        **{"PIXEL_M": float(model.pixel), "CLOSE_M": float(model.close), "SCALE": float(model.scale)},
        **{"GAUSS_WIDTH2": GAUSS_WIDTH2, "TOPHAT_RADIUS2": TOPHAT_RADIUS2, "SPHERE": SPHERE},
    }
    return "".join(f"#define {name} ({value!r})\n" for name, value in numbers.items())


def uploaded(model):
    tables = ImageTables(model)
    names = ("plate", "rays", "lights", "edges", "box", "factors")
    return [cp.asarray(getattr(tables, name)) for name in names], cp.empty((model.height, model.width), cp.float32)


def elementwise(model):
    kernel = cp.ElementwiseKernel(GIVEN, "float32 out", ELEMENT, "image", preamble=constants(model) + PIXEL)
    arrays, image = uploaded(model)
    return lambda: kernel(*arrays, image), image


def raw(model):
    kernel = cp.RawKernel(constants(model) + PIXEL + RAW, "image", options=("--std=c++17",))
    arrays, image = uploaded(model)
    grid = (-(-model.width // BLOCK[0]), -(-model.height // BLOCK[1]))
    return lambda: kernel(grid, BLOCK, (*arrays, image)), image
