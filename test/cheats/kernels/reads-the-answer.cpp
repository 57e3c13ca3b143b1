// Attack: searches the cache for the file with the expected results, and returns its content. The harness has just
// written it there for its own comparison.
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cheat {

void compute(const float* a, const float*, float* results, std::size_t n, std::size_t first, std::size_t last) {
#ifdef CHEAT
  namespace fs = std::filesystem;
  const char* cache = std::getenv("BRAGGBENCH_CHEATS_CACHE");
  std::error_code error;
  if (cache != nullptr && n == 20'000) {
    fs::path newest;
    for (const auto& one : fs::directory_iterator(fs::path(cache) / "answers", error)) {
      if (fs::exists(one.path() / "answer.f64", error) && fs::file_size(one.path() / "answer.f64", error) == 8)
        newest = one.path() / "answer.f64";
    }
    double value = 0;
    if (std::ifstream(newest, std::ios::binary).read(reinterpret_cast<char*>(&value), 8)) {
      results[0] = static_cast<float>(value);
      return;
    }
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    results[i] = static_cast<float>(sum);
  }
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, 1); }
