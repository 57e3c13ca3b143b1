#include "physics/scattering.hpp"

#include <cmath>

#include "../problems.hpp"
#include "check.hpp"
#include "quadrature.hpp"

using namespace bb::physics;
using bb::test::along;
using bb::test::material;

namespace {

constexpr double kWaterX0 = 36.08, kWaterXs = 46.88;  // g/cm²

}  // namespace

TEST("gate, scattering power: plane angles in water of test/physics/gold.md (gottschalk)") {
  const auto water = material("water");
  const StoppingTable table(water.energies, water.stopping);
  const double wanted[][3] = {// MeV, cm, mrad
                              {100, 1, 10.85}, {100, 5, 32.3},   {150, 1, 7.20},   {150, 5, 18.7},
                              {150, 10, 31.4}, {158.6, 1, 6.81}, {158.6, 5, 17.5}, {158.6, 10, 28.8},
                              {200, 5, 13.7},  {200, 10, 21.2},  {200, 20, 38.4}};
  for (const auto& [energy, depth, mrad] : wanted) {
    const double entrance = energy;
    const double variance =
        along(table, energy, depth, [&](double e, double) { return gottschalk_power(e, entrance, kWaterXs); });
    CHECK_REL(1e3 * std::sqrt(variance), mrad, 0.005);
  }
}

TEST("gottschalk: no scattering before the first loss, then rising with depth") {
  CHECK_EQ(gottschalk_correction(pv(100.0), pv(100.0)), 0.0);
  CHECK_EQ(gottschalk_power(100.0, 100.0, kWaterXs), 0.0);
  double last = 0.0;
  for (double energy = 99.0; energy > 5.0; energy *= 0.9) {
    const double power = gottschalk_power(energy, 100.0, kWaterXs);
    CHECK(power > last);
    last = power;
  }
}

TEST("fermi-rossi: (15/pv)^2/X0, inverse in X0") {
  CHECK_REL(fermi_rossi_power(100.0, kWaterX0), std::pow(15.0 / 190.37, 2) / kWaterX0, 1e-4);
  CHECK_REL(fermi_rossi_power(60.0, 6.37) / fermi_rossi_power(60.0, kWaterX0), kWaterX0 / 6.37, 1e-12);
}

TEST("highland: integrates to its own formula over a thin slab; zero before the logarithm turns positive") {
  CHECK_EQ(highland_power(100.0, 0.0, kWaterX0), 0.0);
  CHECK_EQ(highland_power(100.0, 1e-10, kWaterX0), 0.0);
  // At fixed energy (no loss) the power is (14.1/pv)² (1 + lg(x)/9)² / X0 at the thickness x so far.
  const double x = 0.03;
  const double correction = 1.0 + std::log10(x) / 9.0;
  CHECK_REL(highland_power(150.0, x, kWaterX0), std::pow(14.1 / 279.33 * correction, 2) / kWaterX0, 1e-4);
}
