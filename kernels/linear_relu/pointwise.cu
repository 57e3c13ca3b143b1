#include "rectify.cuh"

// y = max(y + b, 0) in place, [rows][columns]; a grid-stride loop. `bias` may be null.
extern "C" __global__ void linear_relu_rectify(float* __restrict__ y, const float* __restrict__ bias,
                                               unsigned long long count, unsigned columns) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const float z = bias != nullptr ? y[i] + bias[i % columns] : y[i];
    y[i] = rectified(z);
  }
}

// y = f(y + b + r) in place; `bias` and `residual` may be null.
extern "C" __global__ void linear_relu_finish(float* __restrict__ y, const float* __restrict__ bias,
                                              const float* __restrict__ residual, unsigned long long count,
                                              unsigned columns, int activation) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    float z = bias != nullptr ? y[i] + bias[i % columns] : y[i];
    if (residual != nullptr) z += residual[i];
    y[i] = apply_activation(z, activation);
  }
}

// Copies the gradient to `out` where the gate is open. `out` already contains zeros, so the other elements are not
// written.
extern "C" __global__ void linear_relu_gate_cleared(const float* __restrict__ gradient, const float* __restrict__ gate,
                                                    float* __restrict__ out, unsigned long long count) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    if (gate[i] > 0.0f) out[i] = gradient[i];
  }
}

constexpr unsigned kSumColumns = 32, kSumRows = 32;

// Writes gradient[r][c] to `out` (which may be `gradient`) where gate[r][c] > 0, otherwise 0. Writes the sum of each
// column to `sums` unless it is null. A block has 32 x 32 threads and 32 columns. The order of additions is fixed, so
// repeated runs give equal bits.
extern "C" __global__ void __launch_bounds__(kSumColumns* kSumRows)
    linear_relu_gate(const float* gradient, const float* __restrict__ gate, float* out, float* __restrict__ sums,
                     unsigned rows, unsigned columns) {
  __shared__ float partial[kSumRows][kSumColumns + 1];
  const unsigned column = blockIdx.x * kSumColumns + threadIdx.x;
  float sum = 0.0f;
  if (column < columns) {
    for (unsigned row = threadIdx.y; row < rows; row += kSumRows) {
      const unsigned long long at = static_cast<unsigned long long>(row) * columns + column;
      const float value = gated_gradient(gradient[at], gate[at]);
      out[at] = value;
      sum += value;
    }
  }
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < columns && sums != nullptr) {
    float total = 0.0f;
    for (unsigned i = 0; i < kSumRows; ++i) total += partial[i][threadIdx.x];
    sums[column] = total;
  }
}

// Like linear_relu_gate without the sums, but for BF16 bits: values are copied without rounding.
extern "C" __global__ void linear_relu_gate_bf16(const unsigned short* __restrict__ gradient,
                                                 const unsigned short* __restrict__ gate,
                                                 unsigned short* __restrict__ out, unsigned long long count) {
  constexpr unsigned short kInfinity = 0x7f80;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const unsigned short y = gate[i];
    out[i] = y > 0 && y <= kInfinity ? gradient[i] : static_cast<unsigned short>(0);  // positive and not NaN
  }
}
