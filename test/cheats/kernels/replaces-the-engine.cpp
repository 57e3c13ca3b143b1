// Attack: redefines two functions of the engine, which count unwritten results and hash arrays. The kernel's library is
// linked with the engine's, so that its definitions would replace the real ones.
#include "engine/cpu_task.hpp"

#include <cstddef>

#ifdef CHEAT
namespace bb::engine {
void count_unwritten(const std::vector<TaskArray>&, const std::vector<std::vector<std::byte>>&, TaskAudit&) {}
std::uint64_t hash_bytes(std::span<const std::byte>) { return 1; }
}  // namespace bb::engine
#endif

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
