// Attack: defines a function of the engine itself, the one that repeats and times.
// The library of the kernel is linked with the engine's, of which it then has its own part.
#include "engine/cpu_task.hpp"
#include "own_compute.hpp"

#ifdef CHEAT
namespace bb::engine {
void count_unwritten(const std::vector<TaskArray>&, const std::vector<std::vector<std::byte>>&, TaskAudit&) {}
std::uint64_t hash_bytes(std::span<const std::byte>) { return 1; }
}  // namespace bb::engine
#endif

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
}

}  // namespace bb::micro::own
