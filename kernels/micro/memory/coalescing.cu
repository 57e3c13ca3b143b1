// Row 4 of the table of performance claims: out[i] = in[offset + stride * order(i)], with elements of 4, 8 and 16
// bytes.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Thread i reads its element directly: neighbouring lanes are `stride` elements apart.
template <typename T>
__device__ void copy_direct(unsigned n, unsigned stride, unsigned offset, const T* __restrict__ in,
                            T* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = in[static_cast<unsigned long long>(i) * stride + offset];
}

/// Like copy_direct, but reads through an index table with any order.
template <typename T>
__device__ void copy_indexed(unsigned n, unsigned stride, unsigned offset, const unsigned* __restrict__ order,
                             const T* __restrict__ in, T* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = in[static_cast<unsigned long long>(order[i]) * stride + offset];
}

/// A block copies everything between its first and last element to shared memory with coalesced accesses, and selects
/// its elements there. `shared_bytes` of the launch: blockDim.x * stride * sizeof(T).
template <typename T>
__device__ void copy_staged(unsigned n, unsigned stride, unsigned offset, const T* __restrict__ in,
                            T* __restrict__ out) {
  extern __shared__ uint4 staged_bytes[];
  T* staged = reinterpret_cast<T*>(staged_bytes);
  const unsigned first = blockIdx.x * blockDim.x;
  if (first >= n) return;
  const unsigned elements = min(blockDim.x, n - first);
  const unsigned span = (elements - 1) * stride + 1;
  const T* from = in + static_cast<unsigned long long>(first) * stride + offset;
  for (unsigned j = threadIdx.x; j < span; j += blockDim.x) staged[j] = from[j];
  __syncthreads();
  if (threadIdx.x < elements) out[first + threadIdx.x] = staged[threadIdx.x * stride];
}

#define BB_COPY_KERNELS(bytes, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256)                                                  \
      micro_copy_direct_##bytes(unsigned n, unsigned stride, unsigned offset, const T* in, T* out) { \
    copy_direct(n, stride, offset, in, out);                                                         \
  }                                                                                                  \
  extern "C" __global__ void __launch_bounds__(256) micro_copy_indexed_##bytes(                      \
      unsigned n, unsigned stride, unsigned offset, const unsigned* order, const T* in, T* out) {    \
    copy_indexed(n, stride, offset, order, in, out);                                                 \
  }                                                                                                  \
  extern "C" __global__ void __launch_bounds__(256)                                                  \
      micro_copy_staged_##bytes(unsigned n, unsigned stride, unsigned offset, const T* in, T* out) { \
    copy_staged(n, stride, offset, in, out);                                                         \
  }
BB_COPY_KERNELS(4, float)
BB_COPY_KERNELS(8, float2)
BB_COPY_KERNELS(16, float4)
#undef BB_COPY_KERNELS

}  // namespace bb::micro
