#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "energy_grid.hpp"
#include "medium.hpp"
#include "problem.hpp"
#include "reaction_grid.hpp"
#include "tables.hpp"

namespace bb::transport {

/// Energy gather, losses and angle kernels of one path length: a part of Tables with rows [materials][ne].
struct OperatorRows {
  std::vector<std::int32_t> gather_end, gather_source, angle_end;
  std::vector<double> gather_weight, angle_weight;
  std::vector<double> deposit, stopped, stopped_path, nuclear, nuclear_escape;
};

/// Number of values in the operators.
struct RowCounts {
  double rows = 0, gathered = 0, angles = 0;
};

/// Builds operators; thread-safe. All arguments must outlive this object. `longer`: see detours().
class StepOperators {
 public:
  StepOperators(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                const ReactionGrid& reactions, std::span<const double> longer);

  /// Parameters of the operators for range grids, if reactions are not followed.
  StepModel model() const;
  std::vector<StepMatter> matter() const;

  /// Operators for steps of `path_mm`. Incomplete if `cancel` was true.
  OperatorRows rows(double path_mm, const InParallel& in_parallel, const std::atomic<bool>* cancel = nullptr) const;
  /// Estimates the size of rows() for a path from a sample of the bins.
  RowCounts counted(double path_mm) const;
  int first_alive() const { return grid_.first_alive(); }

 private:
  struct Matter {
    const Medium* medium;
    std::vector<double> range;    // [ne] g/cm²
    std::vector<double> removal;  // [ne] cm²/g; only if reactions are followed
  };
  /// Bins and their weights, ascending.
  using Taps = std::vector<std::pair<int, double>>;
  /// Target bins of a bin's protons in a step, and the angle kernel of protons that end the step in the bin.
  struct Step {
    Taps to;
    double deposit = 0, stopped = 0, stopped_path = 0, nuclear = 0, nuclear_escape = 0;
    std::vector<double> angles;  // distance 0 … half
  };

  StepMatter step_matter(const Matter& matter) const;
  /// Computes a step without its angles.
  Step step_of(const Matter& matter, double path, int e) const;
  std::vector<double> angles_of(const Matter& matter, double path, int e) const;
  double left_mm(const Medium& medium, int bin) const;

  const Problem& problem_;
  const EnergyGrid& grid_;
  const ReactionGrid& reactions_;
  std::span<const double> longer_;  // [ne] detours out of the plane; empty if reactions are not followed
  const physics::StoppingTable& water_;
  double beam_range_;  // range in water, g/cm²
  std::vector<Matter> matter_;
  bool repeats_ = false;  // several media have the same material
};

/// Estimates the reach of the operators from a sample of the bins. `shortest` and `longest` are the minimum and maximum
/// path of a step, mm.
Reach reach_of(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid, double shortest,
               double longest);

/// Concatenates the operators of all paths into `tables`.
void append(std::span<const OperatorRows> rows, const InParallel& in_parallel, Tables& tables);

}  // namespace bb::transport
