#pragma once

#include <optional>
#include <string>

#include "transport/run/run.hpp"

namespace bb::test {

/// Mean way along the beam's axis at which protons stop, mm: from nine tenths of `longest` on, the integral of their
/// fluence, less those that are lost further on. Empty where the beam did not come to its end inside the grid, or leans
/// too far for planes to measure it; or where a side or an end of the angles takes some of a tilted beam. Those that are
/// left then lean to one side, and come further along the axis.
std::optional<double> mean_range(const transport::Problem& problem, const transport::Tables& tables,
                                 const engine::RunResult& result, double longest);

/// Longest way of a beam's protons along its axis, mm, in the mean over their energies. It is the CSDA range without any
/// angle, through the lightest matter of each row of cells; of a tilted beam, through the lightest of all. Infinite if
/// the grid ends before.
double longest_way(const transport::Problem& problem);

/// Says so where the mean range lies beyond that way, which is impossible; else empty. Without scattering the two are
/// the same, to the 0.1 % of the gates on the CSDA range. A run that says that its bins and steps add a spread of range
/// may be off by 3 % of it.
std::string beyond_longest_way(const transport::Problem& problem, const transport::Tables& tables,
                               const engine::RunResult& result);

}  // namespace bb::test
