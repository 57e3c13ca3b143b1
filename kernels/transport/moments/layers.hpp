#pragma once

#include <string>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Rows z0 … z1 - 1 of the map, which have one material.
struct Layer {
  int material = 0, z0 = 0, z1 = 0;
};

/// Spots that differ only in position and weight.
struct SpotKind {
  Beam spot;  // one proton at x = 0 and the beam's depth of entry
  std::vector<const Beam*> spots;
  double weight = 0;
};

/// The kinds of a problem's spots, without spots of weight 0. The problem must outlive them.
std::vector<SpotKind> spot_kinds(const Problem& problem);

/// Returns the reason why moments cannot solve a problem, as "field = value: reason; allowed: …"; "" if they can.
std::string moments_refusal(const Problem& problem);

/// Like moments_refusal(), for solvers of beams along z.
std::string straight_moments_refusal(const Problem& problem);

/// The layers of a problem with layered materials, front to back.
std::vector<Layer> layers_of(const Problem& problem);

}  // namespace bb::transport
