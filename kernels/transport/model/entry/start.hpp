#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/model/energy_grid.hpp"
#include "transport/model/faces.hpp"
#include "transport/model/medium.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// Content of phase space before the first step, in row `z`, and losses on the path to it from the entrance.
struct Start {
  /// One product of the state: energy[e] · angle[a] · x[a][x].
  struct Part {
    std::vector<double> energy;  // [ne], sums to the part's protons
    std::vector<double> angle;   // [ntheta], sums to 1
    std::vector<double> x;       // [ntheta][nx], each row sums to 1 (less the share outside the grid)
  };
  /// Extent of the state that may differ from 0: angles a0 … a1 - 1, columns x0 … x1 - 1.
  struct Extent {
    int a0, a1, x0, x1;
  };

  int z = 0;
  std::vector<Part> parts;                     // the state is their sum; a single spot has one
  std::array<double, kFaces> missed{};         // protons that start outside the grid, by missed Face
  std::array<double, kFaces> missed_energy{};  // energy of these protons, MeV
  double entry_deposit = 0;                    // MeV lost on the entry path
  int entry_z = 0;                             // row of this deposit
  std::vector<double> entry_dose;              // [nx] MeV in that row, over the width of the beam
  double number_in = 0, energy_in = 0;
  double x_variance = 0;  // mm² that the grid's narrowest beam adds, mean over the protons

  /// Whether bin `e` has protons.
  bool holds(int e) const;
  /// Adds the state at (e, a) to `row`, one value per column. Returns false if the state is empty there.
  bool add(int e, int a, std::span<double> row) const;
  /// Empty (a0 >= a1) if there are no protons.
  Extent extent() const;
  /// [ne] protons of each bin.
  std::vector<double> spectrum() const;
};

/// Path of a spot to the first node: the medium at its entrance, the length of the path (mm), and the mean energy at
/// its end (MeV).
struct Entry {
  const Medium* medium = nullptr;
  double path = 0, energy = 0;
};

/// The axes of the grid that a start needs.
struct StartAxes {
  std::span<const double> energy, theta;  // MeV of a proton in a bin; rad
  int nx = 0;
};

/// The beams with which a problem starts: its spots, or its single beam.
std::span<const Beam> spots_of(const Problem& problem);

/// Whether the beam is tilted, so that steps move its row across the cells.
bool is_tilted(const Beam& beam);

/// Standard deviation (mm) in x, at the entrance, of the protons of one direction, which is the width at the focus.
double width_of_direction(const Beam& beam);

/// Standard deviation, in cells, of the narrowest start that the remap can move without clipping much of its shape.
double narrowest_cells(const Beam& beam);

/// Sets everything except `z` and `entry_z`. `beams` is a subset of spots_of(problem), with one entry each. Beams with
/// the same spectrum, or with the same profile, become one part. The result does not depend on their order.
void build_start(const Problem& problem, const EnergyGrid& grid, std::span<const Beam> beams,
                 std::span<const Entry> entries, const StartAxes& axes, Start& start);

}  // namespace bb::transport
