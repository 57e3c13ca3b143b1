#include "horner.hpp"

#include "build_config.hpp"
#include "cpu/host.hpp"

namespace bb::micro {

#define BB_DECLARE(isa)               \
  namespace isa {                     \
  const HornerFunctions& functions(); \
  }
BB_FOR_EACH_ISA(BB_DECLARE)
#undef BB_DECLARE

const HornerFunctions& horner_functions() {
  using Choice = const HornerFunctions& (*)();
#define BB_ENTRY(isa) isa::functions,
  static constexpr Choice all[] = {BB_FOR_EACH_ISA(BB_ENTRY)};
#undef BB_ENTRY
  return all[cpu::instruction_set()]();
}

HornerInputs::HornerInputs(const TaskProblem& problem, std::size_t terms)
    : c(engine::uniform_values(terms, problem.seed)), x(engine::uniform_values(problem.count("n"), problem.seed + 1)) {}

}  // namespace bb::micro
