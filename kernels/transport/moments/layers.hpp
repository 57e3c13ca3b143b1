#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Rows z0 … z1 - 1 of the map, all of one material.
struct Layer {
  int material = 0, z0 = 0, z1 = 0;
};

/// Spots that differ in place and weight alone.
struct SpotKind {
  Beam spot;  // one proton at x = 0, at the beam's depth of entry
  std::vector<const Beam*> spots;
  double weight = 0;
};

/// The kinds of a problem's spots, of those that have weight. The problem must outlive them.
std::vector<SpotKind> spot_kinds(const Problem& problem);

/// Why moments cannot solve a problem, as "field = value: reason; allowed: …"; "" where they can.
std::string moments_refusal(const Problem& problem);

/// The layers of a problem whose matter is layered, front to back.
std::vector<Layer> layers_of(const Problem& problem);

}  // namespace bb::transport
