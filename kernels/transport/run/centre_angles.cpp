#include "centre_angles.hpp"

#include <cmath>
#include <cstddef>
#include <optional>

#include "solver.hpp"

namespace bb::engine {

void centre_angles(const transport::Problem& p, const transport::Tables& t, std::vector<double>& crossing) {
  constexpr double kLeastShare = 1e-6;  // of the beam: below, the ratio of sums is rounding
  const double lag = p.stepping == transport::Stepping::kDepth ? 1.0 : p.step * std::cos(p.beam.angle) / t.dz;
  const auto mean_square = [&](int z) -> std::optional<double> {
    if (z < 0 || z >= t.nz) return std::nullopt;
    const double* c = &crossing[static_cast<std::size_t>(z) * Crossing::kCount];
    if (c[Crossing::kN] <= kLeastShare * t.start.number_in) return std::nullopt;
    return c[Crossing::kThetaTheta] / c[Crossing::kN];
  };
  // Upwards in z: a plane only reads itself and planes that are not changed yet.
  for (int z = 0; z < t.nz; ++z) {
    const int whole = static_cast<int>(std::floor(lag));
    const auto here = mean_square(z);
    const auto near = mean_square(z + whole);
    const auto far = mean_square(z + whole + 1);
    if (!here || !near) continue;
    const double ahead = *near + (lag - whole) * (far ? *far - *near : 0.0);
    double* c = &crossing[static_cast<std::size_t>(z) * Crossing::kCount];
    c[Crossing::kThetaTheta] = 0.5 * (*here + ahead) * c[Crossing::kN];
  }
}

}  // namespace bb::engine
