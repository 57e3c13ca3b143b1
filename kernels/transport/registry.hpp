#pragma once

#include <span>
#include <string>
#include <vector>

#include "transport/model/problem.hpp"
#include "transport/run/beams_solver.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Bytes of shared memory that a block of a GPU variant needs: not less than `least`, and not more than `most`. What lies
/// between follows from the operators, which a choice does not wait for.
struct SharedNeed {
  double least = 0, most = 0;
};

/// The GPU that a run would use, as far as a choice looks at it.
struct GpuLimits {
  std::string name;
  double memory_bytes = 0, shared_bytes = 0;  // of the device, of a block; 0: not known
};

/// Description and capabilities of a variant; the page and the command line show these words.
struct Variant {
  const char* id;
  const char* title;
  const char* changes;    // what it changes against the one it builds on
  const char* builds_on;  // "" for none
  const char* device;     // "cpu" | "cuda"
  const char* source;     // file in the repository
  std::vector<Precision> precisions;
  std::vector<Stepping> steppings;
  double bytes_per_cell_step;  // compulsory traffic of the arrangement, FP32; Solver::bytes_per_cell_step knows better
  double flops_per_cell_step;  // about, with narrow angle kernels; flops_per_cell_step() counts those of a problem
  int speed_rank;              // `auto` takes the highest that the problem allows
  bool makes_rows = false;     // takes tables without the rows of the operators, where rows_can_be_left()
  bool scores_tracks = false;  // can keep the moments of tracks, from which LET follows
  /// Bytes of state and scratch that a problem needs, before it runs.
  double (*estimate_bytes)(const Problem&, const Tables&);
  engine::SolverFactory make;
  /// The same of a beam, where that is less than a filled state takes; null: it is not.
  double (*beam_bytes)(const Problem&, const Tables&, int threads) = nullptr;
  /// Null if it depends on nothing.
  SharedNeed (*shared_need)(const Problem&, const Tables&) = nullptr;
  /// Why it cannot solve a problem, as "field = value: reason; allowed: …"; "" when it can.
  std::string (*refuses)(const Problem&) = nullptr;
  bool needs_operators =
      true;  // else it only needs TableBuilder::build_axes(), and its scores are those of whole cells
  /// Why this machine cannot run it, in one sentence; "" when it can.
  std::string (*unavailable)() = [] { return std::string(); };
  /// Many beams that share tables, all at once; null: each is solved by `make`.
  engine::BeamsSolverFactory make_beams = nullptr;
};

std::span<const Variant> variants();

/// The variant `problem.variant` names, or the best for `auto`. Throws ProblemError('unsupported' |
/// 'memory' | 'device') that names the field, the value and what is allowed. `gpu` stands for the one that is there.
const Variant& choose_variant(const Problem& problem, const Tables& tables, const GpuLimits* gpu = nullptr);

}  // namespace bb::transport
