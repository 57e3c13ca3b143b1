#include "fermi_eyges.hpp"

namespace bb::physics {

std::vector<PencilMoments> fermi_eyges(const PencilMoments& start, double energy, double cutoff, int cells,
                                       double cell_mm, const std::function<const PencilMedium&(int)>& medium_of) {
  // Near the end of the range, the scattering power grows like 1/E². So each cell is divided into parts, which are
  // evaluated at their middles.
  constexpr int kParts = 16;
  std::vector<PencilMoments> out;
  PencilMoments now = start;
  const double part = cell_mm / kParts;
  for (int i = 0; i < cells; ++i) {
    const PencilMedium& medium = medium_of(i);
    for (int k = 0; k < kParts; ++k) {
      if (k == kParts / 2) out.push_back(now);
      const double middle = medium.energy_after(energy, part / 2.0);
      const double after = medium.energy_after(energy, part);
      if (!(after > cutoff)) return out;
      now = drifted(now, part, medium.power(middle));
      energy = after;
    }
  }
  return out;
}

}  // namespace bb::physics
