#pragma once

#include <napi.h>

#include "diffraction/model/problem.hpp"

namespace bb::binding {

/// The C++ problem from the host's `DiffractionProblem` (electron/host/io/addon/addon.ts). Throws a TypeError that names the
/// field, or a ProblemError for a word that is not known.
diffraction::Problem read_diffraction(const Napi::Object& object);

}  // namespace bb::binding
