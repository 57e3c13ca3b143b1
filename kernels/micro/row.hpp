#pragma once

#include <cstddef>
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
};

inline std::string can_do_all(const TaskProblem&) { return ""; }
inline std::string no_device() { return cuda::unavailable("micro"); }

/// What an arrangement came to: a sample of what it left in `out`.
template <typename T>
auto sampled(const std::shared_ptr<std::vector<T>>& out) {
  return [out] { return Samples(out->size()).template take<T>(*out); };
}
template <typename T>
auto sampled(const std::shared_ptr<cuda::DeviceBuffer<T>>& out) {
  return [out](cuda::Stream& from) { return Samples(out->size()).template take<T>(out->read(from)); };
}

/// Puts a row together: the answer and the memory are the row's, the rest the variants'.
template <Answer (*kAnswer)(const TaskProblem&)>
class Row {
 public:
  struct About {
    const char* id;
    const char* title;
    const char* source;   // of the CPU variants
    const char* kernels;  // of the CUDA variants
    double (*bytes)(const TaskProblem&);
  };

  explicit Row(const About& about)
      : about_(about), bench_{.workload = "micro", .id = about.id, .title = about.title, .variants = {}} {}

  /// `kOwn` where a variant has limits of its own.
  template <CpuWork (*kSetUp)(CpuBench&), Answer (*kOwn)(const TaskProblem&) = kAnswer>
  Row& cpu(const Words& words, std::string (*refuses)(const TaskProblem&) = can_do_all) {
    bench_.variants.push_back({.id = words.id,
                               .title = words.title,
                               .changes = words.changes,
                               .builds_on = words.builds_on,
                               .device = "cpu",
                               .precision = words.precision,
                               .source = about_.source,
                               .estimate_bytes = about_.bytes,
                               .make = [](const TaskProblem& problem) { return cpu_task(problem, kOwn, kSetUp); },
                               .refuses = refuses});
    return *this;
  }

  template <CudaWork (*kSetUp)(CudaBench&), Answer (*kOwn)(const TaskProblem&) = kAnswer>
  Row& cuda(const Words& words, std::string (*refuses)(const TaskProblem&) = can_do_all,
            std::string (*unavailable)() = no_device) {
    bench_.variants.push_back({.id = words.id,
                               .title = words.title,
                               .changes = words.changes,
                               .builds_on = words.builds_on,
                               .device = "cuda",
                               .precision = words.precision,
                               .source = about_.kernels,
                               .estimate_bytes = about_.bytes,
                               .make = [](const TaskProblem& problem) { return cuda_task(problem, kOwn, kSetUp); },
                               .refuses = refuses,
                               .unavailable = unavailable,
                               .library = words.library});
    return *this;
  }

  engine::TaskBench bench() const { return bench_; }

 private:
  About about_;
  engine::TaskBench bench_;
};

}  // namespace bb::micro
