#include "solver.hpp"

#include "cpu/host.hpp"

// Defined outside the class, so that these functions are compiled only here. Files for wider instruction sets that
// derive from the class would otherwise emit copies that any machine might call.
namespace bb::engine {

void Solver::start_cold() { cpu::empty_caches(); }

void Solver::replay_graphs() {
  throw transport::ProblemError("unsupported", "CPU variants have no launches that a graph could replay.");
}

}  // namespace bb::engine
