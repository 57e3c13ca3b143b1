#include "work.hpp"

#include <vector>

namespace bb::transport {
namespace {

constexpr double kPerGatherTap = 2;          // weight times source, added
constexpr double kPerAnglePair = 3;          // two neighbours at one distance share a weight
constexpr double kPerOwnAngle = 2;           // the kernel's centre
constexpr double kPerRemap = 5 * 2 + 2 + 2;  // flux over five cells, clamped at both ends; what stays and what comes
constexpr double kPerScore = 9;              // number, dose, and the current with 1, θ and θ²

}  // namespace

double flops_per_cell_step(const Tables& t) {
  std::vector<double> share(static_cast<std::size_t>(t.materials), 0.0);
  for (const std::uint8_t m : t.map) share[m] += 1.0 / static_cast<double>(t.map.size());
  double flops = kPerScore + (t.classes > 1 ? 1 : 2) * kPerRemap;  // depth stepping moves in x alone
  for (int m = 0; m < t.materials; ++m) {
    const double each = share[static_cast<std::size_t>(m)] / (static_cast<double>(t.classes) * t.ne);
    for (int c = 0; c < t.classes; ++c) {
      for (int e = 0; e < t.ne; ++e) {
        const std::size_t row = t.row(c, m, e);
        const int half = t.angle_begin[row + 1] - t.angle_begin[row] - 1;
        flops += each * (kPerGatherTap * (t.gather_begin[row + 1] - t.gather_begin[row]) + kPerAnglePair * half +
                         kPerOwnAngle);
      }
    }
  }
  return flops;
}

}  // namespace bb::transport
