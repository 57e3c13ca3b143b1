#pragma once

#include "problem.hpp"

namespace bb::diffraction {

/// Volume of a cell, m³. Throws ProblemError('invalid') when the angles close no cell.
double volume(const Cell& cell);

/// a*, b*, c* in 1/m: a* along x, b* in the x–y plane. c*_z is 1/c only where ab is its plane's area. So it is
/// taken from the volume, V* / (a* b* sin γ*), which holds for a triclinic cell too.
/// After Busing & Levy, Acta Cryst. 22 (1967) 457.
Basis reciprocal_basis(const Cell& cell);

/// The other basis: real edges of a reciprocal one and the reverse. Throws ProblemError('invalid') for three
/// vectors in one plane.
Basis inverse_basis(const Basis& basis);

/// Real edges of the crystal as it is mounted, metres: the cell or the matrix, turned by the misset.
Basis mounted_cell(const Crystal& crystal);

}  // namespace bb::diffraction
