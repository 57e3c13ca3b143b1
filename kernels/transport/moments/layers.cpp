#include "layers.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "transport/model/entry/start.hpp"

namespace bb::transport {
namespace {

std::span<const std::uint8_t> row_of(const Problem& p, int z) {
  const auto nx = static_cast<std::size_t>(p.grid.nx);
  return std::span(p.map).subspan(static_cast<std::size_t>(z) * nx, nx);
}

}  // namespace

std::string moments_refusal(const Problem& p) {
  if (p.filled) return "initial.kind = filled: moments follow a beam; allowed: beam";
  for (int z = 0; z < p.grid.nz; ++z) {
    const std::span<const std::uint8_t> row = row_of(p, z);
    const auto other = std::ranges::find_if(row, [&](std::uint8_t m) { return m != row.front(); });
    if (other == row.end()) continue;
    return "geometry: at a depth of " + std::to_string((z + 0.5) * p.grid.dz) + " mm " + p.materials[row.front()].name +
           " and " + p.materials[*other].name + " lie side by side; allowed: layers across the whole width";
  }
  for (const Beam& spot : spots_of(p)) {
    if (is_tilted(spot)) {
      return "beam.angle_deg = " + std::to_string(spot.angle * 57.29577951308232) +
             ": moments follow beams along z; allowed: 0";
    }
  }
  return "";
}

std::vector<SpotKind> spot_kinds(const Problem& p) {
  std::map<std::tuple<double, double, double, double, double>, SpotKind> kinds;
  for (const Beam& spot : spots_of(p)) {
    if (!(spot.weight > 0.0)) continue;
    SpotKind& kind = kinds[{spot.energy, spot.energy_sigma, spot.angle_sigma, spot.x_sigma, spot.focus}];
    kind.spots.push_back(&spot);
    kind.weight += spot.weight;
  }
  std::vector<SpotKind> out;
  for (auto& [key, kind] : kinds) {
    kind.spot = *kind.spots.front();
    kind.spot.x = 0.0;
    kind.spot.weight = 1.0;
    kind.spot.z = p.beam.z;
    out.push_back(std::move(kind));
  }
  return out;
}

std::vector<Layer> layers_of(const Problem& p) {
  std::vector<Layer> layers;
  for (int z = 0; z < p.grid.nz; ++z) {
    const int material = row_of(p, z).front();
    if (layers.empty() || layers.back().material != material) layers.push_back({material, z, z});
    layers.back().z1 = z + 1;
  }
  return layers;
}

}  // namespace bb::transport
