// Gates on energy spread, a Gaussian in energy on every grid. Results are compared with the quadrature of oracle/.
#include <cmath>
#include <string>
#include <vector>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "oracle/expected.hpp"
#include "transport/model/tables.hpp"

using namespace bb;
using namespace bb::transport;
using test::SolvedProblem;

namespace {

/// A beam straight ahead, like that of the quadrature.
Problem spread_beam(double energy, double sigma, double range, double dz) {
  Problem p = test::water_problem(energy, {11.0, std::ceil(1.2 * range), 1.0, dz}, 0.01, 0.01);
  p.scattering = Scattering::kOff;
  p.stepping = Stepping::kDepth;
  p.beam.energy_sigma = sigma;
  p.grid.cutoff = 0.5;
  p.variant = "auto";
  return p;
}

}  // namespace

namespace {

/// A spread of `share` of the energy, for steps that are small compared with the falloff. `name` denotes the share in
/// the names of the oracle's cases.
struct Spread {
  int energy;
  double range;
  double share;
  std::string name;

  double expected(const char* quantity) const {
    const std::string of = "water-" + std::to_string(energy) + "MeV-spread-" + name + "%";
    return test::oracle::expected(of, quantity).value;
  }
  Problem problem(Stepping stepping) const {
    const double dz = std::min(0.5, std::floor(expected("w80_20_mm") * 10.0) / 80.0);
    Problem p = spread_beam(energy, share * energy, range, dz);
    p.stepping = stepping;
    p.step = p.grid.dz;
    return p;
  }
};

std::vector<Spread> spreads() {
  std::vector<Spread> all;
  for (const auto& [energy, range] : {std::pair{70, 40.8}, std::pair{150, 157.8}, std::pair{210, 282.4}}) {
    for (const auto& [share, name] : {std::pair{0.005, "0.5"}, std::pair{0.01, "1"}, std::pair{0.02, "2"}}) {
      all.push_back({energy, range, share, name});
    }
  }
  return all;
}

/// W80-20 of a Gaussian spread of range, divided by its standard deviation.
constexpr double kFalloff = 1.312;

/// Checks R80 to 0.02 mm and W80-20 to 1 %. The expected values are those of the quadrature, combined with the spread
/// that the run reports for its grid.
void check_spread(const Spread& spread, const Problem& p) {
  const SolvedProblem o(p);
  const test::Curve dose = o.depth_dose();
  const double said = kFalloff * o.tables().extra_straggling_mm;
  CHECK_NEAR(dose.distal(0.8), spread.expected("r80_mm"), 0.02);
  CHECK_REL(dose.w80_20(), std::hypot(spread.expected("w80_20_mm"), said), 0.01);
  CHECK_REL(o.result().energy.back().in, spread.energy, 1e-6);
}

}  // namespace

TEST("gate, energy spread: R80 within 0.02 mm and W80-20 within 1 % of the quadrature; 0.5, 1, 2 %, 70 to 210 MeV") {
  for (const Stepping stepping : {Stepping::kDepth, Stepping::kPath}) {
    for (const Spread& spread : spreads()) {
      const Problem p = spread.problem(stepping);
      check_spread(spread, p);
      CHECK(kFalloff * build_tables(p).extra_straggling_mm < 0.01 * spread.expected("w80_20_mm"));
    }
  }
}

TEST("long gate, energy spread on a uniform grid: agrees with the quadrature, and the spread of the grid is reported") {
  // With the second number of bins, the added spread is within the 1 %.
  for (const double bins : {2000.0, 8000.0}) {
    for (const Spread& spread : spreads()) {
      const bool fine = bins > 5000.0;
      if (fine && (spread.name != "1" || spread.energy == 210)) continue;
      Problem p = spread.problem(Stepping::kDepth);
      p.grid.energy_kind = EnergyGridKind::kUniform;
      p.grid.energy_step = spread.energy / bins;
      p.grid.energy_min = 0.4;
      check_spread(spread, p);
      if (fine)
        CHECK(std::hypot(1.0, kFalloff * build_tables(p).extra_straggling_mm / spread.expected("w80_20_mm")) < 1.005);
    }
  }
}

TEST(
    "energy spread: the mean energy that enters is the requested one to 1e-6, and the variance too, whatever the "
    "bins") {
  const double beams[][2] = {{110, 2.2}, {150, 3}, {210, 4.2}, {70, 10}, {70, 0.35}, {70, 0.05}, {30, 0.3}};
  for (const auto& [energy, sigma] : beams) {
    for (const bool uniform : {false, true}) {
      for (const double step : {0.1, 0.37, 1.0}) {
        Problem p = spread_beam(energy, sigma, 300.0, 1.0);
        p.step = p.grid.dz;
        p.grid.energy_step = step;
        if (uniform) {
          p.grid.energy_kind = EnergyGridKind::kUniform;
          p.grid.energy_min = 0.4;
        }
        const Tables t = build_tables(p);
        double sum = 0.0, mean = 0.0, variance = 0.0;
        for (std::size_t e = 0; e < t.energy.size(); ++e) sum += t.start.parts.front().energy[e];
        for (std::size_t e = 0; e < t.energy.size(); ++e) mean += t.start.parts.front().energy[e] * t.energy[e];
        double widest = 0.0;
        for (std::size_t e = 0; e < t.energy.size(); ++e) {
          variance += t.start.parts.front().energy[e] * std::pow(t.energy[e] - energy, 2);
          CHECK(t.start.parts.front().energy[e] >= 0.0);
          if (e > 0 && t.energy[e - 1] < energy) widest = t.energy[e] - t.energy[e - 1];
        }
        CHECK_REL(sum, 1.0, 1e-12);
        CHECK_REL(mean, energy, 1e-6);
        CHECK_REL(t.start.energy_in, energy, 1e-6);
        // The grid represents a variance smaller than that of a bin only by chance.
        if (sigma > widest) CHECK_REL(variance, sigma * sigma, 1e-3);
      }
    }
  }
}

TEST("energy spread: the path to the first node loses no mean energy") {
  Problem p = spread_beam(70.0, 1.4, 40.8, 0.2);
  p.beam.z = 0.13;
  const Tables t = build_tables(p);
  CHECK(t.start.entry_deposit > 0.0);
  CHECK_REL(t.start.energy_in, 70.0, 1e-6);
}
