#include "caches.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#if defined(__linux__)
#include <unistd.h>
#endif

namespace bb::cpu {
namespace {

// Where the system does not tell: more than the last-level cache of a desktop processor.
constexpr std::size_t kUsual_bytes = std::size_t{32} << 20;
// A server's cache is shared by cores that other programs use; writing all of it would take longer than the run.
constexpr std::size_t kMost_bytes = std::size_t{256} << 20;

std::size_t last_level_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  if (const long size = sysconf(_SC_LEVEL3_CACHE_SIZE); size > 0) return static_cast<std::size_t>(size);
#endif
  return kUsual_bytes;
}

}  // namespace

void empty_caches() {
  static const std::size_t bytes = std::min(2 * last_level_bytes(), kMost_bytes);
  constexpr std::size_t kLine = 64;
  std::vector<unsigned char> buffer(bytes);
  volatile unsigned char* line = buffer.data();
  for (std::size_t i = 0; i < bytes; i += kLine) line[i] = 1;
}

}  // namespace bb::cpu
