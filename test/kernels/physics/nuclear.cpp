#include "physics/nuclear.hpp"

#include <string>

#include "check.hpp"
#include "physics/icru63.hpp"

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

TEST("nuclear: the deposited share rises from zero at the entrance to 0.6") {
  CHECK_EQ(nuclear_deposited_share(0.0), 0.0);
  CHECK_NEAR(nuclear_deposited_share(2.0), 0.6 * (1.0 - std::exp(-1.0)), 1e-12);
  CHECK_NEAR(nuclear_deposited_share(20.0), 0.6, 1e-4);
}

TEST("nuclear tables: entries beyond the integer range and non-finite numbers are rejected with their line") {
  const std::string head = "element,O\ninelastic,50,0.3,0.01\n";
  std::string angles;
  for (int i = 0; i < 13; ++i) angles += ",0.1";
  for (const char* const place : {"41", "1e300"}) {
    CHECK_THROWS(NuclearTable(head + "angles,50," + place + angles, "o.csv"),
                 "o.csv:3: no such energy: " + std::string(place));
  }
  CHECK_THROWS(NuclearTable("element,O\ninelastic,50,inf,0.01\n", "o.csv"), "o.csv:2: field 3 is inf");
}
