// Compares moments on a GPU with those on the CPU: runs, and readouts of many beams.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "../kernels/held_run.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "gpu.hpp"
#include "transport/cuda/moments/cuda_moments_beams.hpp"
#include "transport/run/run.hpp"

namespace bb::test::gpu_moments {
namespace {

using namespace transport;

/// Two layers in water, and four spots, two of which share one march.
Problem in_layers(Precision precision) {
  Problem p = water_problem(100.0, {40.0, 100.0, 1.0, 0.5}, 0.3, 0.02);
  p.materials.push_back(material("bone-compact-icru"));
  p.materials.push_back(material("air"));
  fill_region(p, 1, -100.0, 100.0, 10.0, 15.0);
  fill_region(p, 2, -100.0, 100.0, 30.0, 50.0);
  p.beam.x_sigma = 3.0;
  p.beam.angle_sigma = 0.003;
  p.stepping = Stepping::kDepth;
  p.precision = precision;
  p.nuclear = Nuclear::kAttenuation;
  p.keyframes = 0;
  p.spots = {p.beam, p.beam, p.beam, p.beam};
  p.spots[1].x = 4.0;
  p.spots[2].energy = 80.0;
  p.spots[3].energy_sigma = 0.8;
  return p;
}

engine::RunResult solve(Problem p, const char* variant) {
  p.variant = variant;
  test::Run run(p);
  return run.execute({});
}

}  // namespace

TEST(
    "GPU: moments of a field in layers agree with the CPU, FP32 within 2e-4 and FP64 within 1e-5 of the "
    "largest") {
  for (const Precision precision : {Precision::kFp32, Precision::kFp64}) {
    const bool single = precision == Precision::kFp32;
    const Problem p = in_layers(precision);
    const engine::RunResult got = solve(p, "cuda-moments"), wanted = solve(p, "moments");
    const double most = *std::ranges::max_element(wanted.dose);
    for (std::size_t i = 0; i < wanted.dose.size(); ++i) {
      CHECK_NEAR(got.dose[i], wanted.dose[i], (single ? 2e-4 : 1e-5) * most);
    }
    CHECK(got.energy.back().rel_error <= (single ? 2e-6 : 1e-10));
    CHECK(got.number.back().rel_error <= (single ? 2e-6 : 1e-10));
    CHECK(got.device_s > 0.0);
  }
}

TEST("GPU: readouts of many beams equal those of each beam alone, whichever lanes and blocks compute them") {
  for (const Precision precision : {Precision::kFp32, Precision::kFp64}) {
    const bool single = precision == Precision::kFp32;
    Problem p = in_layers(precision);
    p.spots.clear();
    std::vector<Beam> beams(3001, p.beam);
    for (std::size_t i = 0; i < beams.size(); ++i) beams[i].energy = 60.0 + 0.01 * static_cast<double>(i);
    for (std::size_t i = 0; i < beams.size(); i += 7) beams[i].energy_sigma = 0.01 * beams[i].energy;
    const auto device = make_cuda_moments(p);
    const std::vector<beam_march::BeamReadouts> all = device->readouts(beams);
    CHECK_EQ(all.size(), beams.size());
    CHECK(device->times().march > 0.0);
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}, std::size_t{1500}, std::size_t{3000}}) {
      const beam_march::BeamReadouts alone = device->readouts(std::span(beams).subspan(i, 1)).front();
      CHECK_REL(all[i].r80_mm, alone.r80_mm, single ? 1e-5 : 1e-10);
      CHECK_REL(all[i].sigma_peak_mm, alone.sigma_peak_mm, single ? 1e-4 : 1e-9);
      CHECK(all[i].energy_error() <= (single ? 2e-6 : 1e-10));
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (i % 7 < 2) continue;  // an energy spread moves R80
      CHECK(all[i].r80_mm > all[i - 1].r80_mm);
    }
  }
}

TEST("GPU: a problem that moments cannot solve on a GPU is rejected in one sentence") {
  Problem p = in_layers(Precision::kFp32);
  p.variant = "cuda-moments";
  Problem reacting = p;
  follow_reactions(reacting);
  CHECK_THROWS(test::Run(reacting), "solver.variant = cuda-moments: physics.nuclear = icru63: moments follow products");
  Problem plain = p;
  plain.straggling = Straggling::kOff;
  CHECK_THROWS(test::Run(plain), "physics.straggling = off");
  Problem wide = p;
  wide.spots.clear();
  wide.beam.energy_sigma = 12.0;
  test::Run run(wide);
  CHECK_THROWS(run.execute({}), "fill more than 256 range bins at once");
}

}  // namespace bb::test::gpu_moments
