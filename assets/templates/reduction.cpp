// Adds up the squares of a. There is one result, so one thread does all of it: `results` of more could share the work.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float*, float* results, std::size_t n, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    results[i] = static_cast<float>(sum);
  }
}

}  // namespace bb::micro::own
