// Many beams on the grid of the fastest, compared with each on a grid of its own.
#include <vector>

#include "../kernels/held_run.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "transport/run/beams.hpp"
#include "transport/run/run.hpp"

namespace bb::test::one_grid {
namespace {

using namespace transport;

Curve depth_dose(const engine::RunResult& r, const Tables& t) {
  Curve out{.first = 0.5 * t.dz, .step = t.dz, .value = std::vector<double>(static_cast<std::size_t>(t.nz), 0.0)};
  for (std::size_t i = 0; i < r.dose.size(); ++i) out.value[i / static_cast<std::size_t>(t.nx)] += r.dose[i];
  return out;
}

TEST("gate, beams on one grid: range and falloff are those on a grid of their own to 0.01 mm") {
  Problem p = water_problem(80.0, {40, 60, 1.0, 0.25}, 0.3, 0.01);
  p.grid.energy_step = 0.1;  // as the default: a fifth of the range spread
  p.stepping = Stepping::kDepth;
  p.variant = "depth";
  p.threads = 2;
  for (const double energy : {80.0, 77.3, 71.9, 64.05}) {
    Beam beam = p.beam;
    beam.energy = energy;
    p.spots.push_back(beam);
  }
  test::Beams(p).execute([&](test::Beams::Ended&& ended) {
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
