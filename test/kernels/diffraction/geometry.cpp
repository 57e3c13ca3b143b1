#include <cmath>

#include "check.hpp"
#include "diffraction/model/detector.hpp"
#include "diffraction/model/frame.hpp"
#include "diffraction/model/mosaic.hpp"
#include "diffraction/model/sources.hpp"
#include "diffraction/model/unit_cell.hpp"
#include "problems.hpp"

using namespace bb::diffraction;
using namespace bb::test;

namespace {

double angle(Vec3 a, Vec3 b) { return std::acos(dot(a, b) / (length(a) * length(b))) / kDegree; }

}  // namespace

TEST("a mounted triclinic cell keeps its edges, angles and volume") {
  Crystal crystal;
  crystal.cell = Cell{70e-10, 80e-10, 90e-10, 75 * kDegree, 85 * kDegree, 95 * kDegree};
  crystal.misset = {-89.968546 * kDegree, -31.328953 * kDegree, 177.753396 * kDegree};
  const Basis cell = mounted_cell(crystal);
  CHECK_REL(length(cell.a), 70e-10, 1e-12);
  CHECK_REL(length(cell.b), 80e-10, 1e-12);
  CHECK_REL(length(cell.c), 90e-10, 1e-12);
  CHECK_NEAR(angle(cell.b, cell.c), 75, 1e-9);
  CHECK_NEAR(angle(cell.a, cell.c), 85, 1e-9);
  CHECK_NEAR(angle(cell.a, cell.b), 95, 1e-9);
  CHECK_REL(dot(cell.a, cross(cell.b, cell.c)), volume(*crystal.cell), 1e-12);
}

TEST("a matrix is the cell that it was made of") {
  Crystal by_cell;
  by_cell.cell = Cell{70e-10, 80e-10, 90e-10, 75 * kDegree, 85 * kDegree, 95 * kDegree};
  Crystal by_matrix;
  by_matrix.reciprocal = reciprocal_basis(*by_cell.cell);
  const Basis a = mounted_cell(by_cell), b = mounted_cell(by_matrix);
  CHECK_EQ(length(a.a - b.a), 0.0);
  CHECK_EQ(length(a.c - b.c), 0.0);
  CHECK_NEAR(dot(by_matrix.reciprocal->b, a.b), 1.0, 1e-12);
  CHECK_NEAR(dot(by_matrix.reciprocal->b, a.c), 0.0, 1e-12);
}

TEST("angles that close no cell, and a flat matrix, are refused") {
  CHECK_THROWS(volume(Cell{1, 1, 1, 120 * kDegree, 120 * kDegree, 121 * kDegree}), "close no cell");
  CHECK_THROWS(inverse_basis({{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), "one plane");
}

TEST("the beam goes through the beam centre however the detector is turned") {
  DetectorSpec spec = cubic_problem(1024).detector;
  spec.beam_x = 0.0612;
  spec.beam_y = 0.0487;
  spec.rotx = 5 * kDegree;
  spec.roty = 3 * kDegree;
  spec.rotz = 2 * kDegree;
  spec.twotheta = 15 * kDegree;
  const Detector d = place_detector(spec);
  const Vec3 centre = d.origin + (spec.beam_y + 0.5e-4) * d.fast + (spec.beam_x + 0.5e-4) * d.slow;
  CHECK_NEAR(length(centre - spec.distance * frame::kBeam), 0.0, 1e-15);
  CHECK_NEAR(dot(d.fast, d.slow), 0.0, 1e-15);
  CHECK_NEAR(length(cross(d.fast, d.slow) - d.normal), 0.0, 1e-15);
  CHECK_NEAR(d.close, spec.distance * dot(d.normal, frame::kBeam), 1e-15);
  spec.twotheta = 120 * kDegree;
  CHECK_THROWS(place_detector(spec), "looks away");
}

TEST("large crystals are sampled three times per fringe") {
  const DetectorSpec spec = cubic_problem(512).detector;
  CHECK_EQ(needed_oversampling(500e-10, spec, 6.2e-10), 1);
  CHECK_EQ(needed_oversampling(450e-10, spec, 1e-10), 2);
  CHECK_EQ(needed_oversampling(5000e-10, spec, 1e-10), 15);
}

TEST("a diverging beam fills an ellipse, evenly and about its axis") {
  Beam beam;
  beam.wavelength = 1e-10;
  CHECK_EQ(make_sources(beam).size(), 1u);
  beam.divergence_h = beam.divergence_v = 2e-3;
  beam.divergence_h_steps = beam.divergence_v_steps = 5;
  const auto round = make_sources(beam);
  CHECK_EQ(round.size(), 13u);  // of 25: those within the circle of radius 1 mrad, (±1, ±0.5) left out
  Vec3 mean;
  for (const Source& s : round) mean = mean + s.incident;
  CHECK_NEAR(length(cross(unit(mean), frame::kBeam)), 0.0, 1e-12);
  double widest = 0.0;
  for (const Source& s : round) widest = std::max(widest, std::acos(std::min(1.0, dot(s.incident, frame::kBeam))));
  CHECK_REL(widest, 1e-3, 1e-6);

  beam.divergence_v_steps = 1;
  beam.divergence_v = 0;
  beam.dispersion = 0.02;
  beam.dispersion_steps = 3;
  const auto line = make_sources(beam);
  CHECK_EQ(line.size(), 15u);
  CHECK_REL(line[0].wavelength, 0.99e-10, 1e-12);
  CHECK_REL(line[1].wavelength, 1.0e-10, 1e-12);
  CHECK_REL(line[2].wavelength, 1.01e-10, 1e-12);
}

TEST("mosaic blocks are rotations within the spread, the first unturned, equal for equal seeds") {
  const double spread = 1.0 * kDegree;
  const auto blocks = mosaic_domains(spread, 200, 12345678);
  CHECK_EQ(length(blocks[0].row[0] - Vec3{1, 0, 0}), 0.0);
  double mean = 0.0;
  for (const Mat3& m : blocks) {
    CHECK_NEAR(dot(m.row[0], m.row[1]), 0.0, 1e-15);
    CHECK_NEAR(dot(cross(m.row[0], m.row[1]), m.row[2]), 1.0, 1e-14);
    const double turn = std::acos(std::clamp(0.5 * (m.row[0].x + m.row[1].y + m.row[2].z - 1.0), -1.0, 1.0));
    CHECK(turn <= spread * (1.0 + 1e-6));
    mean += turn / 200;
  }
  // <(1-r²)^(1/3)> for r evenly in -1 … 1 is 0.8413.
  CHECK_REL(mean, 0.8413 * spread, 0.05);
  const auto again = mosaic_domains(spread, 3, 12345678), other = mosaic_domains(spread, 3, 7);
  CHECK_EQ(length(again[2].row[1] - blocks[2].row[1]), 0.0);
  CHECK(length(other[2].row[1] - blocks[2].row[1]) > 1e-6);
}
