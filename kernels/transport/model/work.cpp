#include "work.hpp"

#include <vector>

namespace bb::transport {
namespace {

constexpr double kPerGatherTap = 2;          // weight times source, added
constexpr double kPerAnglePair = 3;          // two neighbours at one distance share a weight
constexpr double kPerOwnAngle = 2;           // the kernel's centre
constexpr double kPerRemap = 5 * 2 + 2 + 2;  // flux over five cells, clamped at both ends; added and subtracted
constexpr double kPerScore = 9;              // number, dose, and the current with 1, θ and θ²

}  // namespace

double flops_per_cell_step(const Tables& t, std::span<const RowSizes> sizes) {
  std::vector<double> share(static_cast<std::size_t>(t.materials), 0.0);
  for (const std::uint8_t m : t.map) share[m] += 1.0 / static_cast<double>(t.map.size());
  double flops = kPerScore + (t.classes > 1 ? 1 : 2) * kPerRemap;  // depth stepping streams in x only
  for (int m = 0; m < t.materials; ++m) {
    const double each = share[static_cast<std::size_t>(m)] / (static_cast<double>(t.classes) * t.ne);
    for (const std::int32_t path : t.path_of) {
      const RowSizes& rows =
          sizes[static_cast<std::size_t>(path) * static_cast<std::size_t>(t.materials) + static_cast<std::size_t>(m)];
      flops += each * (kPerGatherTap * rows.taps + kPerAnglePair * rows.pairs + kPerOwnAngle * t.ne);
    }
  }
  return flops;
}

double flops_per_cell_step(const Tables& t) {
  std::vector<RowSizes> sizes;
  for (std::size_t first = 0; first < t.deposit.size(); first += static_cast<std::size_t>(t.ne)) {
    const std::size_t end = first + static_cast<std::size_t>(t.ne);
    sizes.push_back({static_cast<double>(t.gather_begin[end] - t.gather_begin[first]),
                     static_cast<double>(t.angle_begin[end] - t.angle_begin[first] - t.ne)});
  }
  return flops_per_cell_step(t, sizes);
}

}  // namespace bb::transport
