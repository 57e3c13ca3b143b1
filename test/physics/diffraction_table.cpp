// Compares with the published images of nanoBragg, to the printed digits: largest pixel, its position, and the sum of
// all pixels.
#include <string>

#include "../kernels/diffraction/problems.hpp"
#include "check.hpp"

using namespace bb;
using namespace bb::diffraction;
using namespace bb::test;

namespace {

struct PublishedImage {
  double max;
  int slow, fast;  // position of the first of the largest pixels …
  int ties;        // … which are a square of this many pixels a side
  double sum;
};

void check_against(const Problem& p, const PublishedImage& wanted) {
  for (const char* variant : {"diffraction-reference", "diffraction-fp64"}) {
    const ImageFacts got = facts(render(p, variant).image, p.detector.width);
    CHECK_NEAR(got.max, wanted.max, 6e-7 * (wanted.max > 10 ? 1.0 : 0.01));
    CHECK(got.slow >= wanted.slow && got.slow < wanted.slow + wanted.ties);
    CHECK(got.fast >= wanted.fast && got.fast < wanted.fast + wanted.ties);
    // Agrees to twelve digits. A few of a million pixels may round differently in FP32.
    CHECK_REL(got.sum, wanted.sum, 1e-11);
  }
}

}  // namespace

TEST("published diffraction image: simple cubic, 1024 pixels") {
  check_against(cubic_problem(1024), {154.652466, 512, 512, 2, 923805.272898});
}

TEST("published diffraction image: ten mosaic blocks") {
  Problem p = cubic_problem(1000);
  p.crystal.mosaic_spread = kDegree;
  p.crystal.mosaic_domains = 10;
  check_against(p, {154.652466, 500, 500, 2, 901709.572471});
}

TEST("published diffraction image: triclinic, with the correct cell") {
  check_against(triclinic_problem(), {136.856888, 301, 382, 1, 300435.891079});
}

TEST("published diffraction image: triclinic, through the matrix of the published cell") {
  // nanoBragg uses V*/(a*b*c*) instead of 1/c*, and then stretches the edges back to their lengths. The result is
  // another cell, with angles of 75.04, 85.01 and 95.01 degrees. That cell is valid too, and is given here as a matrix.
  Problem p = triclinic_problem();
  const Cell cell = *p.crystal.cell;
  const double v = volume(cell);
  Basis r = reciprocal_basis(cell);
  const double sin_gamma = r.b.y / length(r.b);
  r.c.z = length(r.c) * v / (cell.a * cell.b * cell.c) / sin_gamma;
  const Vec3 bc = cross(r.b, r.c), ca = cross(r.c, r.a), ab = cross(r.a, r.b);
  const Basis real = {cell.a * unit(bc), cell.b * unit(ca), cell.c * unit(ab)};
  p.crystal.cell.reset();
  p.crystal.reciprocal = inverse_basis(real);
  check_against(p, {138.216446, 368, 262, 1, 300533.778187});
}

TEST("published diffraction image: detector turned about every axis") {
  Problem p = cubic_problem(1024);
  p.detector.beam_x = p.detector.beam_y = 0.0612;
  p.detector.rotx = 5 * kDegree;
  p.detector.roty = 3 * kDegree;
  p.detector.rotz = 2 * kDegree;
  p.detector.twotheta = 15 * kDegree;
  p.detector.oversample = 1;
  check_against(p, {152.036682, 612, 612, 1, 849931.517623});
}

TEST("published diffraction image: 4096 pixels") {
  Problem p = cubic_problem(4096);
  p.beam.wavelength = 0.5 * kAngstrom;
  p.detector.distance = 0.5;
  p.detector.pixel = 5e-5;
  p.detector.beam_x = p.detector.beam_y = 0.5 * 4097 * 5e-5;
  check_against(p, {1.53799891, 2048, 2048, 2, 201039.074363});
}
