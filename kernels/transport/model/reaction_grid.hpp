#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/stopping.hpp"
#include "problem.hpp"

namespace bb::transport {

/// Where the nuclear reactions of the beam's protons are recorded for those that come out of them: planes of several
/// rows of z, bins of residual range in water, columns of several cells of x. A reaction is split over two bins so that
/// number and energy are kept. Empty where reactions are not followed.
struct ReactionGrid {
  int rows = 1, cells = 1;  // of z in a plane, of x in a column
  int planes = 0, bins = 0, columns = 0;
  double spacing = 0;             // of the bins, g/cm²; bin 0 is centred at half of it
  std::vector<double> energy;     // [bins] MeV
  std::vector<double> at;         // [ne] MeV that a proton of the bin has when it reacts; 0: reactions are not followed
  std::vector<std::int32_t> bin;  // [ne] the lower of the two
  std::vector<double> upper;      // [ne] share of the upper one

  bool on() const { return bins > 0; }
  std::size_t size() const {
    return static_cast<std::size_t>(planes) * static_cast<std::size_t>(bins) * static_cast<std::size_t>(columns);
  }
  /// Records `number` protons of bin `e` of the beam that react in cell (z, x).
  void add(double* recorded, int e, int z, int x, double number) const {
    const std::size_t bin_e = static_cast<std::size_t>(e);
    double* low = recorded + row(z, bin[bin_e]) + x / cells;
    const double upper_part = upper[bin_e] * number;
    low[0] += number - upper_part;
    low[columns] += upper_part;
  }
  /// Index of the first column.
  std::size_t row(int z, int b) const {
    return (static_cast<std::size_t>(z / rows) * static_cast<std::size_t>(bins) + static_cast<std::size_t>(b)) *
           static_cast<std::size_t>(columns);
  }
};

/// Grid for a beam of `beam_range` g/cm² in water whose protons hold `energies`.
ReactionGrid reaction_grid(const Problem& problem, const physics::StoppingTable& water, double beam_range,
                           const std::vector<double>& energies);

}  // namespace bb::transport
