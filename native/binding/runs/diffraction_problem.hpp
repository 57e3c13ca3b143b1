#pragma once

#include "binding/convert.hpp"
#include "diffraction/model/problem.hpp"

namespace bb::binding {

/// Makes the C++ problem from the host's `DiffractionProblem` (electron/host/io/addon/addon.ts). Throws errors of
/// `Fields`, which name the field, or a ProblemError for an unknown word.
diffraction::Problem read_diffraction(const Fields& fields);

}  // namespace bb::binding
