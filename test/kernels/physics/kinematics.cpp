#include "physics/kinematics.hpp"

#include "check.hpp"

using namespace bb::physics;

TEST("kinematics: pv of test/physics/gold.md") {
  const double table[][2] = {{10, 19.895}, {70, 135.14}, {100, 190.37}, {150, 279.33}, {200, 364.86}, {250, 447.40}};
  for (const auto& [energy, wanted] : table) CHECK_NEAR(pv(energy), wanted, 0.005);
}

TEST("kinematics: gamma and beta agree with pv = p c beta") {
  for (const double energy : {0.5, 3.0, 70.0, 250.0}) {
    const double momentum = std::sqrt(energy * (energy + 2.0 * kProtonMass_MeV));
    CHECK_REL(pv(energy), momentum * std::sqrt(beta_squared(energy)), 1e-12);
    CHECK_REL(bb::physics::gamma(energy), 1.0 / std::sqrt(1.0 - beta_squared(energy)), 1e-12);
  }
}
