#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "energy_grid.hpp"
#include "problem.hpp"
#include "reaction_grid.hpp"
#include "tables.hpp"
#include "transport/model/matter/medium.hpp"

namespace bb::transport {

/// Energy gather, losses and angle kernels of one path length: those parts of Tables, rows [materials][ne].
struct OperatorRows {
  std::vector<std::int32_t> gather_end, gather_source, angle_end;
  std::vector<double> gather_weight, angle_weight;
  std::vector<double> deposit, stopped, stopped_path, nuclear, nuclear_escape;
};

/// Number of values of the operators.
struct RowCounts {
  double rows = 0, gathered = 0, angles = 0;
};

/// Builds operators; any number of threads may ask at once. All arguments must outlive it. `longer`: see detours().
class StepOperators {
 public:
  StepOperators(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                const ReactionGrid& reactions, std::span<const double> longer);

  /// Inputs of the operators for range grids, if reactions are not followed.
  StepModel model() const;
  std::vector<StepMatter> matter() const;

  /// Operators of steps of `path_mm`; some are missing where `cancel` was true.
  OperatorRows rows(double path_mm, const InParallel& in_parallel, const std::atomic<bool>* cancel = nullptr) const;
  /// The rows that rows() would build for a path, for some of the bins.
  RowCounts counted(double path_mm) const;
  int first_alive() const { return grid_.first_alive(); }

 private:
  struct Matter {
    const Medium* medium;
    std::vector<double> range;    // [ne] g/cm²
    std::vector<double> removal;  // [ne] cm²/g; where reactions are followed
  };
  /// Bins with weights, ascending.
  using Taps = std::vector<std::pair<int, double>>;
  /// Destinations of a bin's protons in a step, and the spread of the angles of those that end it there.
  struct Step {
    Taps to;
    double deposit = 0, stopped = 0, stopped_path = 0, nuclear = 0, nuclear_escape = 0;
    std::vector<double> angles;  // distance 0 … half
  };

  StepMatter step_matter(const Matter& matter) const;
  /// Without its angles.
  Step step_of(const Matter& matter, double path, int e) const;
  std::vector<double> angles_of(const Matter& matter, double path, int e) const;
  double left_mm(const Medium& medium, int bin) const;

  const Problem& problem_;
  const EnergyGrid& grid_;
  const ReactionGrid& reactions_;
  std::span<const double> longer_;  // [ne] detours across the plane; empty where reactions are not followed
  const physics::StoppingTable& water_;
  double beam_range_;  // in water, g/cm²
  std::vector<Matter> matter_;
  bool repeats_ = false;  // some media are of one material
};

/// `shortest` and `longest` are the paths of a step, mm. Some bins stand for those between them.
Reach reach_of(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid, double shortest,
               double longest);

/// Puts the operators of every path behind each other.
void append(std::span<const OperatorRows> rows, const InParallel& in_parallel, Tables& tables);

}  // namespace bb::transport
