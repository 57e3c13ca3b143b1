// Runs a user kernel on its problem outside the workbench: prepares, checks and times it, and prints the results.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "binding/runs/diffraction_problem.hpp"
#include "binding/runs/problem.hpp"
#include "cpu/user_library.hpp"
#include "cuda/compile/files.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "diffraction/run/image_run.hpp"
#include "tasks/task_run.hpp"
#include "transport/run/run.hpp"
#include "value.hpp"

namespace {

using bb::binding::Fields;

/// Parsed command line.
struct Options {
  std::string problem = BB_PROBLEM;
  bool check = true;  // compares with the FP64 reference, which takes time
  bool time = true;   // repeats the kernel, as a benchmark does
};

/// Replaces the shipped kernel for the rest of the process.
void use_kernel(const Fields& kernel) {
#ifdef BB_LIBRARY
  (void)kernel;
  bb::cpu::use_user_library(BB_LIBRARY);
#else
  const auto image = bb::cuda::read_file(BB_IMAGE);
  if (!image) throw std::runtime_error(std::string(BB_IMAGE) + " cannot be read: build it first");
  bb::cuda::use_user_kernels({kernel.text("workload"), kernel.text("name"), *image});
#endif
}

double relative_l2(const std::vector<double>& values, const std::vector<double>& wanted) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double delta = (i < values.size() ? values[i] : NAN) - wanted[i];
    difference += delta * delta;
    size += wanted[i] * wanted[i];
  }
  return std::sqrt(difference / size);
}

/// Largest relative error of the pixels that are above a thousandth of the brightest.
double bright_error(const std::vector<double>& image, const std::vector<double>& wanted) {
  double brightest = 0, worst = 0;
  for (const double value : wanted) brightest = std::max(brightest, value);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] <= brightest / 1000) continue;
    const double error = std::abs((i < image.size() ? image[i] : NAN) / wanted[i] - 1);
    if (!(error <= worst)) worst = error;
    if (std::isnan(worst)) break;
  }
  return worst;
}

/// Prints a check; NaN never passes.
bool print_check(const std::string& title, double value, double limit) {
  const bool holds = value <= limit;
  std::printf("  %s %s: %.3g, %.3g allowed\n", holds ? "ok   " : "WRONG", title.c_str(), value, limit);
  return holds;
}

bool run_task(const Fields& file, const Options& options) {
  use_kernel(file.child("kernel"));
  bb::engine::TaskProblem problem = bb::binding::read_task(file.child("problem"));
  // The path of the expected result is relative to the problem file.
  if (const auto answer = problem.words.find("answer"); answer != problem.words.end()) {
    answer->second = (std::filesystem::path(options.problem).parent_path() / answer->second).string();
  }
  bb::engine::TaskRun run(std::move(problem));
  std::printf("  prepared in %.3g s\n", run.prepare());
  bool right = true;
  if (options.check) {
    const bb::engine::TaskVerdict verdict = run.check(2);
    std::printf("  compared: %s\n", verdict.report.compared.c_str());
    for (const bb::engine::Check& one : verdict.report.checks)
      right = print_check(one.title, one.value, one.limit) && right;
    std::printf("  two runs %s; hash %s\n", verdict.bitwise ? "gave the same bits" : "differ in their bits",
                verdict.hash.c_str());
  } else {
    run.task().enter();
    run.task().once();
  }
  if (options.time) {
    const bb::engine::TaskSample sample = run.sample({});
    std::printf("  %.6g s each, over %d repetitions\n", sample.time_s, sample.repetitions);
  }
  return right;
}

/// Measure of the difference between two results, with its title.
struct Measure {
  const char* title;
  double (*of)(const std::vector<double>& found, const std::vector<double>& wanted);
};

/// Computes the reference first, because the user kernel then replaces the shipped one until the process ends.
template <typename Problem, typename Solve>
bool run_against(const Measure& measure, const Fields& file, const Options& options, Problem problem, Solve solve) {
  std::vector<double> wanted;
  if (options.check) {
    Problem reference = problem;
    reference.variant = file.text("reference");
    if constexpr (requires { reference.precision; }) reference.precision = bb::transport::Precision::kFp64;
    wanted = solve(std::move(reference), false);
  }
  use_kernel(file.child("kernel"));
  const std::vector<double> found = solve(std::move(problem), true);
  return !options.check || print_check(measure.title, measure.of(found, wanted), file.number("limit"));
}

std::vector<double> dose_of(bb::transport::Problem problem, bool timed) {
  bb::engine::Run run(std::move(problem));
  bb::engine::RunResult result = run.execute([](const bb::engine::Progress&) {});
  if (result.failure) throw std::runtime_error(result.failure->message);
  if (timed) {
    std::printf("  %s: %d steps, set-up %.3g s, steps %.6g s, %.6g s of them on the device\n", run.variant().id,
                result.steps, result.setup_s, result.solve_s, result.device_s);
  }
  return std::move(result.dose);
}

std::vector<double> image_of(bb::diffraction::Problem problem, bool timed) {
  bb::engine::ImageRun run(std::move(problem));
  bb::engine::ImageResult result = run.execute([](const bb::engine::ImageProgress&) {});
  if (timed) {
    std::printf("  %s: set-up %.3g s, image %.6g s, %.6g s on the device\n", run.variant().id, result.setup_s,
                result.solve_s, result.device_s);
  }
  return std::move(result.image);
}

bool run_all(const Options& options) {
  const auto text = bb::cuda::read_file(options.problem);
  if (!text) throw std::runtime_error(options.problem + " cannot be read");
  const bb::reproduce::Value value = bb::reproduce::parse(*text);
  const Fields file(value, "file");
  const std::string kind = file.text("kind");
  std::printf("%s\n", file.text("title").c_str());
  if (kind == "dose") {
    const Measure dose{"relative L2 difference of the dose from the FP64 reference", relative_l2};
    return run_against(dose, file, options, bb::binding::read_problem(file.child("problem")), dose_of);
  }
  if (kind == "image") {
    const Measure pixels{"largest relative error of bright pixels from the FP64 reference", bright_error};
    return run_against(pixels, file, options, bb::binding::read_diffraction(file.child("problem")), image_of);
  }
  return run_task(file, options);
}

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--once") {
      options.time = options.check = false;
    } else if (word == "--no-check") {
      options.check = false;
    } else if (word.starts_with("--")) {
      throw std::runtime_error(word + " is not known; allowed: --once, --no-check, and a file with another problem");
    } else {
      options.problem = word;
    }
  }
  return options;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run_all(options_of(count, words)) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
