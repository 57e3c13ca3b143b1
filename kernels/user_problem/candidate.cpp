// Placeholder that a candidate's file replaces. The engine contains no code for user problems, which are data.
#include "user_problem/candidate.hpp"

#include "engine/problem_error.hpp"

namespace bb::user_problem {

void call(const Call&) { throw ProblemError("unsupported", "a problem needs a candidate: a .cpp, .cu or .py file"); }

}  // namespace bb::user_problem
