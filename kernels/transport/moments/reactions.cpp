#include <algorithm>
#include <cstddef>

#include "products.hpp"
#include "transport/model/index.hpp"

namespace bb::transport {

LayeredReactions::LayeredReactions(const Tables& t, std::span<const Medium> media) {
  const ReactionGrid& r = t.reactions;
  held.resize(u(r.planes) * u(r.bins));
  left.resize(u(r.planes));
  filled.assign(u(r.planes), {r.bins, 0});
  const double energy = r.energy.back(), water = media[0].table.stopping(energy);
  std::vector<double> per_row;  // by medium
  for (const Medium& medium : media) {
    per_row.push_back(0.1 * medium.material.density * medium.table.stopping(energy) / water);
  }
  for (int plane = 0; plane < r.planes; ++plane) {
    double sum = 0.0;
    for (int z = r.first_row[u(plane)]; z < r.first_row[u(plane) + 1]; ++z) {
      sum += per_row[t.origin[t.map[u(z) * u(t.nx)]]];
    }
    slowing.push_back(sum / (r.rows(plane) * r.spacing));
  }
}

void LayeredReactions::record(const MarchView& step, const Tables& t) {
  const ReactionGrid& r = t.reactions;
  places.resize(std::max(places.size(), u(step.low) + step.lost.size()));
  const auto row_of = [&](double z) { return std::clamp(static_cast<int>(z / t.dz), 0, t.nz - 1); };
  for (int plane = r.plane_of[u(row_of(step.z))]; plane < r.planes; ++plane) {
    const double from = std::max(step.z, r.first_row[u(plane)] * t.dz);
    const double until = std::min(step.z + step.dz, r.first_row[u(plane) + 1] * t.dz);
    const double part = (until - from) / step.dz;
    if (!(part > 0.0)) {
      if (from >= step.z + step.dz) break;
      continue;
    }
    SpreadProtons* bins = &held[u(plane) * u(r.bins)];
    const double middle = 0.5 * (r.first_row[u(plane)] + r.first_row[u(plane) + 1]) * t.dz;
    const double higher = (step.z + 0.5 * step.dz - middle) * slowing[u(plane)];
    std::size_t low = 0;
    auto& [first, end] = filled[u(plane)];
    for (std::size_t i = 0; i < step.lost.size(); ++i) {
      const double lost = part * step.lost[i], energy = step.lost_energy[i];
      if (lost == 0.0) continue;
      // Steps in the same material have the same energies.
      Place& known = places[u(step.low) + i];
      if (known.energy != energy) {
        while (low + 2 < u(r.bins) && r.energy[low + 1] <= energy) ++low;
        known = {energy, (energy - r.energy[low]) / (r.energy[low + 1] - r.energy[low]) + static_cast<double>(low)};
      }
      const double there = known.bin;
      // The path of a product starts in the middle of the plane, so the reaction has the energy of the proton there.
      const double place = std::clamp(there + higher, 0.0, r.bins - 1.0);
      const std::size_t at = std::min(static_cast<std::size_t>(place), u(r.bins - 2));
      first = std::min(first, static_cast<int>(at));
      end = std::max(end, static_cast<int>(at) + 2);
      const double upper = lost * (place - static_cast<double>(at));
      double below = lost - upper, above = upper;
      double rest = lost * energy - below * r.energy[at] - above * r.energy[at + 1];
      for (std::size_t k = 0; k < bins[at].size(); ++k) {
        bins[at][k] += below;
        bins[at + 1][k] += above;
        left[u(plane)][k] += rest;
        below *= step.variance[i];
        above *= step.variance[i];
        rest *= step.variance[i];
      }
    }
  }
}

}  // namespace bb::transport
