#pragma once

#include <memory>
#include <span>
#include <string>

#include "diffraction/run/solver.hpp"

namespace bb::diffraction {

/// Description and capabilities of a variant; the page and the command line show these words.
struct Variant {
  const char* id;
  const char* title;
  const char* changes;     // what it changes against the one it builds on
  const char* builds_on;   // "" for none
  const char* device;      // "cpu" | "cuda"
  const char* source;      // file in the repository
  const char* arithmetic;  // "fp64" | "fp32": the widest that the lattice factors are computed in
  /// Largest relative error on pixels above 1e-3 of the maximum that the parity tests hold it to, over crystals
  /// of 5 … 1000 cells an edge. Above `kParity` the variant is shown as wrong.
  double bright_error;
  /// Operations of a lattice factor; a fused multiply-add is two.
  double flops_per_term;
  int speed_rank;  // `auto` takes the highest of those that are right and can; 0: it never takes this one
  std::unique_ptr<Solver> (*make)(const Setup&);
  /// Number of those operations in FP64; for a CPU variant, as its arithmetic says.
  double fp64_flops_per_term = 0;
  /// The rest of a pixel's work, once for each sub-pixel and source.
  double flops_per_beam = 0, fp64_flops_per_beam = 0;
  /// Traffic of temporaries for each lattice factor.
  double bytes_per_term = 0;
  /// Memory of temporaries in addition to the image, bytes.
  double (*scratch_bytes)(const Outline&) = [](const Outline&) { return 0.0; };
  /// Why it cannot compute this problem, in one sentence; "" when it can.
  std::string (*refuses)(const Outline&) = [](const Outline&) { return std::string(); };
  /// Why this machine cannot run it, in one sentence; "" when it can.
  std::string (*unavailable)() = [] { return std::string(); };
};

/// A bright pixel may be off by this much.
inline constexpr double kParity = 2e-5;

/// Difference between FP64 arithmetics on bright pixels: the last bits of N·h turns are rounded in another order.
inline constexpr double kReferenceRounding = 5e-9;

std::span<const Variant> variants();

/// The variant named, or the best for `auto`. Throws ProblemError('unsupported' | 'device') that names the field,
/// the value and what is allowed.
const Variant& choose_variant(const std::string& name, const Outline& outline);

}  // namespace bb::diffraction
