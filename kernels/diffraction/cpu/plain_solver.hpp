#pragma once

#include <cmath>
#include <numbers>

#include "diffraction/run/solver.hpp"
#include "physics/lattice_factor.hpp"

namespace bb::diffraction {

/// FP64 solver with one plain loop nest per pixel, which adds terms in the order of the formulas. `Crystal::each` calls
/// its function with the cell edges of every orientation of a setup.
template <typename Crystal>
class PlainSolver final : public BandSolver {
 public:
  using BandSolver::BandSolver;

 private:
  bool pixels(RowPart part, std::span<double> out, const std::atomic<bool>& cancel) const override {
    for (int i = 0; i < part.count; ++i) {
      out[static_cast<std::size_t>(i)] = pixel(part.fast + i, part.slow, cancel);
      if (cancel.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  /// Returns the photons of a pixel. The value is meaningless if `cancel` was set.
  double pixel(int fast, int slow, const std::atomic<bool>& cancel) const {
    const Setup& s = setup();
    const bool each = s.corrections == Corrections::kSubpixel;
    double scattered = 0.0, weights = 0.0;
    for (int ss = 0; ss < s.oversample; ++ss) {
      for (int sf = 0; sf < s.oversample; ++sf) {
        for (int depth = 0; depth < s.layers; ++depth) {
          const Vec3 position = s.position(fast * s.oversample + sf, slow * s.oversample + ss, depth);
          const double path = length(position);
          const Vec3 direction = (1.0 / path) * position;
          const double absorbed = s.absorbed(depth, direction) * (each ? s.solid_angle(path) : 1.0);
          for (std::size_t source = 0; source < s.sources.size(); ++source) {
            if (cancel.load(std::memory_order_relaxed)) return 0.0;
            const double weight = absorbed * (each ? s.polarisation(s.sources[source], direction) : 1.0);
            weights += weight;
            scattered += weight * crystal(s.sources[source], direction);
          }
        }
      }
    }
    const double photons = s.scale * scattered + s.water * weights;
    return each ? photons : photons * s.pixel_correction(fast, slow);
  }

  /// Σ F² over the orientations, for light from `source` that is scattered into `direction`.
  double crystal(const Source& source, Vec3 direction) const {
    const Vec3 q = (1.0 / source.wavelength) * (direction - source.incident);
    double sum = 0.0;
    Crystal::each(setup(),
                  [&](const Basis& cell) { sum += intensity(dot(cell.a, q), dot(cell.b, q), dot(cell.c, q)); });
    return sum;
  }

  double intensity(double h, double k, double l) const {
    const Setup& s = setup();
    const double h0 = std::ceil(h - 0.5), k0 = std::ceil(k - 0.5), l0 = std::ceil(l - 0.5);
    const double f_cell = s.lookup == Lookup::kTricubic
                              ? s.structure.tricubic(h, k, l)
                              : s.structure.nearest(static_cast<int>(h0), static_cast<int>(k0), static_cast<int>(l0));
    const double f = f_cell * lattice_factor(h, k, l, h - h0, k - k0, l - l0);
    return f * f;
  }

  double lattice_factor(double h, double k, double l, double dh, double dk, double dl) const {
    const Setup& s = setup();
    if (s.shape == Shape::kSquare) {
      return physics::row_of_cells(h, s.na) * physics::row_of_cells(k, s.nb) * physics::row_of_cells(l, s.nc);
    }
    const double cells = s.na * s.nb * s.nc;
    const double rho2 = s.na * s.na * dh * dh + s.nb * s.nb * dk * dk + s.nc * s.nc * dl * dl;
    switch (s.shape) {
      case Shape::kRound:
        return cells * physics::kSphere * physics::sinc3(std::numbers::pi * std::sqrt(rho2));
      case Shape::kGauss:
        return cells * std::exp(-rho2 / physics::kGaussWidth2);
      default:
        return rho2 < physics::kTophatRadius2 ? cells : 0.0;
    }
  }
};

}  // namespace bb::diffraction
