#pragma once

#include <vector>

#include "problem.hpp"

namespace bb::diffraction {

/// One direction and wavelength of the incident beam. All have the same weight.
struct Source {
  Vec3 incident;      // unit vector
  double wavelength;  // m
};

/// The beam's divergence as a grid of directions in an ellipse of the given full ranges, each at every
/// wavelength of its dispersion.
std::vector<Source> make_sources(const Beam& beam);

}  // namespace bb::diffraction
