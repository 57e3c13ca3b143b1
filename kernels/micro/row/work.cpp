#include "work.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace bb::micro {
namespace {

using AnswerOf = ExpectedResult (*)(const TaskProblem&);

engine::TaskResult result_of(std::vector<double> values) {
  const std::size_t count = values.size();
  return {count, [kept = std::move(values)](std::size_t i) { return kept[i]; }};
}

std::vector<double> values_of(const engine::TaskResults& results) {
  std::vector<double> out(results.empty() ? 0 : results[0].count);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = results[0].value(i);
  return out;
}

class CpuRowTask final : public engine::CpuTask {
 public:
  CpuRowTask(const TaskProblem& problem, AnswerOf answer, CpuWork (*set_up)(CpuBench&))
      : CpuTask(problem), answer_of_(answer), set_up_(set_up) {}

  void prepare() override {
    part("inputs", [&] {
      CpuBench bench(problem(), pool());
      work_ = set_up_(bench);
    });
  }
  // Buffers that a repetition changes are not listed. A test overwrites listed outputs with NaN, which would make all
  // later results NaN.
  engine::TaskArrays arrays() override {
    return work_.reset ? engine::TaskArrays{} : engine::TaskArrays{work_.inputs, work_.result.arrays};
  }
  engine::TaskResults results() override { return {result_of(work_.result())}; }
  engine::CheckReport compare(const engine::TaskResults& results) override {
    if (!answer_) answer_ = answer_of_(problem());
    return micro::compare(*answer_, values_of(results));
  }
  std::uint64_t hash() override { return engine::hash_values<double>(work_.result()); }
  TaskWork work() const override { return work_.work; }
  std::vector<Quantity> quantities() override { return work_.quantities(); }

 protected:
  void run() override { work_.run(); }
  void reset() override {
    if (work_.reset) work_.reset();
  }

 private:
  AnswerOf answer_of_;
  CpuWork (*set_up_)(CpuBench&);
  CpuWork work_;
  std::optional<ExpectedResult> answer_;
};

class CudaRowTask final : public cuda::CudaTask {
 public:
  CudaRowTask(const TaskProblem& problem, AnswerOf answer, CudaWork (*set_up)(CudaBench&))
      : CudaTask(problem, "micro"), answer_of_(answer), set_up_(set_up), bench_(*this) {}

  void prepare() override {
    part("inputs", [&] { work_ = set_up_(bench_); });
  }
  engine::TaskArrays arrays() override {
    return work_.restore ? engine::TaskArrays{} : engine::TaskArrays{work_.inputs, work_.result.arrays};
  }
  engine::TaskResults results() override { return {result_of(work_.result(stream()))}; }
  engine::CheckReport compare(const engine::TaskResults& results) override {
    if (!answer_) answer_ = answer_of_(problem());
    return micro::compare(*answer_, values_of(results));
  }
  std::uint64_t hash() override { return engine::hash_values<double>(work_.result(stream())); }
  TaskWork work() const override { return work_.work; }
  std::vector<Quantity> quantities() override { return work_.quantities(); }
  engine::TaskClock clock() const override { return work_.clock; }

 protected:
  void queue(cuda::Stream& to) override { work_.queue(to); }
  void restore(cuda::Stream& to) override {
    if (work_.restore) work_.restore(to);
  }
  std::string no_graph() const override { return work_.no_graph; }

 private:
  class Bench final : public CudaBench {
   public:
    explicit Bench(CudaRowTask& task) : task_(task) {}
    const TaskProblem& problem() const override { return task_.problem(); }
    const std::shared_ptr<cuda::Device>& device() const override { return task_.device(); }
    cuda::Stream& stream() override { return task_.stream(); }
    const cuda::Module& module() const override { return task_.module(); }

   private:
    CudaRowTask& task_;
  };

  AnswerOf answer_of_;
  CudaWork (*set_up_)(CudaBench&);
  Bench bench_;
  CudaWork work_;  // destroyed before the stream, because its buffers use it
  std::optional<ExpectedResult> answer_;
};

std::vector<Quantity> none() { return {}; }

}  // namespace

CpuWork::CpuWork() : quantities(none) {}
CpuWork::CpuWork(CpuWork&&) noexcept = default;
CpuWork& CpuWork::operator=(CpuWork&&) noexcept = default;
CpuWork::~CpuWork() = default;

CudaWork::CudaWork() : quantities(none) {}
CudaWork::CudaWork(CudaWork&&) noexcept = default;
CudaWork& CudaWork::operator=(CudaWork&&) noexcept = default;
CudaWork::~CudaWork() = default;

template <>
std::shared_ptr<cuda::DeviceBuffer<float>> CudaBench::buffer<float>(std::size_t count) const {
  return std::make_shared<cuda::DeviceBuffer<float>>(device(), count);
}

template <>
std::shared_ptr<cuda::DeviceBuffer<float>> CudaBench::upload<float>(const std::vector<float>& values) {
  auto out = buffer<float>(values.size());
  out->upload(std::span<const float>(values), stream());
  stream().synchronize();
  return out;
}

void in_pieces(cpu::ThreadPool& pool, std::size_t n, std::size_t piece,
               const std::function<void(std::size_t, std::size_t)>& work) {
  const auto pieces = static_cast<int>((n + piece - 1) / piece);
  pool.run(pieces, [&](int at, int) {
    const std::size_t first = static_cast<std::size_t>(at) * piece;
    work(first, std::min(n, first + piece));
  });
}

std::unique_ptr<engine::Task> cpu_task(const TaskProblem& problem, AnswerOf answer, CpuWork (*set_up)(CpuBench&)) {
  return std::make_unique<CpuRowTask>(problem, answer, set_up);
}

std::unique_ptr<engine::Task> cuda_task(const TaskProblem& problem, AnswerOf answer, CudaWork (*set_up)(CudaBench&)) {
  return std::make_unique<CudaRowTask>(problem, answer, set_up);
}

engine::CheckReport compare(const ExpectedResult& answer, const std::vector<double>& result) {
  double error = 0, size = 0, worst = 0, largest = 0;
  const std::size_t count = answer.wanted.size();
  for (const double wanted : answer.wanted) {
    if (std::isfinite(wanted)) largest = std::max(largest, std::abs(wanted));
  }
  const double unit = largest > 0 ? largest : 1.0;
  std::size_t first = count;
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = answer.wanted[i], got = i < result.size() ? result[i] : engine::kAbsent;
    // A non-finite expected value must be matched exactly.
    const bool same = got == wanted || (std::isnan(got) && std::isnan(wanted) && i < result.size());
    const double off = same ? 0.0 : std::isfinite(wanted) ? std::abs(got - wanted) : engine::kAbsent;
    error += off * off;
    if (std::isfinite(wanted)) size += wanted * wanted;
    if (!(off <= worst)) worst = off;  // a NaN is not overwritten
    if (first == count && !(off / unit <= answer.worst_limit)) first = i;
  }
  if (result.size() != count) error = worst = INFINITY;
  std::string where;
  if (result.size() != count) {
    where = std::to_string(result.size()) + " results, expected " + std::to_string(count);
  } else if (first < count) {
    char text[120];
    std::snprintf(text, sizeof text, "result %zu is %.9g, expected %.9g", first, result[first], answer.wanted[first]);
    where = text;
  }
  return {{{"l2", "Error (root mean square, relative to that of the reference)",
            size > 0 ? std::sqrt(error / size) : std::sqrt(error), answer.limit, where},
           {"largest", "Largest error relative to the largest value", worst / unit, answer.worst_limit, where}},
          answer.compared};
}

}  // namespace bb::micro
