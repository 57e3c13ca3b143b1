#include "caches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "stopwatch.hpp"
#include "thread_pool.hpp"

#if defined(__linux__)
#include <unistd.h>
#endif

namespace bb::cpu {
namespace {

// Used where the system reports no size: larger than the last-level cache of a desktop processor.
constexpr std::size_t kUsual_bytes = std::size_t{32} << 20;
// A server's cache is shared by cores that other programs use; writing all of it would take longer than the run.
constexpr std::size_t kMost_bytes = std::size_t{256} << 20;

/// Adds up words, in chains that do not wait for each other.
std::uint64_t sum_of(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    for (std::size_t c = 0; c < 8; ++c) sums[c] += words[i + c];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

}  // namespace

std::size_t last_level_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  if (const long size = sysconf(_SC_LEVEL3_CACHE_SIZE); size > 0) return static_cast<std::size_t>(size);
#endif
  return kUsual_bytes;
}

double memory_read_rate() {
  constexpr int kPasses = 5;
  ThreadPool pool(thread_count(0));
  const auto lanes = static_cast<std::size_t>(pool.lanes());
  const std::size_t each = std::min(4 * last_level_bytes(), 4 * kMost_bytes) / sizeof(std::uint64_t) / lanes;
  std::vector<std::vector<std::uint64_t>> words(lanes);
  std::vector<std::uint64_t> sums(lanes);
  // Touched by the thread that reads it, which is where its memory then lies.
  pool.run(pool.lanes(), [&](int task, int) { words[static_cast<std::size_t>(task)].assign(each, 1); });
  double fastest = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Clock::time_point start = Clock::now();
    pool.run(pool.lanes(), [&](int task, int) {
      const auto i = static_cast<std::size_t>(task);
      sums[i] += sum_of(words[i].data(), each);
    });
    fastest = std::max(fastest, static_cast<double>(lanes * each * sizeof(std::uint64_t)) / seconds_since(start));
  }
  // The sums are of use, so that they are computed.
  if (std::ranges::any_of(sums, [](std::uint64_t sum) { return sum == 0; })) return 0;
  return fastest;
}

void empty_caches() {
  static const std::size_t bytes = std::min(2 * last_level_bytes(), kMost_bytes);
  constexpr std::size_t kLine = 64;
  std::vector<unsigned char> buffer(bytes);
  volatile unsigned char* line = buffer.data();
  for (std::size_t i = 0; i < bytes; i += kLine) line[i] = 1;
}

}  // namespace bb::cpu
