#pragma once

#include "diffraction/model/factor_box.hpp"
#include "diffraction/model/lattice_scalar.hpp"
#include "diffraction/model/plate.hpp"

// Arguments of the CUDA variants' kernels in the variant's types: `I` for positions and indices, `T` for the lattice
// factor. The same code also runs on the host, where tests compare it with the reference without a GPU.
namespace bb::diffraction::device {

/// A source in the form that the inner loops need.
template <typename I>
struct Ray {
  Number3<I> incident;
  I per_wavelength;  // 1/m
};

/// Edges of the cell in one orientation, m; loaded 16 bytes at a time.
template <typename I>
struct alignas(16) Edges {
  Number3<I> a, b, c;
};

/// Parameters for solid angle and polarisation of whole pixels: the first source, the plane's normal, and the solid
/// angle of a pixel at the point of the plane nearest to the crystal.
template <typename T>
struct Light {
  Number3<T> incident, magnetic, electric, normal;
  T nearest, kahn;
};

template <typename I, typename T>
struct DeviceSetup {
  using Index = I;
  using Factor = T;

  Plate plate;
  Number3<I> first, fast, slow, deep;  // centre of sub-pixel (0, 0) in the first layer, and the steps from it, m
  Number3<T> surface, across, down;    // centre of sub-pixel (0, 0) on the surface, and the steps between pixels
  Light<T> light;
  Cells<double> cells64;
  Cells<T> cells;
  Shape shape;
  Lookup lookup;
  bool each;      // corrections differ between sub-pixels and sources
  bool weighted;  // sub-pixels have different weights
  bool table;     // F depends on the reflection
  double f2;      // F² of every cell if `table` is false
  double scale, water;
  int sources, orientations, phis, domains;
  const Source* source;
  const Ray<I>* rays;
  const Edges<I>* edges;  // [phi][domain]
  FactorBox<T> factors;
  // Used only by variants that rotate the cell inside the loop:
  Basis mounted;
  Vec3 spindle;
  const double* phi;
  const Mat3* domain;
  /// Points to a flag that is not 0 once the image is cancelled; null for launches too short to cancel.
  const int* cancelled;
};

/// The usual case as compile-time constants: square crystals, identical cells, and sub-pixels of equal weight. A kernel
/// without the code of the other cases needs half the registers.
template <typename S>
struct PlainSetup : S {
  static constexpr Shape shape = Shape::kSquare;
  static constexpr bool each = false, weighted = false, table = false;
};

}  // namespace bb::diffraction::device
