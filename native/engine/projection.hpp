#pragma once

#include <array>
#include <span>
#include <vector>

#include "solver.hpp"

// ψ reduced to two axes for the screen: it is never copied whole.
namespace bb::engine {

/// In the order of ψ's own axes.
enum class Axis { kEnergy, kTheta, kZ, kX };
inline constexpr int kAxes = 4;

/// ψ over two axes; each of the others is summed, or cut at one index.
struct PlaneRequest {
  static constexpr int kSummed = -1;
  Axis slow, fast;
  std::array<int, kAxes> cut{kSummed, kSummed, kSummed, kSummed};

  bool operator==(const PlaneRequest&) const = default;
};

struct Plane {
  PlaneRequest of;
  std::vector<float> values;  // [slow][fast], protons per cell
};

/// Throws ProblemError('invalid') for an axis that is given twice or cut where it is shown, or an index
/// outside the grid.
void check(const PlaneRequest& request, const transport::Tables& tables);

/// The planes in the order of the requests; none where the solver shows no rows.
std::vector<Plane> project(const Solver& solver, const transport::Tables& tables,
                           std::span<const PlaneRequest> requests);

/// All six pairs of axes and the mean depth, in one pass over what the solver shows.
void sum_marginals(const Solver& solver, const transport::Tables& tables, Marginals& out);

}  // namespace bb::engine
