#pragma once

#include "plate.hpp"
#include "problem.hpp"

namespace bb::diffraction {

/// The beam goes through (beam_x, beam_y) at `distance` whatever the rotations: they pivot about that point.
/// The beam centre is half a pixel off, as MOSFLM counts it. Throws ProblemError('invalid') for a detector that
/// looks away from the crystal.
Detector place_detector(const DetectorSpec& spec);

/// Sub-pixels along each side that resolve the fringes of a crystal whose longest edge is `edge` metres.
int needed_oversampling(double edge, const DetectorSpec& spec, double wavelength);

}  // namespace bb::diffraction
