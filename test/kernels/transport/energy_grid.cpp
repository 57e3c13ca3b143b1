#include <cmath>
#include <vector>

#include "../problems.hpp"
#include "check.hpp"
#include "transport/model/energy_grid.hpp"

using namespace bb;
using test::water;
using transport::EnergyGrid;
using transport::EnergyGridKind;

namespace {

transport::GridSpec range_grid(double step) {
  transport::GridSpec spec;
  spec.energy_step = step;
  spec.cutoff = 2.0;
  return spec;
}

transport::GridSpec uniform_grid(double step, double lowest) {
  transport::GridSpec spec = range_grid(step);
  spec.energy_kind = EnergyGridKind::kUniform;
  spec.energy_min = lowest;
  return spec;
}

}  // namespace

TEST(
    "range grid: uniform in residual range, with the beam on the last bin and the first within half a bin of the "
    "cutoff") {
  const EnergyGrid grid(range_grid(0.2), water(), 70.0, 70.0, 0);
  const auto& e = grid.energies();
  CHECK_NEAR(e.back(), 70.0, 1e-9);
  for (std::size_t i = 1; i < e.size(); ++i) CHECK_NEAR(water().range(e[i]) - water().range(e[i - 1]), 0.02, 1e-9);
  // The residual range of 2 MeV is 0.076 mm, less than half a bin, so the bins extend to the end of the range.
  CHECK(e.front() > 0.0);
  CHECK(water().range(e.front()) <= 0.02);
  CHECK_EQ(grid.first_alive(), 0);
  CHECK_EQ(grid.size(), static_cast<int>(water().range(70.0) / 0.02) + 1);
  transport::GridSpec fine = range_grid(0.05);
  const double first = water().range(EnergyGrid(fine, water(), 70.0, 70.0, 0).energies().front());
  CHECK(first >= water().range(2.0) - 0.0025 && first < water().range(2.0) + 0.0025);
}

TEST("range grid: content moved beyond the end of range stays in the first bin if it is within half a step") {
  const EnergyGrid grid(range_grid(0.2), water(), 70.0, 70.0, 0);
  const double first = water().range(grid.energies().front());
  for (const double share : {0.0, 0.3, 0.7, 1.0, 1.4}) {  // distance below the first bin, in bins
    const physics::MomentKernel k = physics::moment_kernel(grid.range_axis().taps_beyond(first - 0.02 * share));
    double mean = 0.0;
    for (std::size_t i = 0; i < k.weights.size(); ++i) mean += k.weights[i] * (k.first + static_cast<double>(i));
    CHECK_NEAR(mean, -share, 1e-9);
  }
}

TEST("range grid: one step in water shifts the content by exactly one bin, without spread") {
  const EnergyGrid grid(range_grid(0.5), water(), 100.0, 100.0, 0);
  for (int i = 1; i < grid.size(); ++i) {
    const double before = grid.energies()[static_cast<std::size_t>(i)];
    const physics::MomentKernel k = grid.kernel(water().energy_at(water().range(before) - 0.05), 0.0);
    CHECK_EQ(k.first, i - 1);
    CHECK_EQ(k.weights.size(), 1u);
  }
}

TEST("range grid: energies above the fastest spot have bins too") {
  const EnergyGrid grid(range_grid(0.2), water(), 70.0, 75.0, 2);
  CHECK(grid.energies().back() >= 75.0);
  bool on_a_bin = false;
  for (const double e : grid.energies()) on_a_bin = on_a_bin || std::abs(e - 70.0) < 1e-9;
  CHECK(on_a_bin);
}

TEST("uniform grid: bins rise from the lowest energy in equal steps, and the first live bin is at the cutoff") {
  const EnergyGrid grid(uniform_grid(0.2, 1.0), water(), 70.0, 70.0, 0);
  CHECK_NEAR(grid.energies().front(), 1.0, 1e-12);
  CHECK_NEAR(grid.energies()[1] - grid.energies()[0], 0.2, 1e-12);
  CHECK(grid.energies().back() >= 70.0);
  CHECK_NEAR(grid.energies()[static_cast<std::size_t>(grid.first_alive())], 2.0, 0.2);
  CHECK(grid.energies()[static_cast<std::size_t>(grid.first_alive())] >= 2.0);
}

