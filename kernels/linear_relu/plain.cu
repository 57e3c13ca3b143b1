#include "rectify.cuh"

// One thread per output, each with a loop over k. Blocks have 16 x 16 threads.

// The published version v1: neighbouring threads have neighbouring n and read rows of W that are `inputs` apart.
extern "C" __global__ void linear_relu_naive(const float* __restrict__ x, const float* __restrict__ w,
                                             const float* __restrict__ bias, float* __restrict__ y, unsigned batch,
                                             unsigned inputs, unsigned outputs) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
  if (m >= batch || n >= outputs) return;
  const float* row = x + static_cast<unsigned long long>(m) * inputs;
  const float* weights = w + static_cast<unsigned long long>(n) * inputs;
  float z = bias != nullptr ? bias[n] : 0.0f;
  for (unsigned k = 0; k < inputs; ++k) z = fmaf(row[k], weights[k], z);
  y[static_cast<unsigned long long>(m) * outputs + n] = rectified(z);
}

// Like linear_relu_naive, but reads Wᵀ[inputs][outputs]: neighbouring threads read neighbouring addresses.
extern "C" __global__ void linear_relu_coalesced(const float* __restrict__ x, const float* __restrict__ transposed,
                                                 const float* __restrict__ bias, float* __restrict__ y, unsigned batch,
                                                 unsigned inputs, unsigned outputs) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
  if (m >= batch || n >= outputs) return;
  const float* row = x + static_cast<unsigned long long>(m) * inputs;
  float z = bias != nullptr ? bias[n] : 0.0f;
  for (unsigned k = 0; k < inputs; ++k) {
    z = fmaf(row[k], transposed[static_cast<unsigned long long>(k) * outputs + n], z);
  }
  y[static_cast<unsigned long long>(m) * outputs + n] = rectified(z);
}

// out[m][n] = the sum over k of a(m, k) b[k][n], a[m][k] or a[k][m]; neighbouring threads have neighbouring `n`
// (coalesced) or neighbouring `m` (not).
template <bool kTransposed, bool kCoalesced>
__device__ __forceinline__ void plain_product(const float* __restrict__ a, const float* __restrict__ b,
                                              float* __restrict__ out, unsigned rows, unsigned columns,
                                              unsigned depth) {
  const unsigned fast = blockIdx.x * blockDim.x + threadIdx.x, slow = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned n = kCoalesced ? fast : slow, m = kCoalesced ? slow : fast;
  if (m >= rows || n >= columns) return;
  float sum = 0.0f;
  for (unsigned k = 0; k < depth; ++k) {
    const unsigned long long at =
        kTransposed ? static_cast<unsigned long long>(k) * rows + m : static_cast<unsigned long long>(m) * depth + k;
    sum = fmaf(a[at], b[static_cast<unsigned long long>(k) * columns + n], sum);
  }
  out[static_cast<unsigned long long>(m) * columns + n] = sum;
}

#define BB_PLAIN(name, transposed, coalesced)                                                                        \
  extern "C" __global__ void name(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, \
                                  unsigned rows, unsigned columns, unsigned depth) {                                 \
    plain_product<transposed, coalesced>(a, b, out, rows, columns, depth);                                           \
  }

BB_PLAIN(linear_relu_naive_nn, false, false)
BB_PLAIN(linear_relu_naive_tn, true, false)
BB_PLAIN(linear_relu_coalesced_nn, false, true)
BB_PLAIN(linear_relu_coalesced_tn, true, true)
