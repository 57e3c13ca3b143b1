#include <cmath>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "diffraction/model/crystal.hpp"
#include "diffraction/model/setup.hpp"
#include "physics/lattice_factor.hpp"
#include "physics/pixel.hpp"
#include "problems.hpp"

using namespace bb::diffraction;
using namespace bb::test;

namespace {

double angle(Vec3 a, Vec3 b) { return std::acos(dot(a, b) / (length(a) * length(b))) / kDegree; }

}  // namespace

TEST("a triclinic cell keeps its edges, angles and volume when mounted") {
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

TEST("a matrix converts back to the cell from which it was computed") {
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

TEST("angles that cannot form a cell, and a flat matrix, are rejected") {
  CHECK_THROWS(volume(Cell{1, 1, 1, 120 * kDegree, 120 * kDegree, 121 * kDegree}), "do not form a cell");
  CHECK_THROWS(inverse_basis({{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), "one plane");
}

TEST("the beam passes through the beam centre for any rotation of the detector") {
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
  CHECK_THROWS(place_detector(spec), "points away");
}

TEST("large crystals are sampled three times per fringe") {
  const DetectorSpec spec = cubic_problem(512).detector;
  CHECK_EQ(needed_oversampling(500e-10, spec, 6.2e-10), 1);
  CHECK_EQ(needed_oversampling(450e-10, spec, 1e-10), 2);
  CHECK_EQ(needed_oversampling(5000e-10, spec, 1e-10), 15);
}

TEST("a diverging beam fills an ellipse evenly and symmetrically about its axis") {
  Beam beam;
  beam.wavelength = 1e-10;
  CHECK_EQ(make_sources(beam).size(), 1u);
  beam.divergence_h = beam.divergence_v = 2e-3;
  beam.divergence_h_steps = beam.divergence_v_steps = 5;
  const auto round = make_sources(beam);
  CHECK_EQ(round.size(), 13u);  // of 25: those within the circle of 1 mrad, without (±1, ±0.5)
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

TEST("mosaic blocks are rotations within the spread; the first is not rotated, and equal seeds give equal blocks") {
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
  // The mean of (1-r²)^(1/3) for r uniform in -1 … 1 is 0.8413.
  CHECK_REL(mean, 0.8413 * spread, 0.05);
  const auto again = mosaic_domains(spread, 3, 12345678), other = mosaic_domains(spread, 3, 7);
  CHECK_EQ(length(again[2].row[1] - blocks[2].row[1]), 0.0);
  CHECK(length(other[2].row[1] - blocks[2].row[1]) > 1e-6);
}

using namespace bb;
using diffraction::Reflection;
using diffraction::StructureFactors;

TEST("a row of N cells has amplitude N at integer indices and zero in between") {
  CHECK_EQ(physics::row_of_cells(0.0, 5), 5.0);
  CHECK_REL(std::abs(physics::row_of_cells(3.0, 5)), 5.0, 1e-12);
  for (int i = 1; i < 5; ++i) CHECK_NEAR(physics::row_of_cells(i / 5.0, 5), 0.0, 1e-14);
  CHECK_EQ(physics::row_of_cells(0.3, 1), 1.0);
  // Parseval: the mean square over one period is N.
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum += std::pow(physics::row_of_cells((i + 0.5) / 1000, 7), 2) / 1000;
  CHECK_REL(sum, 7.0, 1e-10);
}

TEST("the transform of a sphere agrees with its series and its first zero") {
  CHECK_EQ(physics::sinc3(0.0), 1.0);
  CHECK_NEAR(physics::sinc3(0.0999999), physics::sinc3(0.1000001), 1e-8);
  CHECK_NEAR(physics::sinc3(4.493409457909064), 0.0, 1e-15);  // tan x = x
  CHECK_REL(physics::sinc3(1.0), 3.0 * (std::sin(1.0) - std::cos(1.0)), 1e-14);
}

TEST("structure factors come from the list, and missing ones from the default") {
  const std::vector<Reflection> list = {{-2, 0, 1, 10.0}, {1, 3, -4, 20.0}};
  const StructureFactors f(list, 5.0);
  CHECK_EQ(f.nearest(-2, 0, 1), 10.0);
  CHECK_EQ(f.nearest(1, 3, -4), 20.0);
  CHECK_EQ(f.nearest(0, 0, 0), 5.0);   // inside the box
  CHECK_EQ(f.nearest(2, 3, -4), 5.0);  // outside of it
  CHECK_EQ(f.nearest(-3, 0, 1), 5.0);  // outside of it
  CHECK_EQ(f.nearest(-2, 0, 100000), 5.0);
  const std::vector<Reflection> far = {{-10000, 0, 0, 1.0}, {10000, 1000, 1000, 1.0}};
  Problem p = cubic_problem(16);
  p.reflections = far;
  p.memory_limit = 1e9;
  CHECK_THROWS(outline_of(p), "20001 x 1001 x 1001");
}

TEST("interpolating F between reflections reproduces any cubic exactly") {
  std::vector<Reflection> list;
  const auto cubic = [](double h, double k, double l) {
    return 40 + 2 * h - k * k + 0.5 * l * l * l + h * k * l - 0.25 * h * h * h * k * k;
  };
  for (int h = -4; h <= 4; ++h) {
    for (int k = -4; k <= 4; ++k) {
      for (int l = -4; l <= 4; ++l) list.push_back({h, k, l, cubic(h, k, l)});
    }
  }
  const StructureFactors f(list, 0.0);
  CHECK_REL(f.tricubic(0.3, -1.7, 1.4), cubic(0.3, -1.7, 1.4), 1e-12);
  CHECK_REL(f.tricubic(-2.5, 2.25, -2.9), cubic(-2.5, 2.25, -2.9), 1e-12);
  CHECK_REL(f.tricubic(2, -3, 1), cubic(2, -3, 1), 1e-12);
  CHECK_EQ(StructureFactors({}, 7.0).tricubic(0.5, 0.5, 0.5), 7.0);
}

TEST("polarisation is that of unpolarised light, and vanishes along the electric field") {
  CHECK_EQ(physics::polarisation_factor(1.0, 0.0, 0.0, 0.7), 1.0);
  CHECK_EQ(physics::polarisation_factor(0.0, 0.6, 0.8, 0.0), 0.5);
  CHECK_NEAR(physics::polarisation_factor(0.0, 0.0, 1.0, 1.0), 0.0, 1e-15);
  CHECK_NEAR(physics::polarisation_factor(0.0, 1.0, 0.0, 1.0), 1.0, 1e-15);
  // The Kahn factor (polarisation) reduces the intensity in one direction by as much as it increases the other.
  const double along = physics::polarisation_factor(0.5, 0.0, 0.866, 0.4);
  const double across = physics::polarisation_factor(0.5, 0.866, 0.0, 0.4);
  CHECK_NEAR(0.5 * (along + across), physics::polarisation_factor(0.5, 0.5, 0.5, 0.0), 1e-15);
}

TEST("the layers of a sensor share the total absorption") {
  double sum = 0.0;
  for (int i = 0; i < 5; ++i) sum += physics::absorbed_share(i * 90e-6, (i + 1) * 90e-6, 500e-6, 1.0);
  CHECK_REL(sum, 1.0 - std::exp(-0.9), 1e-14);
  CHECK_REL(physics::absorbed_share(0, 450e-6, 500e-6, 0.5), 1.0 - std::exp(-1.8), 1e-14);
}
