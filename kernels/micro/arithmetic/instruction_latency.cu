// Rows 9 and 10 of the table of performance claims: chains of one instruction, each of which needs the result of the
// one before. The block has one warp, so that nothing hides the latency.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Writes the result of the last operation in lane 0 and the elapsed clock cycles to `out`.
template <typename Step>
__device__ void chain(int operations, unsigned at, long long* out, Step&& step) {
  unsigned warm = at;
  for (int i = 0; i < 64; ++i) warm = step(warm);  // warms up instruction cache and table
  const long long start = clock64();
#pragma unroll 8
  for (int i = 0; i < operations; ++i) at = step(at);
  // The sum depends on the last operation, so that the clock is read after it.
  const long long taken = clock64() - start + (at == 0xfffffffeu) + (warm == 0xfffffffeu);
  if (threadIdx.x == 0) {
    out[0] = at;
    out[1] = taken;
  }
}

extern "C" __global__ void micro_chain_add(const unsigned*, int operations, unsigned, long long* out) {
  chain(operations, 0, out, [](unsigned at) {
    unsigned to;
    asm volatile("mad.lo.u32 %0, %1, 1664525, 1013904223;" : "=r"(to) : "r"(at));
    return to;
  });
}

/// Each lane holds one entry of the table. An entry is the number of the lane to read next.
extern "C" __global__ void micro_chain_shuffle(const unsigned* __restrict__ next, int operations, unsigned,
                                               long long* out) {
  const unsigned mine = next[threadIdx.x];
  chain(operations, 0, out, [&](unsigned at) { return __shfl_sync(kWholeWarp, mine, static_cast<int>(at)); });
}

/// Each lane tests one bit of the last vote, then votes: every operation inverts all bits.
extern "C" __global__ void micro_chain_ballot(const unsigned*, int operations, unsigned, long long* out) {
  const unsigned bit = 1u << threadIdx.x;
  chain(operations, 0, out, [&](unsigned at) { return __ballot_sync(kWholeWarp, (at & bit) == 0); });
}

/// One operation is a comparison, a vote, and the conversion of the vote to a number.
extern "C" __global__ void micro_chain_any(const unsigned*, int operations, unsigned, long long* out) {
  chain(operations, 0, out, [](unsigned at) { return __any_sync(kWholeWarp, at == 0) != 0 ? 1u : 0u; });
}

/// The lanes form four groups of equal values.
extern "C" __global__ void micro_chain_match(const unsigned*, int operations, unsigned, long long* out) {
  chain(operations, threadIdx.x % 4, out, [](unsigned at) { return __match_any_sync(kWholeWarp, at); });
}

/// Adds `nothing`, which is 0, to the current entry and continues at its old value. Runs in one thread.
extern "C" __global__ void micro_chain_atomic_global(unsigned* table, int operations, unsigned nothing,
                                                     long long* out) {
  chain(operations, 0, out, [&](unsigned at) {
    unsigned to;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(to) : "l"(table + at), "r"(nothing) : "memory");
    return to;
  });
}

extern "C" __global__ void micro_chain_atomic_shared(const unsigned* __restrict__ table, int operations,
                                                     unsigned nothing, long long* out) {
  __shared__ unsigned mine[32];
  for (unsigned i = 0; i < 32; ++i) mine[i] = table[i];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(mine));
  chain(operations, 0, out, [&](unsigned at) {
    unsigned to;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(to) : "r"(base + 4 * at), "r"(nothing) : "memory");
    return to;
  });
}

}  // namespace bb::micro
