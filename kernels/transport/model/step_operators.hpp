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

/// Energy gather, losses and angle kernels of one path length: those parts of Tables, rows [materials][ne].
struct OperatorRows {
  std::vector<std::int32_t> gather_end, gather_source, angle_end;
  std::vector<double> gather_weight, angle_weight;
  std::vector<double> deposit, stopped, stopped_path, nuclear, nuclear_escape;
};

/// Builds operators; any number of threads may ask at once. All arguments must outlive it.
class StepOperators {
 public:
  StepOperators(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                const ReactionGrid& reactions);

  /// Operators of steps of `path_mm`; some are missing where `cancel` was true.
  OperatorRows rows(double path_mm, const std::atomic<bool>* cancel = nullptr) const;

 private:
  struct Matter {
    const Medium* medium;
    std::vector<double> range;    // [ne] g/cm²
    std::vector<double> removal;  // [ne] cm²/g; where reactions are followed
  };
  /// Bins that feed a bin, with their weights; ascending.
  using Sources = std::vector<std::pair<int, double>>;

  void find_detours();
  void add_source(const Matter& matter, double path, int e, std::vector<Sources>& feeds, OperatorRows& out) const;
  void add_angle_kernel(const Matter& matter, double path_mm, int e, OperatorRows& out) const;
  double left_mm(const Medium& medium, int bin) const;

  const Problem& problem_;
  const EnergyGrid& grid_;
  const ReactionGrid& reactions_;
  const physics::StoppingTable& water_;
  double beam_range_;  // in water, g/cm²
  std::vector<Matter> matter_;
  std::vector<double> longer_;  // [ne] by which ways are longer than in the plane; where reactions are followed
};

/// Puts the operators of every class behind each other: class c has those of rows[of_class[c]].
void append(std::span<const OperatorRows> rows, std::span<const std::size_t> of_class, const InParallel& in_parallel,
            Tables& tables);

}  // namespace bb::transport
