#include <algorithm>
#include <string>

#include "block_solver.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

std::string chebyshev_refuses(const Outline& s) {
  const double most = std::max({s.na, s.nb, s.nc});
  if (s.shape != Shape::kSquare) return "crystal.shape must be square";
  if (most > 16) {
    return "crystal.cells has " + std::to_string(static_cast<long long>(most)) +
           " along an edge; the recurrence is efficient for at most 16";
  }
  return "";
}

Variant chebyshev_variant() {
  return {
      .id = "diffraction-chebyshev",
      .title = "Chebyshev recurrence",
      .changes =
          "Ratio of sines as the Chebyshev polynomial U(N-1) of the cosine: N - 1 multiply-adds and no division, for "
          "few cells",
      .builds_on = "diffraction-fp64",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/chebyshev.cpp",
      .arithmetic = "fp64",
      .bright_error = kReferenceRounding,
      .flops_per_term = 90,
      .speed_rank = 10,
      .make = make_block_solver<Arithmetic::kChebyshev>,
      .refuses = chebyshev_refuses,
  };
}

}  // namespace bb::diffraction
