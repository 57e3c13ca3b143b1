#include "transport/model/held_energy.hpp"

#include <cmath>
#include <vector>

#include "../problems.hpp"
#include "check.hpp"

using namespace bb;
using test::water;
using transport::RangeBins;

namespace {

std::vector<double> held_energies(const RangeBins& bins, double last_range) {
  std::vector<double> centres;
  for (int k = 0; k < bins.size; ++k) centres.push_back(water().energy_at(bins.first + k * bins.step));
  return transport::held_energies(bins, centres, water(), last_range);
}

/// Energy of a beam whose residual ranges spread as a Gaussian about `mean`, both in g/cm²: by the bins or, with steps a
/// thousandth of theirs, by quadrature.
double energy_of_spread(const std::vector<double>& energies, const RangeBins& bins, double mean, double sigma) {
  double sum = 0.0;
  for (int k = 0; k < bins.size; ++k) {
    const double d = (bins.first + k * bins.step - mean) / sigma;
    sum += energies[static_cast<std::size_t>(k)] * std::exp(-0.5 * d * d) * bins.step;
  }
  return sum / (sigma * std::sqrt(2.0 * std::acos(-1.0)));
}

}  // namespace

TEST("held energies: the energy of a spread beam near its end does not depend on where the bins lie") {
  constexpr double kStep = 0.1, kSigma = 0.3;  // g/cm²: a third of sigma, as the default grids have it
  const RangeBins fine{1e-5, 2e-5, 150000};
  std::vector<double> truth;
  for (int k = 0; k < fine.size; ++k) truth.push_back(water().energy_at(fine.first + k * fine.step));
  for (const double mean : {0.3, 0.0, -0.3}) {
    const double exact = energy_of_spread(truth, fine, mean, kSigma);
    double worst = 0.0, plain = 0.0;
    for (const double place : {0.001, 0.2, 0.4, 0.6, 0.8, 0.95}) {
      const RangeBins bins{place * kStep, kStep, 30};
      const auto held = held_energies(bins, 0.0);
      std::vector<double> centres;
      for (int k = 0; k < bins.size; ++k) centres.push_back(water().energy_at(bins.first + k * kStep));
      worst = std::max(worst, std::abs(energy_of_spread(held, bins, mean, kSigma) / exact - 1.0));
      plain = std::max(plain, std::abs(energy_of_spread(centres, bins, mean, kSigma) / exact - 1.0));
    }
    CHECK(worst < 0.013);
    CHECK(plain > 3.0 * worst);
  }
}

TEST("held energies: ascending from zero, the bins' own further up, also with a cutoff above the first bin") {
  for (const double cutoff : {0.0, 0.004, 0.01}) {
    for (double place = 0.01; place < 1.0; place += 0.07) {
      const RangeBins bins{cutoff * 0.5 + place * 0.02, 0.02, 200};
      const auto held = held_energies(bins, cutoff);
      double before = 0.0;
      for (int k = 0; k < bins.size; ++k) {
        const double now = held[static_cast<std::size_t>(k)];
        CHECK(now >= before);
        if (k >= 8) CHECK_REL(now, water().energy_at(bins.first + k * bins.step), 1e-12);
        before = now;
      }
    }
  }
}
