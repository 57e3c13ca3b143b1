#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "march.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/secondaries/secondaries.hpp"

namespace bb::transport {

struct SweptMatter;

/// Protons, and those times the variance of x (mm²) that they have.
using SpreadProtons = std::array<double, 2>;

/// Reactions of a beam about x = 0 on the planes and bins of Tables::reactions.
struct LayeredReactions {
  explicit LayeredReactions(const ReactionGrid& grid)
      : held(static_cast<std::size_t>(grid.planes) * static_cast<std::size_t>(grid.bins)) {}

  /// Adds the reactions of a step of a march, to each plane by the part of the step that lies in it.
  void record(const MarchView& step, const Tables& tables);

  std::vector<SpreadProtons> held;  // [planes][bins]
};

/// A beam's reactions, and where it is: its spots' x (mm) and weights.
struct ReactingBeam {
  const LayeredReactions* reactions = nullptr;
  std::span<const Beam* const> spots;
};

/// Follows the products of reactions through layers as follow_secondaries() does through columns, without columns: in
/// layers the way of a product does not depend on where in x it starts. What goes straight ahead holds, by bin of
/// residual range, its number and the mean variance of x. A class of angles is held by the depth since its emission, from
/// which its distance from the axis follows. Tracks are not scored.
Secondaries follow_layered(const Problem& problem, const Tables& tables, const SweptMatter& matter,
                           std::span<const ReactingBeam> beams);

}  // namespace bb::transport
