// Short runs of every CUDA variant, in each precision and stepping that it offers. They are small enough for
// compute-sanitizer, with grids that fill neither tiles nor warps nor boxes. test/parity has longer runs.
#include <cmath>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "../kernels/held_run.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "gpu.hpp"
#include "transport/registry.hpp"
#include "transport/run/run.hpp"

namespace bb::test {
namespace {

using namespace transport;

/// A beam in water. On grids of one material, the variant takes a step in one pass.
Problem water(bool filled) {
  Problem p = water_problem(12.0, {5.5, 2.1, 0.5, 0.3}, 0.3, 0.1);
  p.filled = filled;
  p.grid.theta_centre = p.beam.angle = 0.1;
  p.nuclear = Nuclear::kAttenuation;
  p.max_steps = 4;
  p.keyframes = 2;
  return p;
}

/// Enables reactions. The host follows their products, starting from the reactions that the device recorded.
Problem with_reactions(Problem p) {
  follow_reactions(p);
  p.beam.energy = 25.0;  // tables begin at 7 MeV
  return p;
}

Problem heterogeneous(bool filled) {
  Problem p = water(filled);
  p.materials.push_back(material("bone-compact-icru"));
  fill_region(p, 1, -1.0, 9.0, 0.7, 1.3);
  return p;
}

/// Requests track moments and two spectra, in a row of one material and, if there is one, in the mixed row.
Problem with_track_scores(Problem p) {
  p.track_scores = true;
  p.spectra = {0.4, 0.9};
  return p;
}

std::vector<Problem> short_problems(const Variant& v) {
  std::vector<Problem> problems = {heterogeneous(true),
                                   heterogeneous(false),
                                   water(true),
                                   water(false),
                                   with_reactions(heterogeneous(false)),
                                   with_reactions(water(false))};
  if (!v.scores_tracks) return problems;
  for (std::size_t i = 0, plain = problems.size(); i < plain; ++i) problems.push_back(with_track_scores(problems[i]));
  return problems;
}

double relative_l2(const std::vector<double>& got, const std::vector<double>& wanted) {
  if (got.size() != wanted.size()) return INFINITY;
  double difference = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  return std::sqrt(difference / norm);
}

engine::RunResult solve(Problem p, const char* variant, Precision precision, Stepping stepping) {
  p.variant = variant;
  p.precision = precision;
  p.stepping = stepping;
  test::Run run(p);
  return run.execute({});
}

void short_run(const Variant& v, Precision precision, Stepping stepping) {
  for (const Problem& p : short_problems(v)) {
    const auto wanted = solve(p, "reference", Precision::kFp64, stepping);
    const auto got = solve(p, v.id, precision, stepping);
    const bool single = precision == Precision::kFp32;
    CHECK_EQ(got.steps, wanted.steps);
    CHECK(relative_l2(got.dose, wanted.dose) <= (single ? 1e-5 : 1e-12));
    CHECK(relative_l2(got.crossing, wanted.crossing) <= (single ? 1e-5 : 1e-12));
    CHECK(got.number.back().rel_error <= (single ? 1e-6 : 1e-12));
    CHECK(got.energy.back().rel_error <= (single ? 1e-6 : 1e-12));
    CHECK(got.device_s > 0.0);
    CHECK_NEAR(got.flops_per_cell_step / wanted.flops_per_cell_step, 1.0, 1e-9);
    CHECK_EQ(got.secondaries.has_value(), wanted.secondaries.has_value());
    if (wanted.secondaries) {
      CHECK(wanted.secondaries->deposited() > 0.0);
      CHECK(relative_l2(got.secondaries->dose, wanted.secondaries->dose) <= (single ? 1e-5 : 1e-11));
    }
    CHECK_EQ(got.tracks.has_value(), p.track_scores);
    if (!p.track_scores) continue;
    CHECK(relative_l2(got.tracks->primary, wanted.tracks->primary) <= (single ? 1e-5 : 1e-12));
    CHECK(relative_l2(got.tracks->protons, wanted.tracks->protons) <= (single ? 1e-5 : 1e-11));
    CHECK(relative_l2(got.tracks->spectra, wanted.tracks->spectra) <= (single ? 1e-5 : 1e-12));
  }
}

struct ShortRuns {
  ShortRuns() {
    for (const Variant& v : variants()) {
      // Variants without operators have no cells to compare; see moments_test.cpp.
      if (std::string_view(v.device) != "cuda" || !v.needs_operators) continue;
      for (const Precision precision : v.precisions) {
        for (const Stepping stepping : v.steppings) {
          names.push_back(std::string("GPU: short run of ") + v.id +
                          (precision == Precision::kFp32 ? ", fp32" : ", fp64") +
                          (stepping == Stepping::kPath ? ", path stepping" : ", depth stepping"));
          const Registration registration(__FILE__, 1000 + static_cast<int>(names.size()), names.back(),
                                          [&v, precision, stepping] { short_run(v, precision, stepping); });
        }
      }
    }
  }
  std::deque<std::string> names;
};

const ShortRuns short_runs;

}  // namespace

TEST("GPU: auto selects a CUDA variant, and a variant named in the scenario is kept") {
  Problem p = heterogeneous(true);
  p.precision = Precision::kFp32;
  CHECK_EQ(std::string(test::Run(p).variant().device), "cuda");
  p.variant = "gather";
  CHECK_EQ(std::string(test::Run(p).variant().device), "cpu");
}

TEST("GPU: a grid that exceeds device memory is rejected with both sizes") {
  Problem p = heterogeneous(true);
  p.grid.nx = 20000;
  p.grid.nz = 20000;
  p.grid.ntheta = 2001;
  p.map.assign(std::size_t{20000} * 20000, 0);
  p.variant = "cuda-gather";
  CHECK_THROWS(test::Run(p), "needs about");
}

TEST("GPU: a missing device is rejected with the choices") {
  Problem p = heterogeneous(true);
  p.variant = "cuda-gather";
  p.device = "GPU-00000000-0000";
  test::Run run(p);
  CHECK_THROWS(run.execute({}), "available: ");
}

TEST("GPU: a run is cancelled between batches and keeps the completed steps") {
  Problem p = water_problem(120.0, {2.0, 60.0, 0.5, 0.2}, 0.3, 0.1);  // 300 steps until all protons have left
  p.filled = true;
  p.max_steps = 1000;
  p.stop_weight = 0.0;
  p.variant = "cuda-gather";
  test::Run run(p);
  // The first report is sent after the first batch.
  const engine::RunResult result = run.execute([&](const engine::Progress&) { run.cancel(); });
  CHECK(result.cancelled);
  CHECK(result.steps > 0);
  CHECK(result.steps < 250);
  CHECK_EQ(result.number.size(), static_cast<std::size_t>(result.steps));
  CHECK(result.number.back().rel_error <= 1e-6);
}

TEST("GPU: steps are captured as a graph, and variants that already are a graph report it") {
  Problem p = heterogeneous(false);
  p.precision = Precision::kFp32;
  const auto as_graph = [&p](const char* variant) {
    p.variant = variant;
    return test::Run(p).execute({}, {.graph_replay = true});
  };
  const auto launched = solve(p, "cuda-gather", Precision::kFp32, Stepping::kPath);
  CHECK(relative_l2(as_graph("cuda-gather").dose, launched.dose) <= 1e-6);
  CHECK_THROWS(as_graph("cuda-graph"), "it is already a graph");
  p.variant = "cuda-gather";
  const auto cold = test::Run(p).execute({}, {.cold = true, .graph_replay = true});
  CHECK(relative_l2(cold.dose, launched.dose) <= 1e-6);
  CHECK(cold.device_s > 0.0 && cold.device_s < cold.solve_s);
}

TEST("GPU: set-up and device time are reported in parts") {
  const auto result = solve(heterogeneous(false), "cuda-gather", Precision::kFp32, Stepping::kPath);
  double sum = 0.0;
  std::string names;
  for (const engine::SetupPart& part : result.setup_parts) {
    sum += part.seconds;
    names += part.name + " ";
  }
  CHECK_EQ(names, "tables device kernels rounding upload state capture ");
  CHECK(sum <= result.setup_s * 1.01 + 1e-6);
  CHECK(result.device_s > 0.0);
  CHECK(result.device_s < result.solve_s);
}

}  // namespace bb::test
