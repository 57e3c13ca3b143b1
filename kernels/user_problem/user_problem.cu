// The place of a problem's kernels.
#include "user_problem/candidate.cu"
