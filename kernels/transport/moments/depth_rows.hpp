#pragma once

#include <span>
#include <vector>

#include "march.hpp"

namespace bb::transport {

/// Values of a march at depths between its planes: polynomials of the fifth order through the planes nearest, never
/// across the border of a layer, where the dose jumps. All values go with the same weights, so that sums that hold at
/// the planes hold everywhere. Before the first plane nothing has happened; behind the last one nothing more does.
std::vector<MarchPlane> planes_at(const March& march, std::span<const double> depths);

}  // namespace bb::transport
