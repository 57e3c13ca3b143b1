#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "march.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/secondaries/secondaries.hpp"

namespace bb::transport {

struct SweptMatter;

/// Number of protons, and this number times their variance of x (mm²).
using SpreadProtons = std::array<double, 2>;

/// Reactions of a beam at x = 0 on the planes and bins of Tables::reactions.
struct LayeredReactions {
  /// `media`: the media of the problem's materials.
  LayeredReactions(const Tables& tables, std::span<const Medium> media);

  /// Adds the reactions of a step of a march, weighted by the part of the step in each plane.
  void record(const MarchView& step, const Tables& tables);

  std::vector<SpreadProtons> held;          // [planes][bins], by energy in the middle of the plane
  std::vector<std::pair<int, int>> filled;  // [planes] first bin with reactions, and the end of these bins
  /// Place of an energy between the bins.
  struct Place {
    double energy = -1, bin = 0;
  };
  std::vector<Place> places;        // by bin of the march
  std::vector<double> slowing;      // [planes] bins per mm of the fastest protons
  std::vector<SpreadProtons> left;  // [planes] energy in excess of the bins', MeV, alone and times the variance
};

/// A beam's reactions, and its spots with their x (mm) and weights.
struct ReactingBeam {
  const LayeredReactions* reactions = nullptr;
  std::span<const Beam* const> spots;
};

/// Follows the products of reactions through layers, like follow_secondaries(), but without columns: in layers the path
/// of a product does not depend on its x. Products that go straight ahead are stored by bin of residual range, as their
/// number and mean variance of x. Products of a class of angles are stored by depth since emission, which determines
/// their distance from the axis. Tracks are not scored.
Secondaries follow_layered(const Problem& problem, const Tables& tables,
                           const std::shared_ptr<const SweptMatter>& matter, std::span<const ReactingBeam> beams);

}  // namespace bb::transport
