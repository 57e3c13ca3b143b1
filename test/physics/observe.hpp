#pragma once

#include <vector>

#include "../kernels/held_run.hpp"
#include "transport/run/run.hpp"

// Quantities that a physicist reads off a run, for the gates of test/physics/gold.md.
namespace bb::test {

/// A dose curve of equal cells: the mean of each, by its centre.
struct Curve {
  double first = 0, step = 1;  // mm
  std::vector<double> value;

  double at(double position) const;
  /// Highest value, and the distal position (mm) where the curve falls to `share` of it; both of the curve whose means
  /// the cells are, as the workbench reads them: the derivative of the cubic spline through the running integral.
  double peak() const;
  double distal(double share) const;
  double w80_20() const { return distal(0.2) - distal(0.8); }

 private:
  /// Values at the cells' edges, one more than cells.
  std::vector<double> edges() const;
};

/// Moments of the protons' fluence through one plane.
struct Fluence {
  double number, x, x_variance, theta, theta_variance, covariance;  // protons, mm, mm², rad, rad², mm rad
};

/// A solved problem whose mean range is checked against the longest way of its protons: every gate includes that.
class Observed {
 public:
  explicit Observed(const transport::Problem& problem);

  const transport::Tables& tables() const { return run_.tables(); }
  const engine::RunResult& result() const { return result_; }
  const char* variant() const { return run_.variant().id; }

  /// Dose integrated across x, over z.
  Curve depth_dose() const;
  /// Dose integrated across the axis that starts at (x, z) under `angle`, over the way along it.
  Curve dose_along(double x, double z, double angle) const;
  /// Fluence at a depth (mm), interpolated between planes; the variance that the narrowest beam of
  /// the grid brings along is taken off.
  Fluence fluence(double depth) const;
  double sigma_x(double depth) const;

 private:
  test::Run run_;
  engine::RunResult result_;
};

}  // namespace bb::test
