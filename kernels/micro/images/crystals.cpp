#include "crystals.hpp"

#include <atomic>
#include <cmath>
#include <numbers>

#include "diffraction/cpu/block_ops.hpp"
#include "physics/lattice_factor.hpp"

namespace bb::micro::images {

using namespace diffraction;

namespace {

constexpr double kSide_m = 0.0512, kDistance_m = 0.1;
constexpr double kAngstrom_m = 1e-10, kDegree = std::numbers::pi / 180.0;
constexpr double kFluence = 1.25932015286227e29;  // 1/m²; an electron then scatters one photon per steradian
constexpr double kElectrons = 100;

}  // namespace

Problem scene(int pixels, int cells) {
  Problem p;
  p.beam.wavelength = kAngstrom_m;
  p.beam.fluence = kFluence;
  p.detector.width = p.detector.height = pixels;
  p.detector.pixel = kSide_m / pixels;
  p.detector.distance = kDistance_m;
  p.detector.beam_x = p.detector.beam_y = 0.5 * (pixels + 1) * p.detector.pixel;
  p.detector.oversample = 1;
  p.crystal.cell = triclinic_cell();
  p.crystal.na = p.crystal.nb = p.crystal.nc = cells;
  p.default_f = kElectrons;
  return p;
}

Problem with_crystal(Problem scene, const Cell& cell, Vec3 misset) {
  scene.crystal.cell = cell;
  scene.crystal.misset = misset;
  return scene;
}

Cell triclinic_cell() {
  return {70 * kAngstrom_m, 80 * kAngstrom_m, 90 * kAngstrom_m, 75 * kDegree, 85 * kDegree, 95 * kDegree};
}

double photons(const Setup& s, int fast, int slow) {
  const Source& source = s.sources[0];
  const Basis& cell = s.orientations[0];
  const Vec3 q = (1.0 / source.wavelength) * (unit(s.position(fast, slow, 0)) - source.incident);
  const double f = s.structure.default_f() * physics::row_of_cells(dot(cell.a, q), s.na) *
                   physics::row_of_cells(dot(cell.b, q), s.nb) * physics::row_of_cells(dot(cell.c, q), s.nc);
  return s.scale * f * f * s.pixel_correction(fast, slow);
}

void render_rows(const Setup& setup, int first, int last, std::span<float> image) {
  static const std::atomic<bool> kNever{false};
  const RowFunction row = block_row(Arithmetic::kMixed);
  std::vector<double> line(static_cast<std::size_t>(setup.width));
  for (int slow = first; slow < last; ++slow) {
    row(setup, {slow, 0, setup.width}, kNever, line.data());
    float* out = image.data() + static_cast<std::size_t>(slow) * line.size();
    for (std::size_t i = 0; i < line.size(); ++i) out[i] = static_cast<float>(line[i]);
  }
}

device::Edges<double> edges_of(const Basis& cell) {
  return {device::Number3<double>(cell.a), device::Number3<double>(cell.b), device::Number3<double>(cell.c)};
}

}  // namespace bb::micro::images
