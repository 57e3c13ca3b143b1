// Row 8 of the table of performance claims: each lane reads `reads` words of shared memory, `stride` words away from
// its neighbour's. The hardware repeats the access 32 / n times, where n is the number of banks that the stride
// reaches.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr unsigned kBankWords = 1024;  // a power of two; word j holds a hash of j

__device__ inline unsigned bank_value(unsigned j) { return j * 2654435761u; }

/// `out[thread]` is the sum of the words that the thread read; `cycles[block]` are the clock cycles of the block's
/// first warp.
template <typename Place>
__device__ void read_strided(unsigned stride, int reads, unsigned* out, long long* cycles, Place&& place) {
  __shared__ unsigned words[kBankWords + kBankWords / 32];
  for (unsigned j = threadIdx.x; j < kBankWords; j += blockDim.x) words[place(j)] = bank_value(j);
  __syncthreads();
  unsigned at = threadIdx.x * stride % kBankWords, sum = 0;
  const long long start = clock64();
  for (int r = 0; r < reads; ++r) {
    // volatile, because the same word may be read again.
    sum += *static_cast<volatile unsigned*>(words + place(at));
    at = (at + 32 * stride) % kBankWords;
  }
  const long long taken = clock64() - start + (sum == 1 ? 1 : 0);
  out[global_thread()] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = taken;
}

extern "C" __global__ void __launch_bounds__(256)
    micro_bank_strided(unsigned stride, int reads, unsigned* out, long long* cycles) {
  read_strided(stride, reads, out, cycles, [](unsigned j) { return j; });
}

/// Leaves a word unused after every 32, so that words 32 apart are in different banks.
extern "C" __global__ void __launch_bounds__(256)
    micro_bank_padded(unsigned stride, int reads, unsigned* out, long long* cycles) {
  read_strided(stride, reads, out, cycles, [](unsigned j) { return j + j / 32; });
}

}  // namespace bb::micro
