#include "linear_relu/layer.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"
#include "tasks/task_run.hpp"

using namespace bb::engine;
using namespace bb::linear_relu;

namespace {

TaskProblem layer(const char* direction, const char* values, bool bias, const char* variant) {
  TaskProblem problem;
  problem.workload = "linear-relu";
  problem.variant = variant;
  problem.threads = 2;
  // No dimension is a multiple of a tile, block or vector; one is longer than a tile.
  problem.numbers = {{"batch", 13}, {"inputs", 261}, {"outputs", 33}};
  problem.words = {{"direction", direction}, {"values", values}};
  problem.switches = {{"bias", bias}};
  return problem;
}

}  // namespace

TEST("linear-relu: every CPU variant agrees with FP64 in every direction, with NaN, at Z = 0, with and without bias") {
  for (const char* variant : {"cpu-fp64", "cpu-blocked"}) {
    for (const char* direction : {"forward", "backward", "through"}) {
      for (const char* values : {"uniform", "with-nan", "zero"}) {
        for (const bool bias : {true, false}) {
          TaskRun run(layer(direction, values, bias, variant));
          run.prepare();
          const TaskVerdict verdict = run.check(2);
          CHECK(verdict.holds && verdict.bitwise);
          for (const Check& check : verdict.report.checks) {
            if (!check.holds())
              std::printf("    %s %s %s: %s %g\n", variant, direction, values, check.id.c_str(), check.value);
          }
        }
      }
    }
  }
}

TEST("linear-relu: a NaN in X reaches Y, and no gradient passes where Z is exactly 0") {
  const Layer forward(layer("forward", "with-nan", true, ""), Arithmetic::kFp32);
  std::size_t rows = 0;
  for (std::size_t row = 0; row < forward.batch; ++row) {
    bool nan = false;
    for (std::size_t i = 0; i < forward.inputs; ++i) nan = nan || std::isnan(forward.x[row * forward.inputs + i]);
    rows += nan ? 1 : 0;
  }
  CHECK_EQ(rows, std::size_t{2});  // rows 3 and 10
  // The comparison detects a variant that maps NaN to 0, because every output of those rows differs.
  const TaskResult none{std::size_t{1} << 20, [](std::size_t) { return 0.0; }};
  const CheckReport report = forward.compare({none, none, none, none});
  CHECK_EQ(report.checks[2].value, 2.0 * 33.0);
  const Layer zero(layer("backward", "zero", true, ""), Arithmetic::kFp32);
  const CheckReport gradients = zero.compare({none, none, none, none});
  CHECK(gradients.checks[0].holds() && gradients.checks[2].holds());
}

TEST("linear-relu: a wrong output and a wrongly rectified output are detected") {
  const Layer at(layer("forward", "uniform", false, ""), Arithmetic::kFp32);
  const auto exact = [&](std::size_t m, std::size_t n) {
    double z = 0.0;
    for (std::size_t k = 0; k < at.inputs; ++k) {
      z += static_cast<double>(at.x[m * at.inputs + k]) * static_cast<double>(at.w[n * at.inputs + k]);
    }
    return z;
  };
  const auto rectified = [&](std::size_t m, std::size_t n) { return std::max(0.0, exact(m, n)); };
  const auto holds = [&](const std::function<double(std::size_t, std::size_t)>& y) {
    const auto value = [&](std::size_t i) { return y(i / at.outputs, i % at.outputs); };
    for (const Check& check : at.compare({{at.batch * at.outputs, value}, {}, {}, {}}).checks) {
      if (!check.holds()) return check.id;
    }
    return std::string("all");
  };
  CHECK_EQ(holds(rectified), "all");
  CHECK_EQ(holds([&](std::size_t m, std::size_t n) { return rectified(m, n) * (m == 12 && n == 32 ? 1.01 : 1.0); }),
           rectified(12, 32) > 0.0 ? "relative" : "all");
  CHECK_EQ(holds([&](std::size_t m, std::size_t n) { return -0.0 * exact(m, n); }), "relative");
}

TEST("linear-relu: BF16 rounds to nearest, ties to even, and keeps NaN") {
  CHECK_EQ(bf16_value(bf16_bits(1.0f)), 1.0f);
  CHECK_EQ(bf16_bits(1.00390625f), 0x3f80);  // half-way to the next value: rounds to even
  CHECK_EQ(bf16_bits(1.01171875f), 0x3f82);
  CHECK(std::isnan(bf16_value(bf16_bits(std::numeric_limits<float>::quiet_NaN()))));
  const Layer rounded(layer("forward", "uniform", true, ""), Arithmetic::kBf16);
  for (const float value : rounded.x) CHECK_EQ(bf16_value(bf16_bits(value)), value);
}

TEST("linear-relu: a problem that would take minutes is rejected with the reason") {
  TaskProblem large = layer("forward", "uniform", true, "cpu-fp64");
  large.numbers = {{"batch", 8192}, {"inputs", 4096}, {"outputs", 4096}};
  CHECK_THROWS(TaskRun(large), "would need about 137 s");
}

TEST("linear-relu: GELU and a residual agree with FP64 on the CPU, and are only available forward") {
  for (const char* variant : {"cpu-fp64", "cpu-blocked"}) {
    for (const char* activation : {"relu", "gelu", "none"}) {
      for (const char* values : {"uniform", "with-nan", "zero"}) {
        for (const bool residual : {true, false}) {
          TaskProblem problem = layer("forward", values, residual, variant);
          problem.words["activation"] = activation;
          problem.switches["residual"] = residual;
          TaskRun run(problem);
          run.prepare();
          const TaskVerdict verdict = run.check(2);
          CHECK(verdict.holds && verdict.bitwise);
        }
      }
    }
  }
  TaskProblem back = layer("backward", "uniform", true, "cpu-blocked");
  back.words["activation"] = "gelu";
  CHECK_THROWS(TaskRun(back), "only available in the forward direction");
}

TEST("linear-relu: GELU follows its formula, checked with values from the authors' function") {
  // 0.5 z (1 + tanh(√(2/π) (z + 0.044715 z³))), calculated by hand to 12 digits.
  CHECK(std::abs(gelu(1.0) - 0.841191990608) < 1e-11);
  CHECK(std::abs(gelu(-1.0) + 0.158808009392) < 1e-11);
  CHECK(gelu(0.0) == 0.0);
}
