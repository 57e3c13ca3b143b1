#pragma once

#include <array>
#include <span>
#include <vector>

#include "transport/model/faces.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// Dose of the products of nuclear reactions. Energies in MeV; they add up to the energy that reactions removed.
struct Secondaries {
  std::vector<double> dose;    // [z][x] MeV
  std::vector<double> tracks;  // moments of the protons' tracks, as the fields of Tables::tracks; empty where off
  double local = 0;            // deposited where the reactions were: alphas, recoils, what goes sideways
  double protons = 0, deuterons = 0;     // deposited by those that travel
  double neutral = 0;                    // of neutrons, photons and binding, which leave
  std::array<double, kFaces> escaped{};  // by protons and deuterons, by Face

  double deposited() const { return local + protons + deuterons; }
};

/// A direction in which products of reactions travel: mm of path and mm to the side per mm of depth.
struct ProductDirection {
  double way = 1, aside = 0;
  bool travels = true;  // false: too far to the side, deposited on the spot
};

/// Directions about a beam under `tilt`: twice straight ahead (protons, deuterons), then those of every angle class of
/// physics::kAngleBounds. A class is a cone about the beam; its directions differ in azimuth, and are equally likely.
std::vector<ProductDirection> product_directions(double tilt);

/// Follows what comes out of the recorded reactions (`Tables::reactions`, [planes][bins][x]), and out of its own
/// reactions, through the matter in one sweep along z. Protons go under the angles of their classes and six azimuths, on
/// longer ways; only those that products send out, and all deuterons, go straight on along the beam. All lose energy and
/// straggle as the beam does, without scattering further.
Secondaries follow_secondaries(const Problem& problem, const Tables& tables, std::span<const double> reactions,
                               int threads);

}  // namespace bb::transport
