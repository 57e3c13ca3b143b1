// Compares the march of one beam by lanes, in the code that GPUs run, with March and with the readouts of a run.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../physics/observe.hpp"
#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "transport/cuda/moments/cuda_moments_beams.hpp"
#include "transport/moments/beam_readouts.hpp"
#include "transport/moments/march.hpp"

namespace bb::test::beam_marches {
namespace {

using namespace transport;
using namespace transport::beam_march;

/// Planes and rows of a beam, computed by one lane with `kBins` bins.
template <typename T, int kBins = 192>
struct MarchResult {
  explicit MarchResult(const Problem& p, int planes = 2000)
      : inputs(p), rows(static_cast<std::size_t>(planes) * kComponents), begin(inputs.layers().size() + 2) {
    const BeamInput beam = beam_input(p.beam);
    const int size = table_bins(BeamBins(inputs.view(), beam).count, kBins, kBins);
    std::vector<T> tables(static_cast<std::size_t>(size) * kTableArrays);
    const OneLane team;
    BeamMarch<T, kBins, OneLane> march(team, inputs.view(), beam, tables.data(), size, store(planes));
    outcome = march.run();
    for (std::vector<T>* each : {&dose, &protons, &variance, &edges}) {
      each->resize(static_cast<std::size_t>(p.grid.nz) + 1);
    }
    const BeamRows<T> map{dose.data(), protons.data(), variance.data(), edges.data(), p.grid.nz, 1, 0.0, p.grid.dz};
    readouts = begin_readouts(store(planes), outcome);
    fill_rows(team, store(planes), outcome, map);
    RowReader<T>(map, 0.0).read(readouts);
  }
  PlaneStore store(int planes) { return {rows.data(), planes, begin.data()}; }
  double at(std::size_t plane, int component) const {
    return rows[plane * kComponents + static_cast<std::size_t>(component)];
  }

