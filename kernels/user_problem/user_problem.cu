// Compiles the kernels of a user problem.
#include "user_problem/candidate.cu"
