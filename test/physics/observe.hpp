#pragma once

#include <vector>

#include "../kernels/held_run.hpp"
#include "transport/run/run.hpp"

// Quantities that a physicist reads from a run, for the gates of test/physics/gold.md.
namespace bb::test {

/// A dose curve of equal cells: the mean of each cell, at its centre.
struct Curve {
  double first = 0, step = 1;  // mm
  std::vector<double> value;

  double at(double position) const;
  /// Highest value, and the distal position (mm) where the curve falls to `share` of it. The cells are means of this
  /// curve, as in the workbench: the derivative of the cubic spline through the running integral.
  double peak() const;
  double distal(double share) const;
  double w80_20() const { return distal(0.2) - distal(0.8); }

 private:
  /// Values at the edges of cells, one more than there are cells.
  std::vector<double> edges() const;
};

/// Moments of the protons' fluence through one plane.
struct Fluence {
  double number, x, x_variance, theta, theta_variance, covariance;  // protons, mm, mm², rad, rad², mm rad
};

/// A solved problem whose mean range is checked against the longest path of its protons: every gate includes this
/// check.
class Observed {
 public:
  explicit Observed(const transport::Problem& problem);

  const transport::Tables& tables() const { return run_.tables(); }
  const engine::RunResult& result() const { return result_; }
  const char* variant() const { return run_.variant().id; }

  /// Dose integrated over x, as a function of z.
  Curve depth_dose() const;
  /// Dose integrated across the axis that starts at (x, z) under `angle`, as a function of the path along it.
  Curve dose_along(double x, double z, double angle) const;
  /// Fluence at a depth (mm), interpolated between planes, without the variance of the grid's narrowest possible beam.
  Fluence fluence(double depth) const;
  double sigma_x(double depth) const;

 private:
  test::Run run_;
  engine::RunResult result_;
};

}  // namespace bb::test
