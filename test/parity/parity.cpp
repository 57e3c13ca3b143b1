// Every registered variant, in every precision and stepping that it offers, compared with `reference` on every parity
// scenario. New variants are covered automatically.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../kernels/held_run.hpp"
#include "check.hpp"
#include "scenarios.hpp"
#include "transport/registry.hpp"
#include "transport/run/run.hpp"

namespace bb::test {
namespace {

using namespace transport;

constexpr double kFp32Tolerance = 1e-5;
constexpr double kFp64Tolerance = 1e-12;
constexpr double kFp32Ledger = 1e-6;
constexpr double kFp64Ledger = 1e-12;

struct Outcome {
  engine::RunResult result;
  engine::Marginals last;
  std::vector<engine::Plane> planes;  // cuts of the final state
};

/// Returns cuts at one index of each axis, and of two axes at once, with every pair of shown axes in either order.
std::vector<engine::PlaneRequest> cuts_of(const Tables& t) {
  using engine::Axis;
  const int e = t.ne / 2, a = t.ntheta / 2, z = t.nz / 2, x = t.nx / 2;
  return {{Axis::kZ, Axis::kX, {e, -1, -1, -1}},     {Axis::kTheta, Axis::kEnergy, {-1, -1, -1, x}},
          {Axis::kX, Axis::kTheta, {e, -1, z, -1}},  {Axis::kEnergy, Axis::kX, {-1, a, -1, -1}},
          {Axis::kEnergy, Axis::kZ, {-1, a, -1, x}}, {Axis::kZ, Axis::kTheta, {e, -1, -1, -1}}};
}

Outcome solve(Problem p, const std::string& variant, Precision precision, Stepping stepping, int threads) {
  p.variant = variant;
  p.precision = precision;
  p.stepping = stepping;
  p.threads = threads;
  p.keyframes = 3;
  p.stop_weight = 1e-6;
  test::Run run(p);
  run.want_planes(cuts_of(run.outline()));
  Outcome out;
  out.result = run.execute({});
  engine::LiveFrame live = run.take_live().value();
  out.last = std::move(live.marginals);
  out.planes = std::move(live.planes);
  return out;
}

const Outcome& reference(const ParityScenario& scenario, Stepping stepping) {
  static std::map<std::pair<const ParityScenario*, Stepping>, Outcome> solved;
  const auto key = std::pair(&scenario, stepping);
  if (!solved.contains(key)) solved[key] = solve(scenario.problem, "reference", Precision::kFp64, stepping, 1);
  return solved[key];
}

template <typename A, typename B>
double relative_l2(const A& got, const B& wanted) {
  if (std::size(got) != std::size(wanted)) return INFINITY;
  double difference = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < std::size(got); ++i) {
    difference += (got[i] - wanted[i]) * static_cast<double>(got[i] - wanted[i]);
    norm += static_cast<double>(wanted[i]) * wanted[i];
  }
  return norm > 0.0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

/// Marginals are stored in FP32, so they cannot agree more closely than this.
double marginal_tolerance(double tolerance) { return std::max(tolerance, 1e-7); }

/// Share of the beam that is left after a step. Small remainders are compared relative to the start. At the end of the
/// range only a few protons remain, and FP32 has 7 digits of the initial number.
double share_left(const Outcome& wanted, int step) {
  if (step == 0) return 1.0;
  const engine::LedgerRow& row = wanted.result.number[static_cast<std::size_t>(step) - 1];
  return row.in_flight / row.in;
}

void compare_marginals(const engine::Marginals& got, const engine::Marginals& wanted, double share, double tolerance,
                       const std::string& where) {
  const auto part = [&](const char* name, const auto& a, const auto& b) {
    const double error = relative_l2(a, b) * share;
    if (!(error <= marginal_tolerance(tolerance))) {
      fail(__FILE__, __LINE__,
           where + ", step " + std::to_string(wanted.step) + ": " + name + " differs by " + show(error));
    }
  };
  CHECK_EQ(got.step, wanted.step);
  part("zx", got.zx, wanted.zx);
  part("xtheta", got.xtheta, wanted.xtheta);
  part("etheta", got.etheta, wanted.etheta);
  part("ez", got.ez, wanted.ez);
  part("ex", got.ex, wanted.ex);
  part("ztheta", got.ztheta, wanted.ztheta);
}

double norm_of(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

/// For almost empty cuts the error is relative to a thousandth of the total.
double cut_error(const engine::Plane& got, const engine::Plane& wanted, const engine::Marginals& all) {
  if (got.values.size() != wanted.values.size()) return INFINITY;
  const double own = norm_of(wanted.values), least = 1e-3 * norm_of(all.zx);
  return own == 0.0 ? norm_of(got.values) / least : relative_l2(got.values, wanted.values) * own / std::max(own, least);
}

void compare_ledger(const std::vector<engine::LedgerRow>& got, const std::vector<engine::LedgerRow>& wanted,
                    double tolerance, double balance, const std::string& where) {
  if (got.size() != wanted.size()) {
    fail(__FILE__, __LINE__, where + ": " + show(got.size()) + " steps, reference " + show(wanted.size()));
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const engine::LedgerRow& a = got[i];
    const engine::LedgerRow& b = wanted[i];
    const std::pair<const char*, double> columns[] = {
        {"in", a.in - b.in},
        {"in flight", a.in_flight - b.in_flight},
        {"stopped", a.stopped - b.stopped},
        {"escaped at low x", a.escaped[kXLow] - b.escaped[kXLow]},
        {"escaped at high x", a.escaped[kXHigh] - b.escaped[kXHigh]},
        {"escaped in front", a.escaped[kZLow] - b.escaped[kZLow]},
        {"escaped behind", a.escaped[kZHigh] - b.escaped[kZHigh]},
        {"escaped at low angles", a.escaped[kThetaLow] - b.escaped[kThetaLow]},
        {"escaped at high angles", a.escaped[kThetaHigh] - b.escaped[kThetaHigh]},
        {"nuclear", a.nuclear - b.nuclear},
        {"skipped", a.skipped - b.skipped},
        {"deposited", a.deposited - b.deposited},
    };
    for (const auto& [name, difference] : columns) {
      if (!(std::abs(difference) <= tolerance * b.in)) {
        fail(__FILE__, __LINE__,
             where + ", step " + std::to_string(i + 1) + ": " + name + " differs by " + show(difference / b.in) +
                 " of all");
        return;
      }
    }
    if (!(a.rel_error <= balance)) {
      fail(__FILE__, __LINE__, where + ", step " + std::to_string(i + 1) + ": ledger error " + show(a.rel_error));
      return;
    }
  }
}

void compare(const std::vector<ParityScenario>& scenarios, const Variant& variant, Precision precision,
             Stepping stepping) {
  const bool single = precision == Precision::kFp32;
  const double tolerance = single ? kFp32Tolerance : kFp64Tolerance;
  const double balance = single ? kFp32Ledger : kFp64Ledger;
  for (const ParityScenario& scenario : scenarios) {
    const std::string& where = scenario.name;
    if (scenario.path_only && stepping == Stepping::kDepth) continue;
    const Outcome got = solve(scenario.problem, variant.id, precision, stepping, 2);
    const Outcome& wanted = reference(scenario, stepping);
    const auto close = [&](const char* name, double error) {
      if (!(error <= tolerance)) fail(__FILE__, __LINE__, where + ": " + name + " differs by " + show(error));
    };
    CHECK_EQ(got.result.steps, wanted.result.steps);
    close("dose", relative_l2(got.result.dose, wanted.result.dose));
    close("crossing", relative_l2(got.result.crossing, wanted.result.crossing));
    close("lowest psi", std::abs(got.result.min_over_max - wanted.result.min_over_max));
    compare_ledger(got.result.number, wanted.result.number, tolerance, balance, where + ", number");
    compare_ledger(got.result.energy, wanted.result.energy, tolerance, balance, where + ", energy");
    CHECK_EQ(got.result.secondaries.has_value(), wanted.result.secondaries.has_value());
    if (wanted.result.secondaries) {
      const Secondaries &a = *got.result.secondaries, &b = *wanted.result.secondaries;
      CHECK(b.deposited() > 0.0);
      close("deposit of products", a.deposited() / b.deposited() - 1.0);
      close("products' dose", relative_l2(a.dose, b.dose));
    }
    CHECK_EQ(got.result.keyframes.size(), wanted.result.keyframes.size());
    for (std::size_t k = 0; k < std::min(got.result.keyframes.size(), wanted.result.keyframes.size()); ++k) {
      const engine::Marginals& frame = wanted.result.keyframes[k];
      compare_marginals(got.result.keyframes[k], frame, share_left(wanted, frame.step), tolerance, where);
    }
    const double left = share_left(wanted, wanted.last.step);
    compare_marginals(got.last, wanted.last, left, tolerance, where);
    CHECK_EQ(got.planes.size(), wanted.planes.size());
    // If hardly any protons are left, a cut contains only rounding error.
    for (std::size_t k = 0; left > 1e-3 && k < std::min(got.planes.size(), wanted.planes.size()); ++k) {
      CHECK(got.planes[k].of == wanted.planes[k].of);
      close("a cut", std::max(0.0, cut_error(got.planes[k], wanted.planes[k], wanted.last) - 1e-7));
    }
  }
}

/// Registers one test per variant, precision and stepping, and a long one on finer grids. The reference is not compared
/// with itself; test/kernels/transport/run.cpp checks its reproducibility. Its balance is checked together with the
/// other variants, which must have the same one.
struct ParityTests {
  ParityTests() {
    for (const Variant& v : variants()) {
      // Variants without operators have no cells to compare. test/physics/moments_gates.cpp compares their readouts.
      if (std::string_view(v.id) == "reference" || !v.needs_operators) continue;
      for (const Precision precision : v.precisions) {
        for (const Stepping stepping : v.steppings) {
          const std::string of = std::string(v.id) + (precision == Precision::kFp32 ? ", fp32" : ", fp64") +
                                 (stepping == Stepping::kPath ? ", path stepping" : ", depth stepping");
          const auto holds = [&v, precision, stepping](const auto& scenarios) {
            return [&v, precision, stepping, &scenarios] {
              const std::string why = v.unavailable();
              if (!why.empty()) SKIP(why);
              compare(scenarios(), v, precision, stepping);
            };
          };
          add("parity with reference: " + of, holds(parity_scenarios));
          const bool on_gpu = of.starts_with("cuda-");
          add((on_gpu ? kFineOnGpu : kFineOnCpu) + of, holds(fine_parity_scenarios));
        }
      }
    }
  }
  void add(std::string name, std::function<void()> body) {
    names.push_back(std::move(name));
    const Registration registration(__FILE__, static_cast<int>(names.size()), names.back(), std::move(body));
  }
  // `npm run test:gpu` excludes the tests on the CPU by this prefix.
  static constexpr const char* kFineOnGpu = "long gate, parity in fine grids: ";
  static constexpr const char* kFineOnCpu = "long gate, parity in fine grids, on the CPU: ";
  std::deque<std::string> names;
};

const ParityTests tests;

TEST("parity scenarios: one of them loses protons through each of the six faces") {
  const auto& all = parity_scenarios();
  const auto backwards = std::ranges::find(all, true, &ParityScenario::path_only);
  CHECK(backwards != all.end());
  const engine::LedgerRow& row = reference(*backwards, Stepping::kPath).result.number.back();
  for (const double escaped : row.escaped) CHECK(escaped > 1e-6 * row.in);
  CHECK(row.escaped[kZHigh] > row.escaped[kZLow]);
  CHECK(row.escaped[kXHigh] > row.escaped[kXLow]);
}

}  // namespace
}  // namespace bb::test
