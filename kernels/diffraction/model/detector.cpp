#include "detector.hpp"

#include <cmath>
#include <string>

#include "frame.hpp"

namespace bb::diffraction {

Detector place_detector(const DetectorSpec& spec) {
  const auto turned = [&](Vec3 v) {
    return rotate(rotate_xyz(v, {spec.rotx, spec.roty, spec.rotz}), frame::kTwotheta, spec.twotheta);
  };
  Detector d{turned(frame::kFast), turned(frame::kSlow), turned(frame::kNormal), {}, 0.0};
  const double fast = spec.beam_y + 0.5 * spec.pixel, slow = spec.beam_x + 0.5 * spec.pixel;
  d.origin = spec.distance * frame::kBeam - fast * d.fast - slow * d.slow;
  d.close = dot(d.origin, d.normal);
  if (!(d.close > 0.0)) {
    throw ProblemError("invalid",
                       "detector: turned so far that its face looks away from the crystal (the plane's "
                       "distance is " +
                           std::to_string(d.close * 1e3) + " mm; it must be above 0)");
  }
  return d;
}

int needed_oversampling(double edge, const DetectorSpec& spec, double wavelength) {
  // Three samples in the width 1/edge of a fringe.
  const double pixels = 3.0 * edge * spec.pixel / (wavelength * spec.distance);
  return pixels > 1.0 ? static_cast<int>(std::ceil(pixels)) : 1;
}

}  // namespace bb::diffraction
