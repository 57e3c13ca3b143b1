#pragma once

#include "diffraction/model/factor_box.hpp"
#include "diffraction/model/lattice_scalar.hpp"
#include "diffraction/model/options.hpp"
#include "diffraction/model/plate.hpp"

// Arguments of the CUDA variants' kernels in the variant's types: `I` for positions and indices, `T` for the lattice
// factor. The same bodies run on the host, where the tests compare them with the reference without a GPU.
namespace bb::diffraction::device {

/// A source, as the inner loops want it.
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

/// Solid angle and polarisation of whole pixels: the first source, the plane's normal, and the solid angle of a pixel at
/// the plane's foot.
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
  Number3<T> surface, across, down;    // that centre on the surface, and the steps from pixel to pixel
  Light<T> light;
  Cells<double> cells64;
  Cells<T> cells;
  Shape shape;
  Lookup lookup;
  bool each;      // corrections for every sub-pixel and source
  bool weighted;  // sub-pixels count differently
  bool table;     // F differs from reflection to reflection
  double f2;      // F² of every cell where it does not
  double scale, water;
  int sources, orientations, phis, domains;
  const Source* source;
  const Ray<I>* rays;
  const Edges<I>* edges;  // [phi][domain]
  FactorBox<T> factors;
  // For rotation in the loop:
  Basis mounted;
  Vec3 spindle;
  const double* phi;
  const Mat3* domain;
  /// Not 0 once the image is cancelled; null for launches that are over before anybody waits.
  const int* cancelled;
};

/// The usual case, known when the kernel is compiled: square crystals, cells that are all alike, sub-pixels that count
/// alike. Without the code of the others a kernel needs half the registers.
template <typename S>
struct Plain : S {
  static constexpr Shape shape = Shape::kSquare;
  static constexpr bool each = false, weighted = false, table = false;
};

}  // namespace bb::diffraction::device
