#include "solver.hpp"

#include "cpu/caches.hpp"

// Outside the class, so that the class is compiled here and not once more by every file that derives from it: those of
// wider instruction sets would otherwise leave copies that any machine might call.
namespace bb::engine {

void Solver::start_cold() { cpu::empty_caches(); }

void Solver::replay_graphs() {
  throw transport::ProblemError("unsupported", "The CPU launches nothing that a graph could replay.");
}

}  // namespace bb::engine
