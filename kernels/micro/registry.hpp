#pragma once

#include <span>

#include "engine/task.hpp"

// A row of the table of performance claims consists of five files (example: memory/bank_conflicts), from which every
// list of rows is generated:
//
//   1. kernels/micro/<folder>/<row>.cpp defines <row>_bench(). `namespace <row>_row` contains the expected results in
//      FP64, and a function per variant that returns a CpuWork or CudaWork (row/work.hpp). Row (row/row.hpp) lists the
//      variants, with small problems on which the tests compare them.
//   2. kernels/micro/<folder>/<row>.cu: the kernels, extern "C".
//   3. electron/contract/scenario/micro: the row's parameters (zod); their names are the keys of TaskProblem.
//   4. assets/scenarios/micro/<row>.json: an example.
//   5. assets/claims/micro/<row>.json: the claims, the number of the row, and sweeps that show where the claims hold.
//
// A .cpp file that several rows share has a header of the same name.
namespace bb::micro {

/// Returns all rows of the table of performance claims.
std::span<const engine::TaskBench> benches();

}  // namespace bb::micro
