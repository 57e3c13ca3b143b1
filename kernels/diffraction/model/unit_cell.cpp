#include "unit_cell.hpp"

#include <cmath>
#include <string>

namespace bb::diffraction {

double volume(const Cell& cell) {
  const double ca = std::cos(cell.alpha), cb = std::cos(cell.beta), cg = std::cos(cell.gamma);
  const double square = 1.0 - ca * ca - cb * cb - cg * cg + 2.0 * ca * cb * cg;
  if (!(square > 0.0)) {
    constexpr double kDegrees = 57.29577951308232;
    throw ProblemError("invalid", "crystal.cell: the angles " + std::to_string(cell.alpha * kDegrees) + ", " +
                                      std::to_string(cell.beta * kDegrees) + ", " +
                                      std::to_string(cell.gamma * kDegrees) +
                                      " deg close no cell; each must be below the sum of the other two, and all "
                                      "three together below 360 deg");
  }
  return cell.a * cell.b * cell.c * std::sqrt(square);
}

Basis reciprocal_basis(const Cell& cell) {
  const double v = volume(cell);
  const double sa = std::sin(cell.alpha), sb = std::sin(cell.beta), sg = std::sin(cell.gamma);
  const double ca = std::cos(cell.alpha), cb = std::cos(cell.beta), cg = std::cos(cell.gamma);
  const double as = cell.b * cell.c * sa / v, bs = cell.c * cell.a * sb / v, cs = cell.a * cell.b * sg / v;
  const double cas = (cb * cg - ca) / (sb * sg), cbs = (cg * ca - cb) / (sg * sa), cgs = (ca * cb - cg) / (sa * sb);
  const double sgs = std::sqrt(1.0 - cgs * cgs);
  return {
      {as, 0.0, 0.0}, {bs * cgs, bs * sgs, 0.0}, {cs * cbs, cs * (cas - cbs * cgs) / sgs, 1.0 / (v * as * bs * sgs)}};
}

Basis inverse_basis(const Basis& basis) {
  const Vec3 bc = cross(basis.b, basis.c), ca = cross(basis.c, basis.a), ab = cross(basis.a, basis.b);
  const double v = dot(basis.a, bc);
  const double edges = length(basis.a) * length(basis.b) * length(basis.c);
  if (!(std::abs(v) > 1e-9 * edges)) {
    throw ProblemError("invalid", "crystal.matrix: a*, b* and c* lie in one plane; they must span a volume");
  }
  return {(1.0 / v) * bc, (1.0 / v) * ca, (1.0 / v) * ab};
}

Basis mounted_cell(const Crystal& crystal) {
  const Basis r = crystal.reciprocal ? *crystal.reciprocal : reciprocal_basis(crystal.cell.value());
  return inverse_basis(
      {rotate_xyz(r.a, crystal.misset), rotate_xyz(r.b, crystal.misset), rotate_xyz(r.c, crystal.misset)});
}

}  // namespace bb::diffraction
