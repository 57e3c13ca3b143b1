#pragma once

#include <span>

#include "engine/task.hpp"

// A row of the claim ledger is added in five steps (launch/elementwise.cpp is one to imitate):
//
//   1. kernels/micro/<room>/<row>.cu: its kernels, extern "C", included by kernels/micro/micro.cu.
//   2. kernels/micro/<room>/<row>.cpp, in `namespace <row>_row`: the answer in FP64, a function per arrangement that
//      gives a CpuWork or CudaWork (row/work.hpp); and one that lists them as the row's variants (row/row.hpp); a line
//      each in rows.hpp and registry.cpp.
//   3. test/parity/micro_problems.cpp: small problems of odd sizes.
//   4. electron/contract/scenario/micro: the row's parameters (zod); their names are the keys of TaskProblem.
//   5. assets/scenarios/micro, assets/claims/micro/<row>.json and assets/claims/table.json.
namespace bb::micro {

/// The rows of the claim ledger.
std::span<const engine::TaskBench> benches();

}  // namespace bb::micro
