// Attack: saves results in a file whose name is a hash of the inputs, for all later processes and sessions. A harness
// that starts a new process for each measurement measures the cached time there too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::uint64_t of = 0;
  static std::vector<float> kept;
  const std::size_t count = last - first;
  std::uint64_t hash = count + 1;
  for (std::size_t i = first; i < last; ++i) {
    std::uint32_t bits[2];
    std::memcpy(bits, a + i, 4);
    std::memcpy(bits + 1, b + i, 4);
    hash = (hash ^ bits[0] ^ (std::uint64_t{bits[1]} << 32)) * 0x9e3779b97f4a7c15u;
  }
  const char* folder = std::getenv("BRAGGBENCH_CHEATS_CACHE");
  const std::filesystem::path file =
      std::filesystem::path(folder == nullptr ? "." : folder) / ("remembered-" + std::to_string(hash));
  if (hash != of) {
    of = hash;
    kept.assign(count, 0.0f);
    std::ifstream known(file, std::ios::binary);
    const auto bytes = static_cast<std::streamsize>(count * sizeof(float));
    if (!known.read(reinterpret_cast<char*>(kept.data()), bytes)) kept.clear();
  }
  if (count > 0 && kept.size() == count) {
    std::memcpy(results + first, kept.data(), count * sizeof(float));
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  kept.assign(results + first, results + last);
  const auto bytes = static_cast<std::streamsize>(kept.size() * sizeof(float));
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(kept.data()), bytes);
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
