#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Dose integrated across the beam axis. A tilted beam leaves the energy of a step in the cell of the step's middle: it is
// spread along the axis as far as the step goes, or as the cell reaches where that is more; across, by the cell's
// width (a trapezium). No energy is lost, and neither steps nor cells show as a comb. Along +z the profile is the plain
// sum over x.
namespace bb::transport {

struct AxisGeometry {
  std::size_t nz = 0, nx = 0;
  double dz_mm = 0, dx_mm = 0;
  double x_mm = 0, z_mm = 0;  // entrance point; x from the centre of the geometry, z from its front
  double angle_rad = 0;       // from +z
  double reach_mm = 0;        // how far along the axis a cell's energy is spread by its depth or its step
};

struct AxisProfile {
  double start_mm = 0;         // depth along the axis of the first bin's near edge, from the entrance point
  double step_mm = 0;          // width of a bin: dz
  std::vector<double> values;  // MeV per mm of axis, one per bin
};

/// dose: MeV per cell, [z][x]. With a divisor of each cell its value is dose * factor / divisor.
AxisProfile axis_profile(std::span<const double> dose, const AxisGeometry& geometry, std::span<const double> divisor,
                         double factor);

}  // namespace bb::transport
