#pragma once

#include "binding/convert.hpp"
#include "diffraction/model/problem.hpp"

namespace bb::binding {

/// The C++ problem from the host's `DiffractionProblem` (electron/host/io/addon/addon.ts). Throws what
/// `Fields` throws, which names the field, or a ProblemError for a word that is not known.
diffraction::Problem read_diffraction(const Fields& fields);

}  // namespace bb::binding
