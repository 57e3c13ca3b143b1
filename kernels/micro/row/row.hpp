#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "samples.hpp"
#include "work.hpp"

namespace bb::micro {

/// The words of a variant.
struct Words {
  const char* id;
  const char* title;
  const char* changes;
  const char* builds_on = "";
  const char* precision = "fp32";
  const char* library = "";
};

/// A kernel's name as a template argument.
template <std::size_t kLength>
struct Name {
  char text[kLength]{};
  constexpr Name(const char (&from)[kLength]) {  // NOLINT: a literal is a name
    for (std::size_t i = 0; i < kLength; ++i) text[i] = from[i];
  }
  constexpr operator const char*() const { return text; }  // NOLINT: and the name a literal
};

/// A set-up with what sets one arrangement apart, such as its kernel: compiled once for all of them.
template <auto kSetUp, auto... kHow>
CudaWork with(CudaBench& bench) {
  return kSetUp(bench, kHow...);
}

std::string can_do_all(const TaskProblem&);
std::string everywhere();
std::string no_device();

/// Results of an arrangement in `out`, which every repetition writes completely unless CpuWork::reset says otherwise.
Left<> sampled(const std::shared_ptr<std::vector<float>>& out);
Left<cuda::Stream&> sampled(const std::shared_ptr<cuda::DeviceBuffer<float>>& out);
template <typename T>
Left<> sampled(const std::shared_ptr<std::vector<T>>& out) {
  return {[out] { return Samples(out->size()).template take<T>(*out); }, {array_at(out->data(), out->size())}};
}
template <typename T>
Left<cuda::Stream&> sampled(const std::shared_ptr<cuda::DeviceBuffer<T>>& out) {
  return {[out](cuda::Stream& from) { return Samples(out->size()).template take<T>(out->read(from)); },
          {array_at(out->pointer(), out->size())}};
}

/// The words of a row.
struct About {
  const char* id;
  const char* title;
  const char* source;   // of the CPU variants
  const char* kernels;  // of the CUDA variants
  double (*bytes)(const TaskProblem&);
};

/// Adds a variant to a row's.
void add(engine::TaskBench& row, const About& about, const Words& words, const char* device,
         std::unique_ptr<engine::Task> (*make)(const TaskProblem&), std::string (*refuses)(const TaskProblem&),
         std::string (*unavailable)());

/// Puts a row together: the answer and the memory are the row's, the rest the variants'.
template <Answer (*kAnswer)(const TaskProblem&)>
class Row {
 public:
  explicit Row(const About& about)
      : about_(about), bench_{.workload = "micro", .id = about.id, .title = about.title, .variants = {}} {}

  /// `kOwn` where a variant has limits of its own.
  template <CpuWork (*kSetUp)(CpuBench&), Answer (*kOwn)(const TaskProblem&) = kAnswer>
  Row& cpu(const Words& words, std::string (*refuses)(const TaskProblem&) = can_do_all) {
    add(
        bench_, about_, words, "cpu", [](const TaskProblem& problem) { return cpu_task(problem, kOwn, kSetUp); },
        refuses, everywhere);
    return *this;
  }

  template <CudaWork (*kSetUp)(CudaBench&), Answer (*kOwn)(const TaskProblem&) = kAnswer>
  Row& cuda(const Words& words, std::string (*refuses)(const TaskProblem&) = can_do_all,
            std::string (*unavailable)() = no_device) {
    add(
        bench_, about_, words, "cuda", [](const TaskProblem& problem) { return cuda_task(problem, kOwn, kSetUp); },
        refuses, unavailable);
    return *this;
  }

  engine::TaskBench bench() const { return bench_; }

 private:
  About about_;
  engine::TaskBench bench_;
};

}  // namespace bb::micro
