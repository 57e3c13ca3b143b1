#pragma once

#include <functional>
#include <vector>

// Fermi-Eyges theory of a pencil beam (L. Eyges, Phys. Rev. 74 (1948) 1534), in one plane through the axis of a
// straight beam without energy spread. It is the small-angle limit of the transport equation.
namespace bb::physics {

/// Moments of angle and position in a beam's cross section.
struct PencilMoments {
  double theta_theta = 0;  // rad²
  double x_theta = 0;      // mm rad
  double x_x = 0;          // mm²
};

/// Moments after `length` mm with a constant scattering power `power` (rad² per mm).
inline PencilMoments drifted(const PencilMoments& m, double length, double power) {
  const double h = length;
  return {m.theta_theta + power * h, m.x_theta + m.theta_theta * h + power * h * h / 2.0,
          m.x_x + 2.0 * m.x_theta * h + m.theta_theta * h * h + power * h * h * h / 3.0};
}

/// One cell of the beam's path. Both functions are called for every part of the cell.
struct PencilMedium {
  std::function<double(double energy, double length)> energy_after;  // MeV after `length` mm; <= 0: stopped
  std::function<double(double energy)> power;                        // rad² per mm
};

/// Moments at the middle of each of `cells` cells of `cell_mm`, until the energy falls below `cutoff` (MeV).
/// `medium_of(i)` is the medium of cell i.
std::vector<PencilMoments> fermi_eyges(const PencilMoments& start, double energy, double cutoff, int cells,
                                       double cell_mm, const std::function<const PencilMedium&(int)>& medium_of);

}  // namespace bb::physics
