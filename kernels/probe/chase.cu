// Reads `steps` words, each of which is the index of the next. Reads cannot overlap, so the time is `steps` latencies.
// Runs in one thread. `out` receives the last word, which prevents the compiler from removing the reads.
extern "C" __global__ void probe_chase(const unsigned* __restrict__ next, unsigned* out, int steps) {
  unsigned at = 0;
  for (int step = 0; step < steps; ++step) at = next[at];
  *out = at;
}
