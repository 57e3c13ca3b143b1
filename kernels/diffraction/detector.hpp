#pragma once

#include "problem.hpp"

namespace bb::diffraction {

/// A flat detector in the laboratory, metres.
struct Detector {
  Vec3 fast, slow, normal;  // unit vectors
  Vec3 origin;              // the outer corner of pixel (0, 0)
  double close = 0;         // nearest distance of the detector's plane from the crystal
};

/// The beam goes through (beam_x, beam_y) at `distance` whatever the rotations: they pivot about that point.
/// The beam centre is half a pixel off, as MOSFLM counts it. Throws ProblemError('invalid') for a detector that
/// looks away from the crystal.
Detector place_detector(const DetectorSpec& spec);

/// Sub-pixels along each side that resolve the fringes of a crystal whose longest edge is `edge` metres.
int needed_oversampling(double edge, const DetectorSpec& spec, double wavelength);

}  // namespace bb::diffraction
