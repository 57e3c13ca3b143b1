// The kernels of the small workloads, one file per row of the claim ledger.
#include "launch.cu"
