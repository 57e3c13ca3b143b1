#pragma once

#include <array>
#include <vector>

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

}  // namespace bb::engine
