#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/model/energy_grid.hpp"
#include "transport/model/faces.hpp"
#include "transport/model/matter/medium.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// Content of phase space before the first step, in row `z`, and losses on the way there from the entrance.
struct Start {
  /// A state that is a product: energy[e] · angle[a] · x[a][x].
  struct Part {
    std::vector<double> energy;  // [ne], sums to the part's protons
    std::vector<double> angle;   // [ntheta], sums to 1
    std::vector<double> x;       // [ntheta][nx], each row sums to 1 (less what misses the grid)
  };
  /// Extent of the state that may differ from 0: angles a0 … a1 - 1, columns x0 … x1 - 1.
  struct Extent {
    int a0, a1, x0, x1;
  };

  int z = 0;
  std::vector<Part> parts;                     // the state is their sum; one for one spot
  std::array<double, kFaces> missed{};         // protons that start outside the grid, by the Face that they miss,
  std::array<double, kFaces> missed_energy{};  // and MeV
  double entry_deposit = 0;                    // MeV
  int entry_z = 0;                             // the row that it goes to,
  std::vector<double> entry_dose;              // [nx] MeV, over the width of the beam
  double number_in = 0, energy_in = 0;
  double x_variance = 0;  // mm² that the grid's narrowest beam adds, mean over the protons

  /// Whether a bin holds anything.
  bool holds(int e) const;
  /// Adds the state of (e, a) to `row`, one value for each column; false where there is none.
  bool add(int e, int a, std::span<double> row) const;
  /// Empty (a0 >= a1) without protons.
  Extent extent() const;
  /// [ne] protons of each bin.
  std::vector<double> spectrum() const;
};

/// Path of a spot to the first node: the matter at its entrance, the path there (mm), its mean energy at the end.
struct Entry {
  const Medium* medium = nullptr;
  double path = 0, energy = 0;
};

/// The grid's axes, as far as a start needs them.
struct StartAxes {
  std::span<const double> energy, theta;  // MeV that a bin holds; rad
  int nx = 0;
};

/// The beams that a problem starts with: its spots, or the one beam.
std::span<const Beam> spots_of(const Problem& problem);

/// Whether a beam's steps move its row across the cells.
bool is_tilted(const Beam& beam);

/// Standard deviation (mm) at the entrance of the protons of one direction: the width at the focus.
double width_of_direction(const Beam& beam);

/// Standard deviation, in cells, of the narrowest start that the remap carries without clipping much of its shape.
double narrowest_cells(const Beam& beam);

/// Fills in all but `z` and `entry_z`. `beams` are some of spots_of(problem), with an entry each. Those that share a
/// spectrum, or that differ in nothing else, become one part; their order changes no bit.
void build_start(const Problem& problem, const EnergyGrid& grid, std::span<const Beam> beams,
                 std::span<const Entry> entries, const StartAxes& axes, Start& start);

}  // namespace bb::transport
