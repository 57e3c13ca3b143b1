// Adds two vectors: each thread of the session adds pieces of them.
void run(const float* a, const float* b, float* results, int n) {
  in_parallel(n, [=](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
  });
}
