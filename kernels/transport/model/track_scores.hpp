#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "energy_grid.hpp"
#include "entry/start.hpp"
#include "physics/track_moments.hpp"
#include "transport/model/matter/medium.hpp"

namespace bb::transport {

struct Tables;

/// Contribution of a step to the moments of the tracks (physics::TrackMoments), from which LET follows, and the planes
/// whose energy spectra are recorded. Empty if nothing requests it.
///
/// Fields lie one behind the other: the three moments as [z][x], then [spectra][ne] track lengths by bin.
struct TrackScores {
  static constexpr int kMoments = physics::TrackMoments::kCount;

  std::array<std::vector<double>, kMoments> moment;  // [materials·ne] of a proton whose way is the beam's
  std::vector<double> way;  // [ntheta] way under each angle, in that unit; 1 where all go the same
  std::vector<int> rows;    // of z whose spectra are recorded
  std::vector<double> at;   // [ne] MeV in the middle of a step in water
  std::array<std::vector<double>, kMoments> entry;  // [nx] what the way to the first node adds to row start.entry_z
  std::size_t plane = 0, ne = 0;

  bool on() const { return !way.empty(); }
  std::size_t size() const { return on() ? kMoments * plane + rows.size() * ne : 0; }
  /// Position of bin `e` of the spectrum of row `z`; size() if none is recorded.
  std::size_t spectrum(int z, int e) const;
  /// Adds `number` protons of bin `e` under angle `a` in cell (z, x), which holds material `m`.
  void add(double* scored, int e, int a, int m, int z, int x, std::size_t nx, double number) const;
};

/// Rows that hold the depths whose spectra are recorded, ascending. Throws ProblemError('invalid').
std::vector<int> spectrum_rows(const Problem& problem);

/// The fields and bins alone, where a solver finds what each step adds itself.
TrackScores track_axes(const Problem& problem, const Medium& water, const EnergyGrid& grid, const Tables& tables);

/// `tables` has its operators. `along`: the class of a proton that goes as the beam.
TrackScores track_scores(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                         std::span<const Entry> entries, const Tables& tables, int along);

}  // namespace bb::transport
