void reference(const double* values, const double* segment, double* sums, int n, int) {
  for (int i = 0; i < n; ++i) sums[static_cast<int>(segment[i])] += values[i];
}
