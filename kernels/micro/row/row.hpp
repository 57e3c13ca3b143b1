#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "work.hpp"

namespace bb::micro {

/// Selects the results that are compared with the FP64 reference. That is all of `total` results, or `most` evenly
/// spread ones if the reference takes far longer than the work.
class Samples {
 public:
  static constexpr std::size_t kMax = 1 << 16;  // number of results that are compared if the reference has many terms

  explicit Samples(std::size_t total) : Samples(total, total) {}
  Samples(std::size_t total, std::size_t most) : total_(total), count_(std::min(total, most)) {}

  std::size_t size() const { return count_; }
  std::size_t total() const { return total_; }
  std::size_t operator[](std::size_t k) const {
    return count_ == total_ ? k : static_cast<std::size_t>(static_cast<double>(k) * step());
  }

  /// Calls `of(index)` for every sample.
  template <typename F>
  std::vector<double> map(F&& of) const {
    std::vector<double> out(count_);
    for (std::size_t k = 0; k < count_; ++k) out[k] = static_cast<double>(of((*this)[k]));
    return out;
  }
  template <typename T>
  std::vector<double> take(std::span<const T> results) const {
    return map([&](std::size_t i) { return results[i]; });
  }

  /// Description of the samples: "all 1000 results", "65536 of 4194304 results".
  std::string text() const;

 private:
  double step() const { return static_cast<double>(total_ - 1) / static_cast<double>(count_ - 1); }

  std::size_t total_, count_;
};

/// Texts that describe a variant.
struct VariantTexts {
  const char* id;
  const char* title;
  const char* changes;
  const char* builds_on = "";
  const char* precision = "fp32";
  const char* library = "";
};

/// Kernel name as a template argument.
template <std::size_t kLength>
struct Name {
  char text[kLength]{};
  constexpr Name(const char (&from)[kLength]) {  // NOLINT: a literal is a name
    for (std::size_t i = 0; i < kLength; ++i) text[i] = from[i];
  }
  constexpr operator const char*() const { return text; }  // NOLINT: and the name a literal
};

/// Setup function with the parameters of one variant, such as its kernel; the function is compiled once for all of
/// them.
template <auto kSetUp, auto... kHow>
CudaWork with(CudaBench& bench) {
  return kSetUp(bench, kHow...);
}

std::string refuse_nothing(const TaskProblem&);
std::string always_available();
std::string device_missing();

/// Returns the results of a variant in `out`. Every repetition must write all of `out` unless CpuWork::reset is set.
ResultReader<> sampled(const std::shared_ptr<std::vector<float>>& out);
ResultReader<cuda::Stream&> sampled(const std::shared_ptr<cuda::DeviceBuffer<float>>& out);
template <typename T>
ResultReader<> sampled(const std::shared_ptr<std::vector<T>>& out) {
  return {[out] { return Samples(out->size()).template take<T>(*out); }, {array_at(out->data(), out->size())}};
}
template <typename T>
ResultReader<cuda::Stream&> sampled(const std::shared_ptr<cuda::DeviceBuffer<T>>& out) {
  return {[out](cuda::Stream& from) { return Samples(out->size()).template take<T>(out->read(from)); },
          {array_at(out->pointer(), out->size())}};
}

/// Texts that describe a row of the table of performance claims.
struct RowTexts {
  const char* id;
  const char* title;
  const char* source;   // file of the CPU variants
  const char* kernels;  // file of the CUDA variants
  double (*bytes)(const TaskProblem&);
};

/// Adds a variant to a row.
void add(engine::TaskBench& row, const RowTexts& about, const VariantTexts& words, const char* device,
         std::unique_ptr<engine::Task> (*make)(const TaskProblem&), std::string (*refuses)(const TaskProblem&),
         std::string (*unavailable)());

/// Builds a row: all variants share the expected results and the memory estimate.
template <ExpectedResult (*kAnswer)(const TaskProblem&)>
class Row {
 public:
  explicit Row(const RowTexts& about)
      : about_(about), bench_{.workload = "micro", .id = about.id, .title = about.title, .variants = {}} {}

  /// `kOwn` replaces the expected results of a variant that needs other tolerances.
  template <CpuWork (*kSetUp)(CpuBench&), ExpectedResult (*kOwn)(const TaskProblem&) = kAnswer>
  Row& cpu(const VariantTexts& words, std::string (*refuses)(const TaskProblem&) = refuse_nothing) {
    add(
        bench_, about_, words, "cpu", [](const TaskProblem& problem) { return cpu_task(problem, kOwn, kSetUp); },
        refuses, always_available);
    return *this;
  }

  template <CudaWork (*kSetUp)(CudaBench&), ExpectedResult (*kOwn)(const TaskProblem&) = kAnswer>
  Row& cuda(const VariantTexts& words, std::string (*refuses)(const TaskProblem&) = refuse_nothing,
            std::string (*unavailable)() = device_missing) {
    add(
        bench_, about_, words, "cuda", [](const TaskProblem& problem) { return cuda_task(problem, kOwn, kSetUp); },
        refuses, unavailable);
    return *this;
  }

  /// Adds a problem on which tests compare every variant with FP64; each row needs at least one.
  Row& small(std::map<std::string, double> numbers, std::map<std::string, std::string> words = {}) {
    TaskProblem& problem = bench_.small.emplace_back();
    problem.workload = bench_.workload;
    problem.bench = bench_.id;
    problem.numbers = std::move(numbers);
    problem.words = std::move(words);
    return *this;
  }

  engine::TaskBench bench() const { return bench_; }

 private:
  RowTexts about_;
  engine::TaskBench bench_;
};

}  // namespace bb::micro
