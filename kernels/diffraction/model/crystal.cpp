#include "crystal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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
                                      " deg do not form a cell; each must be below the sum of the other two, and all "
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
    // Uses FP32 like nanoBragg, because tests compare images with those of that program.
    const float angle = static_cast<float>(spread) * std::pow(static_cast<float>(1.0 - r3 * r3), 1.0f / 3.0f);
    out.push_back(i == 0 ? Mat3{} : rotation(axis, angle));
  }
  return out;
}

namespace {

/// Number of table entries that are filled between two checks for cancellation.
constexpr std::size_t kFilledAtOnce = std::size_t{1} << 22;

double cells_of(const FactorBox<double>& box) { return static_cast<double>(box.nh) * box.nk * box.nl; }

}  // namespace

FactorBox<double> StructureFactors::box_about(std::span<const Reflection> list) {
  FactorBox<double> box;
  if (list.empty()) return box;
  const auto extent = [&](int Reflection::* index, int& first, unsigned& count) {
    const auto [low, high] = std::ranges::minmax(list, {}, index);
    first = low.*index;
    count = static_cast<unsigned>(high.*index - low.*index) + 1;
  };
  extent(&Reflection::h, box.h0, box.nh);
  extent(&Reflection::k, box.k0, box.nk);
  extent(&Reflection::l, box.l0, box.nl);
  return box;
}

StructureFactors::StructureFactors(std::span<const Reflection> list, double default_f,
                                   const std::atomic<bool>& cancel) {
  box_ = box_about(list);
  box_.other = default_f;
  if (list.empty()) return;
  const std::size_t cells = static_cast<std::size_t>(cells_of(box_));
  table_.reserve(cells);
  while (table_.size() < cells) {
    if (cancel.load(std::memory_order_relaxed)) return;
    table_.resize(std::min(cells, table_.size() + kFilledAtOnce), default_f);
  }
  box_.table = table_.data();
  for (const Reflection& r : list) {
    const auto at = [](int index, int first) { return static_cast<std::size_t>(index - first); };
    table_[(at(r.h, box_.h0) * box_.nk + at(r.k, box_.k0)) * box_.nl + at(r.l, box_.l0)] = r.f;
  }
}

}  // namespace bb::diffraction
