#include "registry.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "variant.hpp"
#include "variants.hpp"

namespace bb::diffraction {
namespace {

/// Maximum number of lattice factors per pixel on a GPU. One thread computes a pixel, and this many factors take it
/// about ten seconds.
constexpr double kMaxDeviceTerms = 1e8;

Refusal refusal(const Variant& v, const Outline& outline) {
  const std::string name = std::string("solver.variant = ") + v.id + ": ";
  if (const std::string missing = v.unavailable(); !missing.empty()) return {"device", name + missing};
  if (const std::string why = v.refuses(outline); !why.empty()) return {"unsupported", name + why};
  if (on_gpu(v) && outline.terms_per_pixel() > kMaxDeviceTerms) {
    return {"unsupported", name + "a pixel needs " + std::to_string(std::llround(outline.terms_per_pixel())) +
                               " lattice factors (detector.oversample, detector.layers, beam, crystal.mosaic_domains, "
                               "rotation.steps); allowed on a GPU: at most 100000000"};
  }
  return {nullptr, ""};
}

}  // namespace

std::span<const Variant> variants() {
  static const std::vector<Variant> all = {
      reference_variant(),
      fp64_variant(),
      in_loop_variant(),
      unfused_variant(),
      naive_variant(),
      delta_variant(),
      mixed_variant(),
      chebyshev_variant(),
      double_float_variant(),
      cuda_unfused_variant(),
      cuda_unfused_graph_variant(),
      cuda_unfused_fp32_variant(),
      cuda_fp64_variant(),
      cuda_naive_variant(),
      cuda_delta_variant(),
      cuda_fast_math_variant(),
      cuda_double_float_variant(),
      cuda_in_loop_variant(),
      cuda_mixed_variant(),
      cuda_constant_variant(),
      cuda_shared_variant(),
      cuda_warp_variant(),
      cuda_fixed_point_variant(),
      cuda_chebyshev_variant(),
  };
  return all;
}

const Variant& choose_variant(const std::string& name, const Outline& outline) {
  const Variant* best = nullptr;
  std::string names;
  for (const Variant& v : variants()) {
    names += (names.empty() ? "" : ", ") + std::string(v.id);
    if (name == v.id) {
      const Refusal refused = refusal(v, outline);
      if (refused.code == nullptr) return v;
      throw ProblemError(refused.code, refused.why);
    }
    if (name != "auto" || v.speed_rank <= 0 || v.bright_error > kParity || refusal(v, outline).code != nullptr)
      continue;
    if (best == nullptr || v.speed_rank > best->speed_rank) best = &v;
  }
  if (best == nullptr) refuse_unknown(name, names);
  return *best;
}

}  // namespace bb::diffraction
