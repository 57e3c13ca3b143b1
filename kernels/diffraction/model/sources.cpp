#include "sources.hpp"

#include <algorithm>

#include "frame.hpp"

namespace bb::diffraction {
namespace {

/// Points `range/(n-1)` apart, centred on 0.
struct Axis {
  double range;
  int points;

  double step() const { return points > 1 ? range / (points - 1) : 0.0; }
  double at(int i) const { return points > 1 ? step() * i - 0.5 * range : 0.0; }
  /// The share of an ellipse equation 4·Σ ≤ 1; an even number of points straddles the centre.
  double square(int i) const {
    if (points < 2 || range == 0.0) return 0.0;
    const double half = points % 2 == 0 ? 0.25 * step() * step() : 0.0;
    return (at(i) * at(i) - half) / (range * range);
  }
};

/// Keeps the points on the ellipse's axes in spite of rounding.
constexpr double kEllipse = 1.1;

/// Calls f(i, j) for the directions in the ellipse.
template <typename F>
void each_direction(const Axis& h, const Axis& v, F&& f) {
  for (int i = 0; i < h.points; ++i) {
    for (int j = 0; j < v.points; ++j) {
      if (4.0 * (h.square(i) + v.square(j)) <= kEllipse) f(i, j);
    }
  }
}

}  // namespace

std::vector<Source> make_sources(const Beam& beam) {
  const Axis h{beam.divergence_h, beam.divergence_h_steps}, v{beam.divergence_v, beam.divergence_v_steps};
  const Axis colour{beam.dispersion, beam.dispersion_steps};
  const Vec3 vertical = unit(cross(frame::kBeam, frame::kPolarisation));
  std::vector<Source> sources;
  each_direction(h, v, [&](int i, int j) {
    const Vec3 direction = rotate(rotate(frame::kBeam, frame::kPolarisation, v.at(j)), vertical, h.at(i));
    const Vec3 magnetic = unit(cross(frame::kPolarisation, direction));
    const Vec3 electric = unit(cross(direction, magnetic));
    for (int k = 0; k < colour.points; ++k) {
      sources.push_back({direction, beam.wavelength * (1.0 + colour.at(k)), magnetic, electric});
    }
  });
  return sources;
}

std::size_t count_sources(const Beam& beam) {
  std::size_t directions = 0;
  each_direction({beam.divergence_h, beam.divergence_h_steps}, {beam.divergence_v, beam.divergence_v_steps},
                 [&](int, int) { ++directions; });
  return directions * static_cast<std::size_t>(std::max(0, beam.dispersion_steps));
}

}  // namespace bb::diffraction
