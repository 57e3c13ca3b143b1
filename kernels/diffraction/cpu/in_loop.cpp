#include <memory>

#include "diffraction/variants.hpp"
#include "plain_solver.hpp"

namespace bb::diffraction {
namespace {

struct RotatedCrystal {
  template <typename F>
  static void each(const Setup& s, F&& f) {
    for (const double phi : s.phis) {
      for (const Mat3& domain : s.domains) f(s.orientation(phi, domain));
    }
  }
};

}  // namespace

Variant in_loop_variant() {
  return {
      .id = "diffraction-in-loop",
      .title = "Rotation in the loop",
      .changes = "Rotates the cell by phi and mosaic block for every sub-pixel and source; the reference reads a table",
      .builds_on = "diffraction-reference",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/in_loop.cpp",
      .arithmetic = "fp64",
      .bright_error = 1e-12,
      .flops_per_term = 320,
      .speed_rank = -1,
      .make = [](const Setup& s) -> std::unique_ptr<Solver> {
        return std::make_unique<PlainSolver<RotatedCrystal>>(s);
      },
  };
}

}  // namespace bb::diffraction
