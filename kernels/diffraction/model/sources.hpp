#pragma once

#include <cstddef>
#include <vector>

#include "plate.hpp"
#include "problem.hpp"

namespace bb::diffraction {

/// The beam's divergence as a grid of directions in an ellipse of the given full ranges, each at every
/// wavelength of its dispersion.
std::vector<Source> make_sources(const Beam& beam);

/// Number of sources.
std::size_t count_sources(const Beam& beam);

}  // namespace bb::diffraction