  MarchInputs inputs;
  std::vector<double> rows;
  std::vector<int> begin;
  MarchOutcome outcome{};
  std::vector<T> dose, protons, variance, edges;
  BeamReadouts readouts{};
};

Problem problem(double energy, double depth, double dz = 0.5) {
  Problem p = water_problem(energy, {40.0, depth, 1.0, dz}, 0.3, 0.02);
  p.beam.x_sigma = 3.0;
  p.beam.angle_sigma = 0.003;
  p.stepping = Stepping::kDepth;
  p.variant = "moments";
  p.keyframes = 0;
  return p;
}

Problem in_layers() {
  Problem p = problem(100.0, 140.0);
  p.materials.push_back(material("air"));
  fill_region(p, 1, -100.0, 100.0, 0.0, 60.0);
  for (const auto& [name, from, to] : {std::tuple{"bone-compact-icru", 70.0, 80.0}, std::tuple{"pmma", 90.0, 95.0},
                                       std::tuple{"aluminium", 110.0, 120.0}}) {
    p.materials.push_back(material(name));
    fill_region(p, static_cast<int>(p.materials.size()) - 1, -100.0, 100.0, from, to);
  }
  return p;
}

double component(const MarchPlane& plane, int c) {
  switch (c) {
    case kLost:
      return plane.lost;
    case kLostEnergy:
      return plane.lost_energy;
    case beam_march::kStopped:
      return plane.stopped;
    case kPassed:
      return plane.passed;
    case kInFlightEnergyNow:
      return plane.energy;
    case kDepth:
      return plane.z;
    default:
      return c <= kDepositX6 ? plane.deposit[static_cast<std::size_t>(c)]
                             : plane.state[static_cast<std::size_t>(c - kInFlightNumber)];
  }
}

/// Compares the components of every plane, except kBinSteps, with March in FP64. The tolerance is `share` times the
/// component's largest value. March may have up to 15 planes more; planes that only one of the two has are not
/// compared.
template <typename T>
void check_planes(const Problem& p, double share) {
  const MarchResult<T> got(p);
  CHECK(got.outcome.end == MarchEnd::kDone);
  std::vector<Medium> media;
  for (const Material& m : p.materials) media.emplace_back(m);
  const std::vector<Layer> layers = layers_of(p);
  Problem doubles = p;
  doubles.precision = Precision::kFp64;
  March march(doubles, media, layers, p.beam, 0.0);
  march.run(p.grid.nz * p.grid.dz);
  const std::vector<MarchPlane>& wanted = march.planes();
  CHECK_REL(got.outcome.energy_in, march.energy_in(), 1e-6);
  const std::size_t planes = std::min(wanted.size(), static_cast<std::size_t>(got.outcome.planes));
  CHECK(planes + 16 > wanted.size());
  for (int c = 0; c <= kDepth; ++c) {
    if (c == kBinSteps) continue;
    double most = 1e-12;
    for (const MarchPlane& plane : wanted) most = std::max(most, std::abs(component(plane, c)));
    for (std::size_t i = 0; i < planes; ++i) CHECK_NEAR(got.at(i, c), component(wanted[i], c), share * most);
  }
}

/// Compares readouts with those that the CPU reads from the rows of a run.
template <typename T>
void check_readouts(const Problem& p, double share) {
  const BeamReadouts got = MarchResult<T>(p).readouts;
  const SolvedProblem wanted(p);
  const Curve dose = wanted.depth_dose();
  const double r80 = dose.distal(0.8);
  CHECK_REL(got.r80_mm, r80, share);
  CHECK_REL(got.r90_mm, dose.distal(0.9), share);
  CHECK_REL(got.w80_20_mm, dose.w80_20(), 10.0 * share);
  CHECK_REL(got.peak * p.grid.dz, dose.peak(), share + 2e-5);  // mean of a row; the run's peak is a maximum over points
  CHECK_REL(got.entrance * p.grid.dz, dose.at(0.0), 0.02);     // a straight line through the first rows, at depth 0
  // Both interpolate variances linearly between rows.
  CHECK_REL(got.sigma_half_mm, wanted.sigma_x(0.5 * r80), 1e-3);
  CHECK_REL(got.deposited, wanted.result().energy.back().deposited + wanted.result().energy.back().escaped_x(), share);
  CHECK(got.energy_error() <= (sizeof(T) == sizeof(float) ? 2e-6 : 1e-12));
  CHECK(got.number_error() <= (sizeof(T) == sizeof(float) ? 2e-6 : 1e-12));
}

}  // namespace

TEST("beam march: planes in water equal those of March from 30 to 250 MeV") {
  for (const auto& [energy, depth] :
       {std::pair{30.0, 10.0}, std::pair{70.0, 45.0}, std::pair{150.0, 170.0}, std::pair{250.0, 400.0}}) {
    check_planes<double>(problem(energy, depth), 1e-5);
    check_planes<float>(problem(energy, depth), 1e-4);
  }
}

TEST("beam march: an energy spread narrower or wider than a bin uses the bins of March") {
  for (const double sigma : {0.02, 0.1, 0.5, 1.0}) {
    Problem p = problem(100.0, 85.0);
    p.beam.energy_sigma = sigma;
    check_planes<double>(p, 1e-5);
    check_planes<float>(p, 1e-4);
  }
}

TEST("beam march: every scattering model and the loss of fluence equal those of March") {
  for (const Scattering model : {Scattering::kOff, Scattering::kFermiRossi, Scattering::kHighland}) {
    Problem p = problem(100.0, 85.0);
    p.scattering = model;
    p.nuclear = Nuclear::kAttenuation;
    check_planes<double>(p, 1e-4);
    check_planes<float>(p, 2e-4);
  }
}

TEST("beam march: layers of air, bone, PMMA and aluminium equal those of March") {
  check_planes<double>(in_layers(), 1e-4);
  check_planes<float>(in_layers(), 2e-4);
}

TEST("beam march: two metres of air, with partly negative bins, equal those of March") {
  Problem p = problem(150.0, 2180.0, 5.0);
  p.materials.push_back(material("air"));
  fill_region(p, 1, -100.0, 100.0, 0.0, 2000.0);
  check_planes<double>(p, 1e-4);
  check_planes<float>(p, 2e-4);
}

TEST("beam march: readouts equal those of the rows of a run") {
  for (const auto& [energy, depth] : {std::pair{70.0, 45.0}, std::pair{150.0, 170.0}}) {
    check_readouts<double>(problem(energy, depth, 0.2), 1e-6);
    check_readouts<float>(problem(energy, depth, 0.2), 3e-5);
  }
  Problem layers = in_layers();
  layers.nuclear = Nuclear::kAttenuation;
  check_readouts<double>(layers, 1e-4);
}

TEST("beam march: a batch by moments has the readouts of each beam alone, and its depth dose on request") {
  Problem p = in_layers();
  p.nuclear = Nuclear::kAttenuation;
  p.threads = 2;
  p.spots = {p.beam};
  std::vector<Beam> beams(9, p.beam);
  for (std::size_t i = 0; i < beams.size(); ++i) {
    beams[i].energy = 92.0 + static_cast<double>(i);
    beams[i].x_sigma = 1.0 + static_cast<double>(i);
  }
  test::Beams batch(p);
  const engine::BeamTable table = batch.readouts(beams, true);
  const auto rows = static_cast<std::size_t>(table.rows);
  CHECK_EQ(rows, static_cast<std::size_t>(p.grid.nz));
  for (std::size_t i = 0; i < beams.size(); ++i) {
    Problem alone = p;
    alone.spots.clear();
    alone.beam = beams[i];
    const MarchResult<double> wanted(alone);
    const auto values = std::bit_cast<std::array<double, kReadoutColumns>>(wanted.readouts);
    for (std::size_t c = 0; c < 21; ++c) {
      CHECK_NEAR(table.columns[c * beams.size() + i], values[c], 1e-4 * std::abs(values[c]) + 1e-6);
    }
    const double most = *std::ranges::max_element(wanted.dose);
    for (std::size_t r = 0; r < rows; ++r) {
      CHECK_NEAR(table.curves[r * beams.size() + i], wanted.dose[r], 1e-4 * most);
    }
  }
  CHECK(batch.readouts(beams, false).curves.empty());
  beams[4].energy = 101.0;
  CHECK_THROWS(batch.readouts(beams, false), "beam.energy_MeV = 101");
  p.variant = "depth";
  p.nuclear = Nuclear::kOff;
  CHECK_THROWS(test::Beams(p).readouts({}, false), "solver.variant = depth solves whole maps");
}

TEST("beam march: a beam that leaves the box has no range") {
  const BeamReadouts got = MarchResult<double>(problem(70.0, 20.0)).readouts;
  CHECK(std::isnan(got.r80_mm));
  CHECK_NEAR(got.number_left, 1.0, 1e-9);
  CHECK(got.energy_error() <= 1e-12);
}

TEST("beam march: too few bins for the beam width, or too few planes, are reported") {
  Problem p = problem(100.0, 85.0);
  CHECK((MarchResult<double, 32>(p).outcome.end == MarchEnd::kTooWide));
  CHECK((MarchResult<double>(p, 100).outcome.end == MarchEnd::kTooManyPlanes));
}

}  // namespace bb::test::beam_marches
