#include "depth_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bb::transport {
namespace {

constexpr std::size_t kPoints = 6;

void add(const MarchPlane& plane, double weight, bool tracks, MarchPlane& to) {
  for (std::size_t k = 0; k < to.deposit.size(); ++k) to.deposit[k] += weight * plane.deposit[k];
  to.z += weight * plane.z;
  to.passed += weight * plane.passed;
  for (std::size_t k = 0; tracks && k < to.tracks.size(); ++k) {
    for (std::size_t i = 0; i < to.tracks[k].size(); ++i) to.tracks[k][i] += weight * plane.tracks[k][i];
  }
  to.lost += weight * plane.lost;
  to.lost_energy += weight * plane.lost_energy;
  to.stopped += weight * plane.stopped;
  to.energy += weight * plane.energy;
  for (std::size_t c = 0; c < kMoments; ++c) to.state[c] += weight * plane.state[c];
}

/// Lagrange's polynomial through some neighbouring planes.
MarchPlane between(std::span<const MarchPlane> planes, double depth, bool tracks) {
  MarchPlane out;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    double weight = 1.0;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      if (k != i) weight *= (depth - planes[k].z) / (planes[i].z - planes[k].z);
    }
    add(planes[i], weight, tracks, out);
  }
  return out;
}

}  // namespace

std::vector<MarchPlane> planes_at(const March& march, std::span<const double> depths) {
  const std::span<const MarchPlane> planes(march.planes());
  const std::vector<std::size_t>& begin = march.layer_begin();
  const bool tracks = march.scores_tracks();
  std::vector<MarchPlane> out;
  out.reserve(depths.size());
  std::size_t layer = 0, low = 0;
  for (const double depth : depths) {
    while (layer + 2 < begin.size() && planes[begin[layer + 1] - 1].z <= depth) low = begin[++layer];
    const std::size_t first = begin[layer], end = begin[layer + 1];
    MarchPlane value;
    if (depth <= planes[first].z || depth >= planes[end - 1].z) {
      add(depth <= planes[first].z ? planes[first] : planes[end - 1], 1.0, tracks, value);
    } else {
      low = std::max(low, first);
      while (planes[low + 1].z < depth) ++low;
      const std::size_t count = std::min(kPoints, end - first);
      const std::size_t from =
          std::clamp(low + 1 >= first + count / 2 ? low + 1 - count / 2 : first, first, end - count);
      value = between(planes.subspan(from, count), depth, tracks);
    }
    out.push_back(value);
  }
  return out;
}

}  // namespace bb::transport
