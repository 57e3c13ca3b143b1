// The gates on range and falloff for each CUDA variant. The other gates also use the variants that `auto` selects on a
// GPU.
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "../kernels/held_run.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "transport/registry.hpp"
#include "transport/run/beams.hpp"
#include "transport/run/run.hpp"

namespace bb::test {
namespace {

using namespace transport;

// test/physics/gold.md: 70 MeV in water, PSTAR.
constexpr double kRange = 40.80, kFalloff = 0.616, kPeakToEntrance = 7.04;

/// The grid is as fine in z and energy as the default scenario. It is coarse in x and angle, on which the depth dose
/// depends little. Variants that visit the whole grid then need only seconds.
Problem pencil(const Variant& v, Precision precision, Stepping stepping) {
  Problem p = water_problem(70.0, {16.0, 44.0, 1.0, 0.2}, 0.4, 0.02);
  p.variant = v.id;
  p.precision = precision;
  p.stepping = stepping;
  p.keyframes = 0;
  return p;
}

void check_gates(const Variant& v, Precision precision, Stepping stepping) {
  const std::string why = v.unavailable();
  if (!why.empty()) SKIP(why);
  const SolvedProblem o(pencil(v, precision, stepping));
  const Curve dose = o.depth_dose();
  CHECK_NEAR(dose.distal(0.8), kRange, 0.3);
  CHECK_REL(dose.w80_20(), kFalloff, 0.05);
  CHECK_REL(dose.peak() / dose.at(0.5), kPeakToEntrance, 0.1);
  const double closed = precision == Precision::kFp32 ? 1e-6 : 1e-12;
  CHECK(o.result().number.back().rel_error <= closed);
  CHECK(o.result().energy.back().rel_error <= closed);
  CHECK(o.result().min_over_max >= -1e-4);
}

struct VariantGates {
  VariantGates() {
    for (const Variant& v : variants()) {
      if (std::string_view(v.device) != "cuda") continue;
      for (const Precision precision : v.precisions) {
        for (const Stepping stepping : v.steppings) {
          names.push_back(std::string("gate, range and falloff by ") + v.id +
                          (precision == Precision::kFp32 ? ", fp32" : ", fp64") +
                          (stepping == Stepping::kPath ? ", path stepping" : ", depth stepping"));
          const Registration registration(__FILE__, 1000 + static_cast<int>(names.size()), names.back(),
                                          [&v, precision, stepping] { check_gates(v, precision, stepping); });
        }
      }
    }
  }
  std::deque<std::string> names;
};

const VariantGates gates;

}  // namespace
}  // namespace bb::test

// Many beams on the grid of the fastest, each compared with its run on its own grid.

namespace bb::test::one_grid {
namespace {

Curve depth_dose(const engine::RunResult& r, const Tables& t) {
  Curve out{.first = 0.5 * t.dz, .step = t.dz, .value = std::vector<double>(static_cast<std::size_t>(t.nz), 0.0)};
  for (std::size_t i = 0; i < r.dose.size(); ++i) out.value[i / static_cast<std::size_t>(t.nx)] += r.dose[i];
  return out;
}

TEST("gate, beams on one grid: range and falloff equal those on separate grids to 0.01 mm") {
  Problem p = water_problem(80.0, {40, 60, 1.0, 0.25}, 0.3, 0.01);
  p.grid.energy_step = 0.1;  // as in the default grid: a fifth of the spread of range
  p.stepping = Stepping::kDepth;
  p.variant = "depth";
  p.threads = 2;
  for (const double energy : {80.0, 77.3, 71.9, 64.05}) {
    Beam beam = p.beam;
    beam.energy = energy;
    p.spots.push_back(beam);
  }
  test::Beams(p).execute([&](test::Beams::FinishedBeam&& ended) {
    Problem own = p;
    own.spots.clear();
    own.beam = p.spots[ended.beam];
    test::Run run(own);
    const engine::RunResult single = run.execute({});
    const Curve together = depth_dose(ended.result, run.outline()), apart = depth_dose(single, run.outline());
    CHECK_NEAR(together.distal(0.8), apart.distal(0.8), 0.01);
    CHECK_NEAR(together.w80_20(), apart.w80_20(), 0.01);
    CHECK_REL(together.peak(), apart.peak(), 5e-3);
    CHECK_NEAR(ended.alone.beam_range_mm, run.tables().beam_range_mm, 1e-12);
    CHECK_NEAR(ended.alone.extra_straggling_mm, run.tables().extra_straggling_mm, 0.02);
  });
}

}  // namespace
}  // namespace bb::test::one_grid
