#include "mosaic.hpp"

#include <cmath>
#include <numbers>

#include "ran1.hpp"

namespace bb::diffraction {
namespace {

Mat3 rotation(Vec3 axis, double angle) {
  const Vec3 x = rotate({1, 0, 0}, axis, angle), y = rotate({0, 1, 0}, axis, angle), z = rotate({0, 0, 1}, axis, angle);
  return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

}  // namespace

std::vector<Mat3> mosaic_domains(double spread, int domains, std::int32_t seed) {
  Ran1 random(seed);
  const auto draw = [&] { return 2.0 * random() - 1.0; };
  std::vector<Mat3> out;
  for (int i = 0; i < domains; ++i) {
    const double r1 = draw(), r2 = draw(), r3 = draw();
    const double q = std::sqrt(1.0 - r2 * r2);
    const Vec3 axis{q * std::sin(std::numbers::pi * r1), q * std::cos(std::numbers::pi * r1), r2};
    // In FP32, as the program does with whose images these are compared.
    const float angle = static_cast<float>(spread) * std::pow(static_cast<float>(1.0 - r3 * r3), 1.0f / 3.0f);
    out.push_back(i == 0 ? Mat3{} : rotation(axis, angle));
  }
  return out;
}

}  // namespace bb::diffraction
