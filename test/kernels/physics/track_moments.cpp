// Moments of a track against their definitions.
#include "physics/track_moments.hpp"

#include <cmath>

#include "../problems.hpp"
#include "check.hpp"

using namespace bb;

TEST("track moments: length is the range, the sum of LET in water the energy") {
  const physics::StoppingTable& water = test::water();
  const physics::TrackMoments m(water, water, 1.0);
  for (const double energy : {0.05, 1.0, 10.0, 70.0, 230.0}) {
    CHECK_REL(m.at(0, energy), 10.0 * water.range(energy), 1e-4);
    CHECK_REL(m.at(1, energy), energy, 1e-9);
  }
  CHECK_EQ(m.at(2, 0.0), 0.0);
}

TEST("track moments: the second one is the integral of stopping power over energy") {
  const physics::StoppingTable& water = test::water();
  const physics::TrackMoments m(water, water, 1.0);
  constexpr int kParts = 20000;
  double sum = 0.0;
  for (int i = 0; i < kParts; ++i) sum += 0.1 * water.stopping(1.0 + (i + 0.5) * 99.0 / kParts) * 99.0 / kParts;
  CHECK_REL(m.at(2, 100.0) - m.at(2, 1.0), sum, 1e-6);
}

TEST("track moments: LET is that of water whatever the medium, and lengths are the medium's") {
  const transport::Material bone = test::material("bone-compact-icru");
  const physics::StoppingTable in_bone(bone.energies, bone.stopping);
  const physics::TrackMoments m(test::water(), in_bone, bone.density);
  CHECK_REL(m.at(0, 100.0), 10.0 * in_bone.range(100.0) / bone.density, 1e-4);
  CHECK_REL(m.per_energy(1, 100.0) / m.per_energy(0, 100.0), 0.1 * test::water().stopping(100.0), 1e-12);
}
