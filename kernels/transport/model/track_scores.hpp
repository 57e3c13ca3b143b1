#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "energy_grid.hpp"
#include "entry/start.hpp"
#include "medium.hpp"
#include "physics/track_moments.hpp"

namespace bb::transport {

struct Tables;

/// Contribution of a step to the moments of tracks (physics::TrackMoments), from which LET is derived, and the rows
/// with recorded energy spectra. Empty if not requested.
///
/// Fields are consecutive: the three moments as [z][x], then [spectra][ne] track lengths by bin.
struct TrackScores {
  static constexpr int kMoments = physics::TrackMoments::kCount;

  std::array<std::vector<double>, kMoments> moment;  // [materials·ne] per proton with the beam's path length
  std::vector<double> way;  // [ntheta] path length at each angle relative to the beam's; 1 if all are equal
  std::vector<int> rows;    // rows of z with recorded spectra
  std::vector<double> at;   // [ne] MeV of a proton in the middle of a step in water
  std::array<std::vector<double>, kMoments> entry;  // [nx] contribution of the entry path to row start.entry_z
  std::size_t plane = 0, ne = 0;

  bool on() const { return !way.empty(); }
  std::size_t size() const { return on() ? kMoments * plane + rows.size() * ne : 0; }
  /// Index of bin `e` in the spectrum of row `z`; size() if none is recorded.
  std::size_t spectrum(int z, int e) const;
  /// Adds `number` protons of bin `e` at angle `a` in cell (z, x) of material `m`.
  void add(double* scored, int e, int a, int m, int z, int x, std::size_t nx, double number) const;
};

/// Rows that contain the depths of recorded spectra, ascending. Throws ProblemError('invalid').
std::vector<int> spectrum_rows(const Problem& problem);

/// Only the fields and bins, for a solver that computes the contribution of each step itself.
TrackScores track_axes(const Problem& problem, const Medium& water, const EnergyGrid& grid, const Tables& tables);

/// `tables` must include the operators. `along`: class of a proton in the beam's direction.
TrackScores track_scores(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                         std::span<const Entry> entries, const Tables& tables, int along);

}  // namespace bb::transport
