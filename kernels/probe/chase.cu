// Reads `steps` words, each at the place that the one before gives: nothing overlaps, so that its time is that of as many
// latencies. One thread. `out` gets the last word, which keeps the compiler from dropping the reads.
extern "C" __global__ void probe_chase(const unsigned* __restrict__ next, unsigned* out, int steps) {
  unsigned at = 0;
  for (int step = 0; step < steps; ++step) at = next[at];
  *out = at;
}
