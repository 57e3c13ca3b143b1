// Sums by segment: each thread has as many values. A segment across two threads has the sum of the last that writes.
void run(const float* values, const std::int32_t* segment, float* sums, int n, int) {
  in_parallel(n, [=](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      const std::int32_t own = segment[i];
      double sum = 0;
      for (; i < last && segment[i] == own; ++i) sum += values[i];
      sums[own] = static_cast<float>(sum);
    }
  });
}
