// Adds up the squares of a, in one thread: pieces of in_parallel() could share the work.
void run(const float* a, float* results, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(a[k]);
  *results = static_cast<float>(sum);
}
