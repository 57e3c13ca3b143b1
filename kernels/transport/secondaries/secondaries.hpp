#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "transport/model/faces.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// A dose whose rows are computed on request, from the few numbers that describe each.
class DoseRows {
 public:
  virtual ~DoseRows() = default;
  /// Energy in the cells of each row, MeV.
  virtual std::span<const double> sums() const = 0;
  /// Adds the energies in the cells of row `z`, MeV.
  virtual void add(int z, std::span<double> cells) const = 0;
};

/// Dose of the products of nuclear reactions. Energies are in MeV and add up to the energy that reactions removed.
struct Secondaries {
  std::vector<double> dose;              // [z][x] MeV; empty with `rows`
  std::shared_ptr<const DoseRows> rows;  // in place of `dose`, if the problem needs no map
  std::vector<double> tracks;            // moments of protons' tracks, in the layout of Tables::tracks; empty if off
  double local = 0;                      // deposited at the reactions: alphas, recoils, products with large angles
  double protons = 0, deuterons = 0;     // deposited by products that travel
  double neutral = 0;                    // neutrons, photons and binding energy, which leave
  std::array<double, kFaces> escaped{};  // energy of protons and deuterons that leave, by Face

  double deposited() const { return local + protons + deuterons; }
};

/// Direction of products of reactions: mm of path and mm sideways per mm of depth.
struct ProductDirection {
  double way = 1, aside = 0;
  bool travels = true;  // false: the angle is too large, and products are deposited in place
};

/// Directions around a beam at angle `tilt`: first straight ahead for protons and for deuterons, then those of every
/// angle class of physics::kAngleBounds. A class is a cone around the beam; its directions differ in azimuth and are
/// equally likely.
std::vector<ProductDirection> product_directions(double tilt);

/// Follows the products of recorded reactions (`Tables::reactions`, [planes][bins][x]), and of the products' own
/// reactions, in one sweep along z. Protons have the angles of their classes and six azimuths, and correspondingly
/// longer paths. All deuterons, and protons from the products' reactions, go straight on along the beam. All products
/// lose energy and straggle like the beam, but do not scatter further.
Secondaries follow_secondaries(const Problem& problem, const Tables& tables, std::span<const double> reactions,
                               int threads);

}  // namespace bb::transport
