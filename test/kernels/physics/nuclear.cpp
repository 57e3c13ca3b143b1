#include "physics/nuclear.hpp"

#include "check.hpp"

using namespace bb::physics;

TEST("nuclear: steps of any size multiply to the fluence (1 + beta R) of Bortfeld's model") {
  for (const int parts : {1, 7, 100}) {
    double left = 1.0;
    const double range = 26.0;
    for (int i = 0; i < parts; ++i) {
      left *= 1.0 - nuclear_loss(range * (parts - i) / parts, range * (parts - i - 1) / parts);
    }
    CHECK_REL(left, 1.0 / (1.0 + kFluenceLoss_cm2_g * range), 1e-12);
  }
  CHECK_EQ(nuclear_loss(3.0, 3.0), 0.0);
}

TEST("nuclear: the deposited share builds up from nothing at the entrance to 0.6") {
  CHECK_EQ(nuclear_deposited_share(0.0), 0.0);
  CHECK_NEAR(nuclear_deposited_share(2.0), 0.6 * (1.0 - std::exp(-1.0)), 1e-12);
  CHECK_NEAR(nuclear_deposited_share(20.0), 0.6, 1e-4);
}
