// Sums by segment, value by value; a run of one segment is added up in FP64.
void run(const float* values, const std::int32_t* segment, float* sums, int n, int) {
  for (int i = 0; i < n;) {
    const std::int32_t own = segment[i];
    double sum = 0;
    for (; i < n && segment[i] == own; ++i) sum += values[i];
    sums[own] = static_cast<float>(sum);
  }
}
