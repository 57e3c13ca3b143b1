#pragma once

#include <string>
#include <utility>
#include <vector>

#include "problems.hpp"

// Problems that together use every option, for comparisons with the reference.
namespace bb::test {

// With sanitizers, images have at most a sixteenth of the pixels, because a few rows reach every branch.
#ifdef BB_SANITIZED
constexpr int kWide = 128, kTilted = 64, kTriclinic = 128, kShaped = 64, kEverything = 24;
#else
constexpr int kWide = 1024, kTilted = 256, kTriclinic = 512, kShaped = 128, kEverything = 48;
#endif

struct Scene {
  std::string name;
  diffraction::Problem problem;
};

inline diffraction::Problem tilted_crystal(int cells) {
  diffraction::Problem p = cubic_problem(kTilted);
  p.beam.wavelength = kAngstrom;
  p.crystal.misset = {10 * kDegree, 20 * kDegree, 30 * kDegree};
  p.crystal.na = p.crystal.nb = p.crystal.nc = cells;
  p.detector.oversample = 1;
  return p;
}

/// Uses every option at once.
inline diffraction::Problem everything() {
  diffraction::Problem p = cubic_problem(kEverything);
  p.crystal.na = 7;
  p.crystal.nb = 1;
  p.crystal.nc = 3;
  p.crystal.mosaic_spread = 0.5 * kDegree;
  p.crystal.mosaic_domains = 3;
  p.rotation = {-1 * kDegree, 2 * kDegree, 4};
  p.detector.thickness = 450e-6;
  p.detector.attenuation_depth = 5e-4;
  p.detector.layers = 3;
  p.detector.corrections = diffraction::Corrections::kSubpixel;
  p.detector.oversample = 2;
  p.detector.rotx = 0.1;
  p.detector.twotheta = 0.2;
  p.beam.polarisation = 0.9;
  p.water = 1e-8;
  p.beam.divergence_h = 1e-3;
  p.beam.divergence_h_steps = 3;
  p.beam.dispersion = 0.01;
  p.beam.dispersion_steps = 2;
  for (int h = -6; h <= 6; ++h) {
    for (int k = -6; k <= 6; ++k) {
      for (int l = -6; l <= 6; ++l)
        p.reflections.push_back({h, k, l, 50.0 + 7 * ((h * 31 + k * 17 + l * 5 + 600) % 11)});
    }
  }
  return p;
}

inline std::vector<Scene> scenes() {
  std::vector<Scene> all = {{"cubic, 5 cells", cubic_problem(kWide)},
                            {"10 cells", tilted_crystal(10)},
                            {"100 cells", tilted_crystal(100)},
                            {"1000 cells", tilted_crystal(1000)},
                            {"triclinic", triclinic_problem(kTriclinic)}};
  for (const auto& [name, shape] :
       {std::pair{"round", diffraction::Shape::kRound}, std::pair{"Gaussian", diffraction::Shape::kGauss},
        std::pair{"top hat", diffraction::Shape::kTophat}}) {
    all.push_back({name, cubic_problem(kShaped)});
    all.back().problem.crystal.shape = shape;
  }
  all.push_back({"everything", everything()});
  all.push_back({"everything, tricubic", everything()});
  all.back().problem.lookup = diffraction::Lookup::kTricubic;
  all.back().problem.detector.corrections = diffraction::Corrections::kPixel;
  return all;
}

}  // namespace bb::test
