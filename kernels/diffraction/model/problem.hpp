#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/problem_error.hpp"
#include "plate.hpp"
#include "vec3.hpp"

// A diffraction problem with all defaults resolved, the input of every engine. SI units and radians.
namespace bb::diffraction {

/// Edges and angles of the unit cell.
struct Cell {
  double a = 0, b = 0, c = 0;             // m
  double alpha = 0, beta = 0, gamma = 0;  // rad
};

struct Crystal {
  std::optional<Cell> cell;         // the cell, or …
  std::optional<Basis> reciprocal;  // … a*, b*, c* in 1/m instead
  Vec3 misset;                      // rad, about x, then y, then z
  int na = 1, nb = 1, nc = 1;       // number of cells along each edge
  Shape shape = Shape::kSquare;
  double mosaic_spread = 0;  // rad
  int mosaic_domains = 1;
  std::int32_t mosaic_seed = 12345678;
};

struct DetectorSpec {
  int width = 0, height = 0;                          // number of pixels, fast and slow
  double pixel = 0, distance = 0;                     // m
  double beam_x = 0, beam_y = 0;                      // m, MOSFLM's convention: X along slow, Y along fast
  double rotx = 0, roty = 0, rotz = 0, twotheta = 0;  // rad
  double thickness = 0;                               // m; 0: absorbs everything at the surface
  double attenuation_depth = 0;                       // m, 1/e
  int layers = 1;
  int oversample = 0;  // sub-pixels along each side; 0: as many as the crystal needs
  Corrections corrections = Corrections::kPixel;
};

struct Beam {
  double wavelength = 0;  // m
  double dispersion = 0;  // full relative range
  int dispersion_steps = 1;
  double divergence_h = 0, divergence_v = 0;  // full ranges, rad
  int divergence_h_steps = 1, divergence_v_steps = 1;
  double fluence = 0;       // photons/m²
  double polarisation = 0;  // Kahn's factor, -1 … 1
};

struct Rotation {
  double phi0 = 0, oscillation = 0;  // rad
  int steps = 1;
};

struct Reflection {
  int h, k, l;
  double f;  // number of electrons
};

struct Problem {
  Beam beam;
  Crystal crystal;
  DetectorSpec detector;
  Rotation rotation;
  double default_f = 0;                 // F of every reflection that is not in the list
  std::vector<Reflection> reflections;  // P1: no symmetry is applied
  Lookup lookup = Lookup::kNearest;
  double water = 0;  // edge of a cube of water in the beam, m
  std::string variant = "auto";
  std::string device;       // GPU by index or UUID; "": the default one
  int threads = 0;          // 0 = all
  double memory_limit = 0;  // bytes; 0 = no limit
};

}  // namespace bb::diffraction
