#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Dose integrated across the beam axis. The solver scores the energy of a tilted beam's step in the cell of the step's
// middle. This profile spreads it along the axis over the length of the step or the cell, whichever is larger. It also
// spreads it by the cell's width (a trapezium). Energy is conserved, and neither steps nor cells appear as a comb.
// Along +z the profile is the sum over x.
namespace bb::transport {

struct AxisGeometry {
  std::size_t nz = 0, nx = 0;
  double dz_mm = 0, dx_mm = 0;
  double x_mm = 0, z_mm = 0;  // entrance point; x from the centre of the geometry, z from its front face
  double angle_rad = 0;       // from +z
  double reach_mm = 0;        // length along the axis over which a cell's energy is spread
};

struct AxisProfile {
  double start_mm = 0;         // depth of the first bin's lower edge along the axis, from the entrance point
  double step_mm = 0;          // width of a bin: dz
  std::vector<double> values;  // MeV per mm of axis, one per bin
};

/// `dose`: MeV per cell, [z][x]. If `divisor` is not empty, the value of a cell is dose * factor / divisor.
AxisProfile axis_profile(std::span<const double> dose, const AxisGeometry& geometry, std::span<const double> divisor,
                         double factor);

}  // namespace bb::transport
