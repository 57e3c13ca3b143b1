#pragma once

// Runs CUDA threads as fibers of one host thread: enough to check the results of small kernels.
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __launch_bounds__(threads)
#define __grid_constant__
#define __forceinline__ inline

struct uint3 {
  unsigned x, y, z;
};
struct double2 {
  double x, y;
};
struct float4 {
  float x, y, z, w;
};
inline uint3 threadIdx, blockIdx, blockDim, gridDim;

using std::max;
using std::min;
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float sinpif(float x) { return static_cast<float>(std::sin(3.141592653589793 * static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(std::cos(3.141592653589793 * static_cast<double>(x))); }
inline float __fdividef(float a, float b) { return a / b; }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }

template <typename T>
T atomicAdd(T* to, T value) {
  const T before = *to;
  *to += value;
  return before;
}
inline unsigned atomicMax(unsigned* to, unsigned value) { return std::exchange(*to, std::max(*to, value)); }

namespace on_host {

constexpr std::size_t kStack = 64 * 1024;

/// Runs one block. Each fiber runs until it reaches a barrier or ends; the next phase starts when all fibers have
/// stopped.
class Block {
 public:
  template <typename F>
  void run(unsigned threads, F&& thread) {
    body = [](void* f) { (*static_cast<std::remove_reference_t<F>*>(f))(); };
    argument = &thread;
    fibers.resize(std::max<std::size_t>(fibers.size(), threads));
    count = threads;
    for (unsigned t = 0; t < threads; ++t) {
      Fiber& fiber = fibers[t];
      if (!fiber.stack) fiber.stack = std::make_unique<char[]>(kStack);
      fiber.index = {t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y)};
      fiber.ended = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack = {.ss_sp = fiber.stack.get(), .ss_flags = 0, .ss_size = kStack};
      fiber.context.uc_link = &main;
      makecontext(&fiber.context, &Block::enter, 0);
    }
    for (bool some = true; some;) {
      some = false;
      for (current = 0; current < count; ++current) {
        if (fibers[current].ended) continue;
        some = true;
        threadIdx = fibers[current].index;
        swapcontext(&main, &fibers[current].context);
      }
    }
  }
  /// Waits until all threads of the block have reached the barrier. Threads that have ended count too.
  void barrier() {
    const unsigned self = current;
    swapcontext(&fibers[self].context, &main);
  }

  unsigned current = 0, count = 0;
  std::array<std::uint64_t, 1024> word{};

 private:
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    uint3 index;
    bool ended;
  };
  static void enter();

  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  std::vector<Fiber> fibers;
  ucontext_t main;
};
inline Block block;
inline void Block::enter() {
  block.body(block.argument);
  block.fibers[block.current].ended = true;
}

/// Returns the value that thread `other` passed at the same barrier.
template <typename T>
T exchanged(T value, unsigned other) {
  std::memcpy(&block.word[block.current], &value, sizeof(T));
  block.barrier();
  T out;
  std::memcpy(&out, &block.word[other < block.count ? other : block.current], sizeof(T));
  block.barrier();
  return out;
}

template <typename... P, std::size_t... I>
void call(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_cvref_t<P>*>(arguments[I])...);
}
template <typename... P>
void launch(void (*kernel)(P...), void** arguments, const unsigned* grid, const unsigned* threads) {
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {threads[0], threads[1], threads[2]};
  for (unsigned z = 0; z < grid[2]; ++z) {
    for (unsigned y = 0; y < grid[1]; ++y) {
      for (unsigned x = 0; x < grid[0]; ++x) {
        blockIdx = {x, y, z};
        block.run(threads[0] * threads[1] * threads[2],
                  [&] { call(kernel, arguments, std::index_sequence_for<P...>{}); });
      }
    }
  }
}

}  // namespace on_host

inline void __syncthreads() { on_host::block.barrier(); }
inline int __syncthreads_or(int mine) {
  auto& block = on_host::block;
  block.word[block.current] = mine != 0;
  block.barrier();
  bool any = false;
  for (unsigned t = 0; t < block.count; ++t) any = any || block.word[t] != 0;
  block.barrier();
  return any;
}
/// All warps of a block synchronize here together, so every thread of a block must shuffle equally often.
template <typename T>
T __shfl_down_sync(unsigned, T value, unsigned by) {
  const unsigned self = on_host::block.current;
  return on_host::exchanged(value, self % 32 + by < 32 ? self + by : self);
}
