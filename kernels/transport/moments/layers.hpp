#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Rows z0 … z1 - 1 of the map, all of one material.
struct Layer {
  int material = 0, z0 = 0, z1 = 0;
};

/// Why moments cannot solve a problem, as "field = value: reason; allowed: …"; "" where they can.
std::string moments_refusal(const Problem& problem);

/// The layers of a problem whose matter is layered, front to back.
std::vector<Layer> layers_of(const Problem& problem);

}  // namespace bb::transport
