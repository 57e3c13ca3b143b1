// Sums by segment: each thread has whole segments, whose ends it finds by bisection.
#include <algorithm>

void run(const float* values, const std::int32_t* segment, float* sums, int n, int segments) {
  in_parallel(segments, [=](std::size_t first, std::size_t last) {
    const std::int32_t* at = std::lower_bound(segment, segment + n, static_cast<std::int32_t>(first));
    for (std::size_t own = first; own < last; ++own) {
      double sum = 0;
      for (; at < segment + n && *at == static_cast<std::int32_t>(own); ++at) sum += values[at - segment];
      sums[own] = static_cast<float>(sum);
    }
  });
}
