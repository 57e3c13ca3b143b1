#pragma once

#include <memory>
#include <span>
#include <string>

#include "diffraction/run/solver.hpp"

namespace bb::diffraction {

/// Description and capabilities of a variant; the page and the command line show these texts.
struct Variant {
  const char* id;
  const char* title;
  const char* changes;     // difference from the variant that it builds on
  const char* builds_on;   // "" if it builds on none
  const char* device;      // "cpu" | "cuda"
  const char* source;      // file in the repository
  const char* arithmetic;  // "fp64" | "fp32": the widest that the lattice factors are computed in.
  /// Largest relative error on pixels above 1e-3 of the maximum that the parity tests allow, over crystals of 5 … 1000
  /// cells per edge. Above `kParity` the variant is shown as wrong.
  double bright_error;
  /// Operations per lattice factor; a fused multiply-add counts as two.
  double flops_per_term;
  int speed_rank;  // `auto` takes the highest among the correct, usable variants; 0: never chosen
  std::unique_ptr<Solver> (*make)(const Setup&);
  /// Number of those operations in FP64; on the CPU, `arithmetic` decides instead.
  double fp64_flops_per_term = 0;
  /// Operations for the rest of a pixel, once per sub-pixel and source.
  double flops_per_beam = 0, fp64_flops_per_beam = 0;
  /// Memory traffic of temporaries per lattice factor.
  double bytes_per_term = 0;
  /// Memory of temporaries in addition to the image, bytes.
  double (*scratch_bytes)(const Outline&) = [](const Outline&) { return 0.0; };
  /// Reason why the variant cannot compute this problem, in one sentence; "" if it can.
  std::string (*refuses)(const Outline&) = [](const Outline&) { return std::string(); };
  /// Reason why this machine cannot run the variant, in one sentence; "" if it can.
  std::string (*unavailable)() = [] { return std::string(); };
};

/// Largest relative error allowed on bright pixels.
inline constexpr double kParity = 2e-5;

/// Largest relative difference between FP64 variants on bright pixels. They round the last bits of N·h turns in
/// different orders.
inline constexpr double kReferenceRounding = 5e-9;

std::span<const Variant> variants();

/// Returns the named variant, or the best one for `auto`. Throws ProblemError('unsupported' | 'device') that names the
/// field, the value and the allowed values.
const Variant& choose_variant(const std::string& name, const Outline& outline);

}  // namespace bb::diffraction
