#pragma once

#include <cstddef>

namespace bb::micro::own {

/// Function that a user kernel defines: results `first` to `last` of a and b, which have `n` values each.
void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last);

}  // namespace bb::micro::own
