// The place of a problem's kernels.
#include "problem/candidate.cu"