TEST("energy kernels: mean and variance in bins equal the requested ones on both grids") {
  for (const auto& spec : {range_grid(0.3), uniform_grid(0.25, 1.0)}) {
    const EnergyGrid grid(spec, water(), 60.0, 60.0, 2);
    for (const double energy : {10.0, 33.3, 55.0}) {
      for (const double variance : {0.0, 0.02, 0.5}) {  // MeV²
        const physics::MomentKernel k = grid.kernel(energy, variance);
        double sum = 0.0, mean = 0.0, second = 0.0;
        for (std::size_t i = 0; i < k.weights.size(); ++i) {
          const double bin = k.first + static_cast<double>(i);
          sum += k.weights[i];
          mean += k.weights[i] * bin;
          second += k.weights[i] * bin * bin;
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
        CHECK_NEAR(mean, grid.index_of(energy), 1e-6);
        const double per_bin = grid.excess_variance(energy, variance);  // mm² of water
        CHECK(per_bin >= 0.0);
        CHECK_NEAR(second - mean * mean, grid.variance_in_bins(energy, variance), per_bin > 1e-12 ? 0.2501 : 1e-6);
      }
    }
  }
}

TEST("uniform grid: the split over two bins adds f(1-f) of variance, and reports it") {
  const EnergyGrid grid(uniform_grid(0.5, 1.0), water(), 60.0, 60.0, 0);
  const double per_bin = 0.5 / water().stopping(20.2) * 10.0;  // mm of range
  CHECK_NEAR(grid.excess_variance(20.2, 0.0), 0.4 * 0.6 * per_bin * per_bin, 1e-9);
  CHECK_NEAR(grid.excess_variance(20.0, 0.0), 0.0, 1e-12);
}

TEST("energy grids: reject a beam with no bins above the cutoff") {
  CHECK_THROWS(EnergyGrid(range_grid(5.0), water(), 20.0, 20.0, 0), "grid.energy.step_mm = 5.0");
  CHECK_THROWS(EnergyGrid(uniform_grid(10.0, 60.0), water(), 65.0, 65.0, 0), "grid.energy");
}

TEST("uniform grid: content stops below the cutoff if the bins below are nearer") {
  // Bins of 0.2 MeV from 1 MeV: the cutoff of 2 MeV is bin 5, and 1.9 MeV is half-way to bin 4.
  const EnergyGrid grid(uniform_grid(0.2, 1.0), water(), 70.0, 70.0, 0);
  CHECK_EQ(grid.first_alive(), 5);
  CHECK(grid.stops(1.85));
  CHECK(grid.stops(1.89));
  CHECK(!grid.stops(1.91));
  CHECK(!grid.stops(1.99));
  CHECK(!grid.stops(2.05));
}

using transport::RangeBins;

namespace {

std::vector<double> bin_mean_energies(const RangeBins& bins, double last_range) {
  std::vector<double> centres;
  for (int k = 0; k < bins.size; ++k) centres.push_back(water().energy_at(bins.first + k * bins.step));
  return transport::bin_mean_energies(bins, centres, water(), last_range);
}

/// Energy of a beam with a Gaussian distribution of residual ranges about `mean`, both in g/cm². Computed from the bins
/// or, with steps of a thousandth of a bin, by quadrature.
double energy_of_spread(const std::vector<double>& energies, const RangeBins& bins, double mean, double sigma) {
  double sum = 0.0;
  for (int k = 0; k < bins.size; ++k) {
    const double d = (bins.first + k * bins.step - mean) / sigma;
    sum += energies[static_cast<std::size_t>(k)] * std::exp(-0.5 * d * d) * bins.step;
  }
  return sum / (sigma * std::sqrt(2.0 * std::acos(-1.0)));
}

}  // namespace

TEST("held energies: the energy of a spread beam near its end does not depend on the bin positions") {
  constexpr double kStep = 0.1, kSigma = 0.3;  // g/cm²: a third of sigma, as in default grids
  const RangeBins fine{1e-5, 2e-5, 150000};
  std::vector<double> truth;
  for (int k = 0; k < fine.size; ++k) truth.push_back(water().energy_at(fine.first + k * fine.step));
  for (const double mean : {0.3, 0.0, -0.3}) {
    const double exact = energy_of_spread(truth, fine, mean, kSigma);
    double worst = 0.0, plain = 0.0;
    for (const double place : {0.001, 0.2, 0.4, 0.6, 0.8, 0.95}) {
      const RangeBins bins{place * kStep, kStep, 30};
      const auto held = bin_mean_energies(bins, 0.0);
      std::vector<double> centres;
      for (int k = 0; k < bins.size; ++k) centres.push_back(water().energy_at(bins.first + k * kStep));
      worst = std::max(worst, std::abs(energy_of_spread(held, bins, mean, kSigma) / exact - 1.0));
      plain = std::max(plain, std::abs(energy_of_spread(centres, bins, mean, kSigma) / exact - 1.0));
    }
    CHECK(worst < 0.013);
    CHECK(plain > 3.0 * worst);
  }
}

TEST("held energies: ascending from zero, equal to the bins further up, also with a cutoff above the first bin") {
  for (const double cutoff : {0.0, 0.004, 0.01}) {
    for (double place = 0.01; place < 1.0; place += 0.07) {
      const RangeBins bins{cutoff * 0.5 + place * 0.02, 0.02, 200};
      const auto held = bin_mean_energies(bins, cutoff);
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
