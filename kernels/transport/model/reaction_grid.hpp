#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "medium.hpp"
#include "problem.hpp"

namespace bb::transport {

/// Grid on which nuclear reactions of the beam are recorded as sources of secondaries. Planes consist of whole rows of
/// z and use about the same residual range each. Bins are of residual range in water, and columns consist of several
/// cells in x. A reaction is split over two bins so that number and energy are conserved. Empty unless reactions are
/// followed.
struct ReactionGrid {
  int cells = 1;  // cells in x per column
  int planes = 0, bins = 0, columns = 0;
  std::vector<std::int32_t> plane_of;   // [nz]
  std::vector<std::int32_t> first_row;  // [planes + 1]
  double spacing = 0;                   // width of the bins, g/cm²; the centre of bin 0 is at half of it
  std::vector<double> energy;           // [bins] MeV
  std::vector<double> at;               // [ne] MeV of a reacting proton in the bin; 0: reactions are not followed
  std::vector<std::int32_t> bin;        // [ne] lower of the two bins
  std::vector<double> upper;            // [ne] share of the upper bin

  bool on() const { return bins > 0; }
  std::size_t size() const {
    return static_cast<std::size_t>(planes) * static_cast<std::size_t>(bins) * static_cast<std::size_t>(columns);
  }
  /// Records `number` reactions of the beam's protons of bin `e` in cell (z, x).
  void add(double* recorded, int e, int z, int x, double number) const {
    const std::size_t bin_e = static_cast<std::size_t>(e);
    double* low = recorded + row(z, bin[bin_e]) + x / cells;
    const double upper_part = upper[bin_e] * number;
    low[0] += number - upper_part;
    low[columns] += upper_part;
  }
  /// Index of the first column of bin `b` in the plane of row z.
  std::size_t row(int z, int b) const {
    const std::size_t plane = static_cast<std::size_t>(plane_of[static_cast<std::size_t>(z)]);
    return (plane * static_cast<std::size_t>(bins) + static_cast<std::size_t>(b)) * static_cast<std::size_t>(columns);
  }
  /// First row of the next plane after that of row z.
  int next_plane(int z) const { return first_row[static_cast<std::size_t>(plane_of[static_cast<std::size_t>(z)]) + 1]; }
  int rows(int plane) const {
    return first_row[static_cast<std::size_t>(plane) + 1] - first_row[static_cast<std::size_t>(plane)];
  }
};

/// Grid for a beam with protons of `energies` in `media`, which are those of the problem's materials.
ReactionGrid reaction_grid(const Problem& problem, std::span<const Medium> media, const std::vector<double>& energies);

}  // namespace bb::transport
