// Replaced by a candidate. The engine itself has none: a problem is data.
#include "user_problem/candidate.hpp"

#include "engine/problem_error.hpp"

namespace bb::user_problem {

void call(const Call&) { throw ProblemError("unsupported", "a problem needs a candidate: a .cpp, .cu or .py file"); }

}  // namespace bb::user_problem
