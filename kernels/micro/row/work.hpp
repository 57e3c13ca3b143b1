#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/task/cuda_task.hpp"
#include "engine/cpu_task.hpp"
#include "engine/task.hpp"

// Declares the work of a row of the table of performance claims: one function per variant, which allocates buffers and
// returns the function to run, and one function that returns the expected results in FP64.
namespace bb::micro {

using engine::Quantity;
using engine::TaskProblem;
using engine::TaskWork;

/// Expected result of every variant of a row.
struct ExpectedResult {
  std::vector<double> wanted;
  double limit = 0;        // tolerance of |Δ|₂ / |wanted|₂; 0 requires equal values
  double worst_limit = 0;  // tolerance of the largest |Δ| over the largest |wanted|
  std::string compared;    // "all 1000 results with FP64"
};

/// Results of a variant, read by a function. `arrays` holds their addresses if they are plain arrays that every
/// repetition writes completely.
template <typename... Arguments>
struct ResultReader {
  ResultReader() = default;
  template <typename F>
    requires std::is_invocable_r_v<std::vector<double>, F&, Arguments...>
  ResultReader(F from, std::vector<engine::TaskArray> lies = {})  // NOLINT: a function alone is a result too
      : read(std::move(from)), arrays(std::move(lies)) {}
  std::vector<double> operator()(Arguments... arguments) const { return read(arguments...); }

  std::function<std::vector<double>(Arguments...)> read{};
  std::vector<engine::TaskArray> arrays{};
};

/// Prepared state of a variant for one problem; its closures own the buffers. The special members are defined in one
/// source file, because every variant uses this type.
struct CpuWork {
  CpuWork();
  CpuWork(CpuWork&&) noexcept;
  CpuWork& operator=(CpuWork&&) noexcept;
  ~CpuWork();

  std::function<void()> run{};
  std::function<void()> reset;  // restores inputs that a run changes; empty if it changes none
  ResultReader<> result{};
  std::vector<engine::TaskArray> inputs{};  // arrays whose values may be replaced
  TaskWork work{};
  std::function<std::vector<Quantity>()> quantities;
};

struct CudaWork {
  CudaWork();
  CudaWork(CudaWork&&) noexcept;
  CudaWork& operator=(CudaWork&&) noexcept;
  ~CudaWork();

  std::function<void(cuda::Stream&)> queue{};
  std::function<void(cuda::Stream&)> restore;  // as CpuWork::reset
  ResultReader<cuda::Stream&> result{};
  std::vector<engine::TaskArray> inputs{};
  TaskWork work{};
  std::function<std::vector<Quantity>()> quantities;
  engine::TaskClock clock = engine::TaskClock::kDevice;
  std::string no_graph{};  // reason why it cannot be captured; "" if it can
};

/// Resources for a variant on the CPU.
class CpuBench {
 public:
  CpuBench(const TaskProblem& problem, cpu::ThreadPool& pool) : problem_(problem), pool_(pool) {}
  const TaskProblem& problem() const { return problem_; }
  cpu::ThreadPool& pool() { return pool_; }

 private:
  const TaskProblem& problem_;
  cpu::ThreadPool& pool_;
};

template <typename T>
engine::TaskArray array_at(T* first, std::size_t count) {
  using Type = engine::TaskArray::Type;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, unsigned>);
  return {first, count,
          std::is_same_v<T, float>    ? Type::kFloat
          : std::is_same_v<T, double> ? Type::kDouble
                                      : Type::kUnsigned};
}

/// Calls work(first, last) for pieces of 0 … n - 1 on all threads.
void in_pieces(cpu::ThreadPool& pool, std::size_t n, std::size_t piece,
               const std::function<void(std::size_t first, std::size_t last)>& work);

/// Resources for a variant on a GPU.
class CudaBench {
 public:
  virtual ~CudaBench() = default;
  virtual const TaskProblem& problem() const = 0;
  virtual const std::shared_ptr<cuda::Device>& device() const = 0;
  virtual cuda::Stream& stream() = 0;
  virtual const cuda::Module& module() const = 0;

  cuda::Kernel kernel(const char* name) const { return cuda::Kernel(module(), name); }
  /// Value of a BB_TUNABLE constant in the compiled kernels.
  unsigned tuned(const char* name, unsigned usual) const {
    return static_cast<unsigned>(module().tunable(name, static_cast<int>(usual)));
  }
  template <typename T>
  std::shared_ptr<cuda::DeviceBuffer<T>> buffer(std::size_t count) const {
    return std::make_shared<cuda::DeviceBuffer<T>>(device(), count);
  }
  /// Blocks until the data are on the device.
  template <typename T>
  std::shared_ptr<cuda::DeviceBuffer<T>> upload(const std::vector<T>& values) {
    auto out = buffer<T>(values.size());
    out->upload(std::span<const T>(values), stream());
    stream().synchronize();
    return out;
  }
};

// Explicitly instantiated in one source file for the most common type.
template <>
std::shared_ptr<cuda::DeviceBuffer<float>> CudaBench::buffer<float>(std::size_t count) const;
template <>
std::shared_ptr<cuda::DeviceBuffer<float>> CudaBench::upload<float>(const std::vector<float>& values);

/// Makes the task of a variant; `answer` is called when a result is first compared.
std::unique_ptr<engine::Task> cpu_task(const TaskProblem& problem, ExpectedResult (*answer)(const TaskProblem&),
                                       CpuWork (*set_up)(CpuBench&));
std::unique_ptr<engine::Task> cuda_task(const TaskProblem& problem, ExpectedResult (*answer)(const TaskProblem&),
                                        CudaWork (*set_up)(CudaBench&));

/// Compares `result` with the expected results.
engine::CheckReport compare(const ExpectedResult& answer, const std::vector<double>& result);

/// Number of blocks of `threads` threads that cover `count` threads.
inline unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

/// Number of blocks of `threads` threads that are resident on the device at once.
inline unsigned resident_blocks(const cuda::Kernel& kernel, const cuda::Device& device, unsigned threads,
                                unsigned dynamic_shared_bytes = 0) {
  return static_cast<unsigned>(kernel.resident_blocks(threads, dynamic_shared_bytes) * device.info().multiprocessors);
}

}  // namespace bb::micro
