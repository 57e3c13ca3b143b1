#pragma once

#include <vector>

#include "../kernels/held_run.hpp"
#include "transport/run/run.hpp"

// Quantities of a run for the gates of test/physics/gold.md.
namespace bb::test {

/// A dose curve of equal cells. Each value is the mean over a cell, whose position is its centre.
struct Curve {
  double first = 0, step = 1;  // mm
  std::vector<double> value;

  double at(double position) const;
  /// Highest value, and the distal position (mm) at which the curve falls to `share` of it. The values are means over
  /// cells of a smooth curve, the derivative of the cubic spline through the running integral. The workbench uses the
  /// same curve.
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

/// A solved problem. Every gate thereby checks its mean range against the longest path of its protons.
class SolvedProblem {
 public:
  explicit SolvedProblem(const transport::Problem& problem);

  const transport::Tables& tables() const { return run_.tables(); }
  const engine::RunResult& result() const { return result_; }
  const char* variant() const { return run_.variant().id; }

  /// Dose integrated over x, as a function of z.
  Curve depth_dose() const;
  /// Dose integrated across the axis that starts at (x, z) under `angle`, as a function of the path along it.
  Curve dose_along(double x, double z, double angle) const;
  /// Fluence at a depth (mm), interpolated between planes. Excludes the variance that the grid adds because it cannot
  /// represent a narrower beam.
  Fluence fluence(double depth) const;
  double sigma_x(double depth) const;

 private:
  test::Run run_;
  engine::RunResult result_;
};

}  // namespace bb::test
