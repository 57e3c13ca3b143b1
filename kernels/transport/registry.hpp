#pragma once

#include <span>
#include <string>
#include <vector>

#include "transport/model/problem.hpp"
#include "transport/run/beams_solver.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Bytes of shared memory per block of a GPU variant: between `least` and `most`. The exact value depends on the
/// operators, which are not built yet when a variant is chosen.
struct SharedNeed {
  double least = 0, most = 0;
};

/// Properties of the GPU for a run that matter for the choice of a variant.
struct GpuLimits {
  std::string name;
  double memory_bytes = 0, shared_bytes = 0;  // per device and per block; 0: not known
};

/// Description and capabilities of a variant. The page and the command line show these texts.
struct Variant {
  const char* id;
  const char* title;
  const char* changes;    // changes relative to the variant on which it builds
  const char* builds_on;  // "" for none
  const char* device;     // "cpu" | "cuda"
  const char* source;     // file in the repository
  std::vector<Precision> precisions;
  std::vector<Stepping> steppings;
  double bytes_per_cell_step;  // compulsory traffic, FP32; Solver::bytes_per_cell_step is more precise
  double flops_per_cell_step;  // approximate, with narrow angle kernels; exact: flops_per_cell_step()
  int speed_rank;              // `auto` chooses the highest rank that the problem allows
  bool makes_rows = false;     // computes the rows of the operators itself if device_can_compute_rows()
  bool scores_tracks = false;  // can score the moments of tracks, from which LET is derived
  /// Bytes of state and scratch for a problem, known before it runs.
  double (*estimate_bytes)(const Problem&, const Tables&);
  engine::SolverFactory make;
  /// Bytes of state and scratch for a beam; null if a beam needs as much memory as a full state.
  double (*beam_bytes)(const Problem&, const Tables&, int threads) = nullptr;
  /// Returns the shared memory that a block needs; null if the variant needs none that a GPU might lack.
  SharedNeed (*shared_need)(const Problem&, const Tables&) = nullptr;
  /// Returns the reason why the variant cannot solve a problem, as "field = value: reason; allowed: …"; "" if it can.
  std::string (*refuses)(const Problem&) = nullptr;
  bool needs_operators = true;  // if false, TableBuilder::build_axes() is enough, and scores are those of whole cells
  /// Returns the reason why this machine cannot run the variant, in one sentence; "" if it can.
  std::string (*unavailable)() = [] { return std::string(); };
  /// Creates a solver for many beams that share tables. If null, each beam is solved by `make`.
  engine::BeamsSolverFactory make_beams = nullptr;
  /// Creates a solver for the readouts of beams without their maps; null if there is none.
  engine::ReadoutsSolverFactory make_readouts = nullptr;
};

std::span<const Variant> variants();

/// Returns the variant that `problem.variant` names, or the best for `auto`. Throws ProblemError('unsupported' |
/// 'memory' | 'device') with the field, the value and the allowed values. `gpu` is used in place of the actual GPU if
/// it is not null.
const Variant& choose_variant(const Problem& problem, const Tables& tables, const GpuLimits* gpu = nullptr);

}  // namespace bb::transport
