#pragma once

#include <napi.h>

#include "transport/model/problem.hpp"

namespace bb::binding {

/// Reads the TransportProblem of electron/host/io/addon/addon.ts. Throws a TypeError that names the field.
transport::Problem read_problem(const Napi::Object& object);

}  // namespace bb::binding
