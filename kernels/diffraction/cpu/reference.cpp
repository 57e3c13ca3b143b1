// Reference solver that the other variants are compared with.
#include <memory>

#include "diffraction/variants.hpp"
#include "plain_solver.hpp"

namespace bb::diffraction {
namespace {

struct TableLookup {
  template <typename F>
  static void each(const Setup& s, F&& f) {
    for (const Basis& cell : s.orientations) f(cell);
  }
};

}  // namespace

Variant reference_variant() {
  return {
      .id = "diffraction-reference",
      .title = "Reference",
      .changes = "FP64, one plain loop nest per pixel, every sum in the order of the definition: the oracle",
      .builds_on = "",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/reference.cpp",
      .arithmetic = "fp64",
      .bright_error = 0.0,
      .flops_per_term = 170,
      .speed_rank = 0,
      .make = [](const Setup& s) -> std::unique_ptr<Solver> { return std::make_unique<PlainSolver<TableLookup>>(s); },
  };
}

}  // namespace bb::diffraction
