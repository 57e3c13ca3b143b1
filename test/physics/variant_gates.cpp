// The gates on range and falloff for every CUDA variant by itself; those that `auto` selects on a GPU are in the other
// gates as well.
#include <deque>
#include <string>
#include <string_view>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "transport/registry.hpp"

namespace bb::test {
namespace {

using namespace transport;

// test/physics/gold.md: 70 MeV in water, PSTAR.
constexpr double kRange = 40.80, kFalloff = 0.616, kPeakToEntrance = 7.04;

/// As fine in z and energy as the default scenario; coarse in x and angle, where the depth dose needs little, so that
/// the variants which visit the whole grid take seconds.
Problem pencil(const Variant& v, Precision precision, Stepping stepping) {
  Problem p = water_problem(70.0, {16.0, 44.0, 1.0, 0.2}, 0.4, 0.02);
  p.variant = v.id;
  p.precision = precision;
  p.stepping = stepping;
  p.keyframes = 0;
  return p;
}

void check_gates(const Variant& v, Precision precision, Stepping stepping) {
  const std::string why = v.unavailable();
  if (!why.empty()) SKIP(why);
  const Observed o(pencil(v, precision, stepping));
  const Curve dose = o.depth_dose();
  CHECK_NEAR(dose.distal(0.8), kRange, 0.3);
  CHECK_REL(dose.w80_20(), kFalloff, 0.05);
  CHECK_REL(dose.peak() / dose.at(0.5), kPeakToEntrance, 0.1);
  const double closed = precision == Precision::kFp32 ? 1e-6 : 1e-12;
  CHECK(o.result().number.back().rel_error <= closed);
  CHECK(o.result().energy.back().rel_error <= closed);
  CHECK(o.result().min_over_max >= -1e-4);
}

struct VariantGates {
  VariantGates() {
    for (const Variant& v : variants()) {
      if (std::string_view(v.device) != "cuda") continue;
      for (const Precision precision : v.precisions) {
        for (const Stepping stepping : v.steppings) {
          names.push_back(std::string("gate, range and falloff by ") + v.id +
                          (precision == Precision::kFp32 ? ", fp32" : ", fp64") +
                          (stepping == Stepping::kPath ? ", path stepping" : ", depth stepping"));
          const Registration registration(__FILE__, 1000 + static_cast<int>(names.size()), names.back(),
                                          [&v, precision, stepping] { check_gates(v, precision, stepping); });
        }
      }
    }
  }
  std::deque<std::string> names;
};

const VariantGates gates;

}  // namespace
}  // namespace bb::test
