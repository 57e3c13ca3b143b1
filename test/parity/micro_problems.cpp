#include "micro_problems.hpp"

#include <map>
#include <string>

#include "check.hpp"
#include "tasks/task_run.hpp"

namespace bb::test {
namespace {

using engine::TaskProblem;
using Numbers = std::map<std::string, double>;
using Words = std::map<std::string, std::string>;

struct Values {
  Numbers numbers;
  Words words = {};
};

std::vector<Values> values_of(std::string_view row) {
  static const std::map<std::string_view, std::vector<Values>> all = {
      {"launch", {{{{"n", 1003}, {"steps", 7}}}, {{{"n", 1}, {"steps", 1}}}}},
      {"graphs", {{{{"n", 1003}, {"steps", 7}}}}},
      {"host-loop", {{{{"rows", 17}, {"length", 301}, {"radius", 5}}}, {{{"rows", 3}, {"length", 7}, {"radius", 16}}}}},
      {"coalescing",
       {{{{"n", 1003}, {"stride", 1}, {"offset", 3}, {"element_bytes", 4}}, {{"order", "forward"}}},
        {{{"n", 1003}, {"stride", 7}, {"offset", 1}, {"element_bytes", 8}}, {{"order", "forward"}}},
        {{{"n", 517}, {"stride", 24}, {"offset", 0}, {"element_bytes", 16}}, {{"order", "forward"}}},
        {{{"n", 1003}, {"stride", 2}, {"offset", 5}, {"element_bytes", 4}}, {{"order", "random"}}},
        {{{"n", 77}, {"stride", 1}, {"offset", 0}, {"element_bytes", 16}}, {{"order", "random"}}}}},
      {"layout", {{{{"n", 1003}}}, {{{"n", 5}}}}},
      {"latency", {{{{"footprint_bytes", 12345}, {"hops", 1001}}}, {{{"footprint_bytes", 300000}, {"hops", 777}}}}},
      {"bandwidth", {{{{"n", 10007}, {"passes", 3}}}, {{{"n", 3}, {"passes", 1}}}}},
      {"stencil-1d", {{{{"n", 2503}, {"radius", 1}}}, {{{"n", 5003}, {"radius", 32}}}, {{{"n", 3}, {"radius", 5}}}}},
      {"stencil-2d",
       {{{{"nx", 61}, {"ny", 43}, {"radius", 2}}},
        {{{"nx", 37}, {"ny", 71}, {"radius", 9}}},
        {{{"nx", 3}, {"ny", 5}, {"radius", 4}}}}},
      {"transpose", {{{{"rows", 67}, {"columns", 131}}}, {{{"rows", 1}, {"columns", 33}}}}},
      {"bank-conflicts", {{{{"stride", 1}, {"reads", 33}}}, {{{"stride", 32}, {"reads", 17}}}}},
      {"reduction", {{{{"n", 100003}}}, {{{"n", 70000}}}, {{{"n", 1}}}}},
      {"scan", {{{{"n", 100003}}}, {{{"n", 1}}}, {{{"n", 1024}}}}},
      {"compaction", {{{{"n", 10007}, {"kept", 0.3}}}, {{{"n", 33}, {"kept", 1}}}, {{{"n", 100}, {"kept", 0}}}}},
      {"histogram",
       {{{{"n", 10007}, {"bins", 37}}, {{"distribution", "uniform"}, {"weights", "int"}}},
        {{{"n", 10007}, {"bins", 1000}}, {{"distribution", "zipf"}, {"weights", "fp32"}}},
        {{{"n", 1001}, {"bins", 1}}, {{"distribution", "uniform"}, {"weights", "fp64"}}},
        {{{"n", 999}, {"bins", 50000}}, {{"distribution", "zipf"}, {"weights", "int"}}}}},
      {"fma", {{{{"n", 1003}, {"degree", 12}}}, {{{"n", 70}, {"degree", 1}}}}},
      {"divergence",
       {{{{"n", 1003}, {"work", 9}}, {{"pattern", "same"}}},
        {{{"n", 1003}, {"work", 9}}, {{"pattern", "warps"}}},
        {{{"n", 1003}, {"work", 9}}, {{"pattern", "halves"}}},
        {{{"n", 1003}, {"work", 9}}, {{"pattern", "lanes"}}},
        {{{"n", 1003}, {"work", 100}}, {{"pattern", "random"}}}}},
      {"unrolling", {{{{"n", 1003}, {"terms", 27}}}, {{{"n", 9}, {"terms", 1}}}}},
      {"gemm",
       {{{{"m", 67}, {"n", 131}, {"k", 45}}}, {{{"m", 200}, {"n", 33}, {"k", 130}}}, {{{"m", 1}, {"n", 1}, {"k", 1}}}}},
      {"overlap", {{{{"n", 10007}, {"work", 9}, {"pieces", 5}, {"streams", 3}}}}},
      {"concurrent-kernels", {{{{"kernels", 5}, {"blocks", 3}, {"work", 9}}}}},
      {"beside-library", {{{{"size", 67}, {"blocks", 3}, {"work", 9}}}}},
      {"spgemm",
       {{{{"rows", 1003}}, {{"matrix", "tridiagonal"}}},
        {{{"rows", 1003}}, {{"matrix", "five-point"}}},
        {{{"rows", 2003}}, {{"matrix", "power-law"}}}}},
      {"changing-pattern", {{{{"rows", 1003}, {"entries_per_row", 5}}}, {{{"rows", 3001}, {"entries_per_row", 1}}}}},
      {"spmv",
       {{{{"rows", 1003}}, {{"matrix", "diagonal"}}},
        {{{"rows", 1003}}, {{"matrix", "tridiagonal"}}},
        {{{"rows", 1003}}, {{"matrix", "five-point"}}},
        {{{"rows", 1003}}, {{"matrix", "power-law"}}}}},
      {"elementwise", {{{{"n", 1003}}}, {{{"n", 2}}}}},
      {"views",
       {{{{"rows", 67}, {"columns", 131}}, {{"view", "transposed"}}},
        {{{"rows", 67}, {"columns", 131}}, {{"view", "every-other"}}}}},
      {"timing", {{{{"n", 1003}}}}},
      {"cold-start", {{{{"n", 1003}}}}},
      {"grid-stride", {{{{"n", 1000003}, {"blocks_per_sm", 1}}}, {{{"n", 7}, {"blocks_per_sm", 32}}}}},
      {"block-size",
       {{{{"n", 1003}}, {{"kernel", "axpy"}}},
        {{{"n", 1003}}, {{"kernel", "stencil"}}},
        {{{"n", 1003}}, {{"kernel", "gemm"}}}}},
      {"few-threads", {{{{"n", 1003}, {"threads", 1}, {"work", 5}}}, {{{"n", 1003}, {"threads", 333}, {"work", 70}}}}},
      {"fp64", {{{{"n", 1003}, {"degree", 12}}}}},
      {"instruction-latency", {{{{"operations", 1001}}}, {{{"operations", 8}}}}},
      {"early-exit",
       {{{{"rows", 103}, {"length", 1003}, {"place", 0.3}}},
        {{{"rows", 33}, {"length", 77}, {"place", 0.9}}},
        {{{"rows", 5}, {"length", 129}, {"place", 1}}},
        {{{"rows", 65}, {"length", 1}, {"place", 0}}}}},
      {"contention",
       {{{{"writers", 1003}, {"additions", 5}, {"addresses", 1}}},
        {{{"writers", 4096}, {"additions", 3}, {"addresses", 7}}},
        {{{"writers", 33}, {"additions", 2}, {"addresses", 1000}}},
        {{{"writers", 1}, {"additions", 1}, {"addresses", 1}}}}},
      {"bounds", {{{{"n", 1003}}}, {{{"n", 128}}}}},
      {"own",
       {{{{"n", 1003}, {"results", 1003}, {"block", 96}, {"tolerance", 1e-7}}},
        {{{"n", 5}, {"results", 2}, {"block", 32}, {"tolerance", 1e-7}}}}},
      {"scattering",
       {{{{"angles", 72}, {"cells", 333}, {"reach", 0.1}}},
        {{{"angles", 37}, {"cells", 1003}, {"reach", 0.3}}},
        {{{"angles", 129}, {"cells", 65}, {"reach", 0.01}}}}},
      {"image-series",
       {{{{"images", 3}, {"pixels", 67}, {"cells", 5}}}, {{{"images", 1}, {"pixels", 33}, {"cells", 100}}}}},
      {"refinement", {{{{"pixels", 67}, {"cells", 5}}}}},
  };
  const auto found = all.find(row);
  return found == all.end() ? std::vector<Values>() : found->second;
}

/// They ignore the strides of a view or round their inputs, which is what they show.
bool shown_to_be_wrong(const TaskProblem& problem) {
  if (problem.bench == "scattering") return problem.variant == "cuda-tf32" || problem.variant == "cuda-bf16";
  return problem.bench == "views" && problem.variant.ends_with("-ignored");
}

/// Atomic additions of floating-point numbers come in any order.
bool any_order(const TaskProblem& problem) {
  if (problem.bench == "spmv") return problem.variant.ends_with("-csc") && problem.variant != "cpu-csc";
  if (problem.bench == "changing-pattern") return problem.variant == "cuda-csr" || problem.variant == "cuda-list";
  if (problem.bench == "reduction") return problem.variant.ends_with("atomics");
  if (problem.bench != "histogram" || problem.words.at("weights") == "int") return false;
  return problem.variant.starts_with("cuda-") && problem.variant != "cuda-sorted";
}

}  // namespace

std::vector<TaskProblem> micro_problems(std::string_view row) {
  std::vector<TaskProblem> out;
  for (const Values& values : values_of(row)) {
    TaskProblem problem;
    problem.workload = "micro";
    problem.bench = row;
    problem.numbers = values.numbers;
    problem.words = values.words;
    out.push_back(problem);
  }
  return out;
}

void check_task(const TaskProblem& problem) {
  std::string name = problem.bench + " " + problem.variant;
  for (const auto& [key, value] : problem.numbers) name += " " + key + "=" + show(value);
  for (const auto& [key, value] : problem.words) name += " " + key + "=" + value;
  try {
    engine::TaskRun run(problem);
    run.prepare();
    const engine::TaskVerdict verdict = run.check(2);
    for (const engine::Check& check : verdict.report.checks) {
      if (check.holds() == shown_to_be_wrong(problem)) {
        fail(__FILE__, __LINE__, name + ": " + check.id + " is " + show(check.value) + ", limit " + show(check.limit));
      }
    }
    if (!verdict.bitwise && !any_order(problem)) fail(__FILE__, __LINE__, name + ": two runs differ");
    run.sample({.at_least_s = 0});
    run.task().quantities();
  } catch (const std::exception& error) {
    fail(__FILE__, __LINE__, name + ": " + error.what());
  }
}

}  // namespace bb::test
