// Copies 16-byte words, the widest access of a thread. Each thread has four loads in flight before its first store; the
// accesses of a block are contiguous. `count` is a multiple of 4 * blockDim.x, and the grid covers it.
extern "C" __global__ void probe_copy(const uint4* __restrict__ from, uint4* __restrict__ to) {
  const unsigned long long first = 4ull * blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned stride = blockDim.x;
  const uint4 a = from[first];
  const uint4 b = from[first + stride];
  const uint4 c = from[first + 2 * stride];
  const uint4 d = from[first + 3 * stride];
  to[first] = a;
  to[first + stride] = b;
  to[first + 2 * stride] = c;
  to[first + 3 * stride] = d;
}
