// Every registered variant of the diffraction workload against `diffraction-reference`, at the error that it
// states. A variant registered tomorrow is covered tomorrow.
#include <string>
#include <string_view>
#include <vector>

#include "../kernels/diffraction/problems.hpp"
#include "check.hpp"

using namespace bb;
using namespace bb::diffraction;
using namespace bb::test;

namespace {

// Under the sanitizers a sixteenth of the pixels.
#ifdef BB_SANITIZED
constexpr int kWide = 256, kTilted = 128;
#else
constexpr int kWide = 1024, kTilted = 256;
#endif

struct Scene {
  std::string name;
  Problem problem;
};

Problem tilted_crystal(int cells) {
  Problem p = cubic_problem(kTilted);
  p.beam.wavelength = kAngstrom;
  p.crystal.misset = {10 * kDegree, 20 * kDegree, 30 * kDegree};
  p.crystal.na = p.crystal.nb = p.crystal.nc = cells;
  p.detector.oversample = 1;
  return p;
}

/// Every option at once.
Problem everything() {
  Problem p = cubic_problem(48);
  p.crystal.na = 7;
  p.crystal.nb = 1;
  p.crystal.nc = 3;
  p.crystal.mosaic_spread = 0.5 * kDegree;
  p.crystal.mosaic_domains = 3;
  p.rotation = {-1 * kDegree, 2 * kDegree, 4};
  p.detector.thickness = 450e-6;
  p.detector.attenuation_depth = 5e-4;
  p.detector.layers = 3;
  p.detector.corrections = Corrections::kSubpixel;
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

std::vector<Scene> scenes() {
  std::vector<Scene> all = {{"cubic, 5 cells", cubic_problem(kWide)},
                            {"10 cells", tilted_crystal(10)},
                            {"100 cells", tilted_crystal(100)},
                            {"1000 cells", tilted_crystal(1000)},
                            {"triclinic", triclinic_problem()}};
  for (const auto& [name, shape] : {std::pair{"round", Shape::kRound}, std::pair{"Gaussian", Shape::kGauss},
                                    std::pair{"top hat", Shape::kTophat}}) {
    all.push_back({name, cubic_problem(128)});
    all.back().problem.crystal.shape = shape;
  }
  all.push_back({"everything", everything()});
  all.push_back({"everything, tricubic", everything()});
  all.back().problem.lookup = Lookup::kTricubic;
  all.back().problem.detector.corrections = Corrections::kPixel;
  return all;
}

}  // namespace

TEST("every diffraction variant keeps the error that it states") {
  for (const Scene& scene : scenes()) {
    const auto wanted = render(scene.problem).image;
    const Setup setup = make_setup(scene.problem);
    for (const Variant& v : variants()) {
      if (!v.unavailable().empty() || !v.refuses(setup).empty() || v.bright_error >= 1.0) continue;
      const ImageError e = image_error(render(scene.problem, v.id).image, wanted);
      // Which reflection is nearest, and whether a point lies in the top hat, is decided by the last bit.
      if (!(e.bright <= v.bright_error)) {
        fail(
            __FILE__, __LINE__,
            scene.name + ", " + v.id + ": bright pixels off by " + show(e.bright) + ", stated " + show(v.bright_error));
      }
      const double most = v.bright_error > kParity ? v.bright_error : v.bright_error > 1e-6 ? 1e-5 : 1e-9;
      CHECK(e.rel_l2 <= most);
      CHECK(e.max <= most);
      CHECK(e.sum <= most);
    }
  }
}

TEST("naive FP32 is wrong, and correlation does not see it") {
  const Problem p = cubic_problem(1024);
  const auto wanted = render(p).image;
  const ImageError naive = image_error(render(p, "diffraction-naive-fp32").image, wanted);
  CHECK(naive.correlation > 0.999999);
  CHECK(naive.bright > 0.2);
  const ImageError delta = image_error(render(p, "diffraction-delta-fp32").image, wanted);
  CHECK(delta.bright < 1e-3);
  CHECK(delta.bright > kParity);
  const ImageError mixed = image_error(render(p, "diffraction-mixed").image, wanted);
  CHECK(mixed.bright < kParity);
}
