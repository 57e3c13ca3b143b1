#include "registry.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <utility>

#include "arrays.hpp"
#include "candidate.hpp"
#include "cpu/stopwatch.hpp"
#include "cuda/task/cuda_task.hpp"
#include "engine/cpu_task.hpp"
#include "python.hpp"

namespace bb::user_problem {
namespace {

using engine::TaskArrays;
using engine::TaskWork;

/// Thread pool of the current repetition.
cpu::ThreadPool*& current_pool() {
  static cpu::ThreadPool* pool = nullptr;
  return pool;
}

/// Pieces per thread. With several, a slow piece does not delay the others for long.
constexpr std::size_t kPiecesPerThread = 4;

double declared_amount(const TaskProblem& problem, const char* name) {
  const auto found = problem.numbers.find(name);
  return found == problem.numbers.end() ? engine::kAbsent : found->second;
}

/// State for both kinds of device: the arrays, the expected results, and the amount of work that the problem declares.
class Problem {
 public:
  explicit Problem(const TaskProblem& of) : problem_(of), arrays_(arrays_of(of)), axes_(axes_of(of)) {}

  const std::vector<Array>& arrays() const { return arrays_; }
  const std::vector<int>& axes() const { return axes_; }
  std::vector<std::byte> values(std::size_t place) const { return values_of(problem_, arrays_[place], place); }

  engine::TaskResults inputs() const {
    std::vector<TaskArray> described;
    std::vector<std::vector<std::byte>> copies;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (!arrays_[i].given()) continue;
      described.push_back(input(arrays_[i], nullptr));
      copies.push_back(values(i));
    }
    const auto altered = problem_.numbers.find(".altered");
    if (altered != problem_.numbers.end()) {
      engine::alter(described, copies, static_cast<std::uint64_t>(altered->second));
    }
    return engine::results_of(described, std::move(copies));
  }
  engine::CheckReport check_report(const engine::TaskResults& results) {
    if (answer_.empty()) answer_ = answer_of(problem_, arrays_);
    return compare(arrays_, answer_, results);
  }
  TaskWork work() const {
    return {.bytes = declared_amount(problem_, ".bytes"), .flops = declared_amount(problem_, ".flops")};
  }

  /// `memory[i]` is the address of array i; `given[i]` that of the original values of an array that is changed in
  /// place.
  TaskArrays audited_arrays(const std::vector<void*>& memory, const std::vector<void*>& given) const {
    TaskArrays out;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const Array& array = arrays_[i];
      if (array.given()) out.inputs.push_back(input(array, array.returned() ? given[i] : memory[i]));
      if (array.returned()) out.outputs.push_back({memory[i], array.count(), array.storage()});
    }
    return out;
  }

 private:
  static TaskArray input(const Array& array, void* memory) {
    const std::size_t grain = array.grain * (array.count() / std::max<std::size_t>(array.elements(), 1));
    return {memory, array.count(), array.storage(), grain};
  }

  TaskProblem problem_;
  std::vector<Array> arrays_;
  std::vector<int> axes_;
  std::vector<std::vector<double>> answer_;
};

/// A user problem as a task for one kind of device: `Device` is CpuTask or CudaTask.
template <typename Device>
class ProblemTask : public Device {
 public:
  TaskArrays arrays() override { return problem_.audited_arrays(places_, restored_); }
  engine::TaskResults results() override { return engine::results_of(arrays().outputs, copies()); }
  engine::TaskResults inputs() override { return problem_.inputs(); }
  engine::CheckReport compare(const engine::TaskResults& results) override { return problem_.check_report(results); }
  std::uint64_t hash() override {
    std::vector<std::byte> all;
    for (const std::vector<std::byte>& one : copies()) all.insert(all.end(), one.begin(), one.end());
    return engine::hash_bytes(all);
  }
  TaskWork work() const override { return problem_.work(); }

 protected:
  template <typename... More>
  explicit ProblemTask(const TaskProblem& of, const More&... more) : Device(of, more...), problem_(of) {}

  /// Bytes of each output after the last repetition.
  virtual std::vector<std::vector<std::byte>> copies() = 0;

  Problem problem_;
  /// Addresses of the arrays, and of the values from which they are restored.
  std::vector<void*> places_, restored_;
};

class CpuProblem : public ProblemTask<engine::CpuTask> {
 public:
  explicit CpuProblem(const TaskProblem& of) : ProblemTask(of) {}

  void prepare() override {
    part("inputs", [&] {
      for (std::size_t i = 0; i < problem_.arrays().size(); ++i) {
        const Array& array = problem_.arrays()[i];
        std::byte* at = memory_for(array);
        std::byte* kept = array.role == Role::kInPlace ? given_.emplace_back(zeroed_memory(array.bytes())).get()
                                                       : given_.emplace_back(nullptr, std::free).get();
        if (array.given() && array.bytes() > 0) {
          const std::vector<std::byte> values = problem_.values(i);
          std::memcpy(at, values.data(), values.size());
          if (kept != nullptr) std::memcpy(kept, values.data(), values.size());
        }
        places_.push_back(at);
        restored_.push_back(kept);
      }
    });
  }

 protected:
  /// Zeroed memory, aligned for the widest vectors.
  virtual std::byte* memory_for(const Array& array) { return memory_.emplace_back(zeroed_memory(array.bytes())).get(); }
  virtual void compute() {
    current_pool() = &pool();
    call({places_.data(), problem_.axes().data()});
  }
  void run() override {
    for (std::size_t i = 0; i < restored_.size(); ++i) {
      const Array& array = problem_.arrays()[i];
      if (restored_[i] != nullptr) std::memcpy(places_[i], restored_[i], array.bytes());
      if (array.role == Role::kZeroed) std::memset(places_[i], 0, array.bytes());
    }
    compute();
  }
  static constexpr std::size_t kLine = 64;
  static std::size_t round_up_to_lines(std::size_t bytes) { return (bytes / kLine + 1) * kLine; }

 private:
  using Memory = std::unique_ptr<std::byte, void (*)(void*)>;

  static Memory zeroed_memory(std::size_t bytes) {
    const std::size_t whole = round_up_to_lines(bytes);
    auto* at = static_cast<std::byte*>(allocate_aligned(kLine, whole));
    if (at == nullptr) throw std::bad_alloc();
    std::memset(at, 0, whole);
    return {at, free_aligned};
  }
#ifdef _WIN32
  static void* allocate_aligned(std::size_t line, std::size_t bytes) { return _aligned_malloc(bytes, line); }
  static void free_aligned(void* at) { _aligned_free(at); }
#else
  static void* allocate_aligned(std::size_t line, std::size_t bytes) { return std::aligned_alloc(line, bytes); }
  static void free_aligned(void* at) { std::free(at); }
#endif

  std::vector<std::vector<std::byte>> copies() override {
    std::vector<std::vector<std::byte>> out;
    for (const TaskArray& array : arrays().outputs) {
      const auto* first = static_cast<const std::byte*>(array.data);
      out.emplace_back(first, first + array.bytes());
    }
    return out;
  }

  std::vector<Memory> memory_, given_;
};

/// Runs a candidate written in Python, which computes on the same arrays in a separate process. A repetition includes
/// the call to that process.
class PythonProblem final : public CpuProblem {
 public:
  explicit PythonProblem(const TaskProblem& of) : CpuProblem(of) {}

  void prepare() override {
    std::size_t bytes = kLine;
    for (const Array& array : problem_.arrays()) bytes += round_up_to_lines(array.bytes());
    shared_ = std::make_unique<SharedMemory>(bytes);
    CpuProblem::prepare();
    part("python", [&] { python_ = std::make_unique<PythonProcess>(problem(), *shared_, description()); });
  }

 protected:
  std::byte* memory_for(const Array& array) override {
    std::byte* at = shared_->at(used_);
    used_ += round_up_to_lines(array.bytes());
    return at;
  }
  void compute() override { python_->call(); }

 private:
  /// One line `role name type offset dims` per array; the last line has the axes.
  std::string description() const {
    std::string out;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Array& array = problem_.arrays()[i];
      const auto offset = static_cast<std::byte*>(places_[i]) - shared_->at(0);
      out += (array.returned() ? "out " : "in ") + array.name + " " + array.type + " " + std::to_string(offset);
      for (const std::size_t size : array.shape) out += " " + std::to_string(size);
      out += "\n";
    }
    for (const int axis : problem_.axes()) out += std::to_string(axis) + " ";
    return out;
  }

  std::unique_ptr<SharedMemory> shared_;
  std::size_t used_ = 0;
  std::unique_ptr<PythonProcess> python_;
};

/// A launch with sizes that the host has resolved: `kernel gx gy gz bx by bz shared`.
struct Launch {
  cuda::Kernel kernel;
  cuda::LaunchShape shape;
};

class CudaProblem final : public ProblemTask<cuda::CudaTask> {
 public:
  explicit CudaProblem(const TaskProblem& of) : ProblemTask(of, "user_problem") {}

  void prepare() override {
    double upload_s = 0;
    const cpu::Clock::time_point start = cpu::Clock::now();
    for (std::size_t i = 0; i < problem_.arrays().size(); ++i) {
      const Array& array = problem_.arrays()[i];
      memory_.push_back(buffer<unsigned char>(array.bytes()));
      given_.push_back(buffer<unsigned char>(array.role == Role::kInPlace ? array.bytes() : 0));
      if (array.given()) {
        const std::vector<std::byte> values = problem_.values(i);
        const std::span<const unsigned char> bytes(reinterpret_cast<const unsigned char*>(values.data()),
                                                   values.size());
        const cpu::Clock::time_point copied = cpu::Clock::now();
        memory_[i].upload(bytes, stream());
        if (array.role == Role::kInPlace) given_[i].upload(bytes, stream());
        stream().synchronize();
        upload_s += cpu::seconds_since(copied);
      }
      places_.push_back(memory_[i].pointer());
      restored_.push_back(given_[i].pointer());
    }
    add_parts({{"inputs", cpu::seconds_since(start) - upload_s}, {"upload", upload_s}});
    part("kernels", [&] { find_kernels(); });
  }
  std::vector<engine::Quantity> quantities() override {
    if (launches_.empty()) return {};
    const auto& [kernel, shape] = launches_.front();
    return cuda::launch_quantities(kernel, *device(), shape.block.x * shape.block.y * shape.block.z,
                                   shape.dynamic_shared_bytes);
  }

 protected:
  void queue(cuda::Stream& to) override {
    for (std::size_t i = 0; i < problem_.arrays().size(); ++i) {
      const Array& array = problem_.arrays()[i];
      if (array.role == Role::kInPlace) {
        memory_[i].copy_from(given_[i], to);
      } else if (array.role == Role::kZeroed) {
        memory_[i].fill_bytes(0, to);
      }
    }
    std::vector<int> axes = problem_.axes();
    std::vector<void*> arguments;
    std::vector<std::size_t> sizes;
    for (void*& place : places_) arguments.push_back(&place), sizes.push_back(sizeof place);
    for (int& axis : axes) arguments.push_back(&axis), sizes.push_back(sizeof axis);
    for (auto& [kernel, shape] : launches_) {
      // CUDA rejects empty grids; an empty problem has no results.
      if (shape.grid.x * shape.grid.y * shape.grid.z == 0) continue;
      kernel.launch_with(to, shape, arguments, sizes);
    }
  }

 private:
  void find_kernels() {
    const TaskProblem& of = CudaTask::problem();
    const auto words = of.words.find("launches");
    if (words == of.words.end()) throw ProblemError("unsupported", "a GPU candidate must declare its launches");
    std::istringstream lines(words->second);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream in(line);
      std::string name;
      cuda::LaunchShape shape;
      in >> name >> shape.grid.x >> shape.grid.y >> shape.grid.z >> shape.block.x >> shape.block.y >> shape.block.z >>
          shape.dynamic_shared_bytes;
      if (!in)
        throw ProblemError("invalid", "problem: the launch \"" + line +
                                          "\" is incomplete; expected: kernel, grid x y z, block x y z, shared bytes");
      cuda::Kernel found = kernel(name.c_str());
      if (shape.dynamic_shared_bytes > 48 * 1024) found.allow_dynamic_shared(shape.dynamic_shared_bytes);
      launches_.push_back({std::move(found), shape});
    }
  }

  std::vector<std::vector<std::byte>> copies() override {
    std::vector<std::vector<std::byte>> out;
    for (std::size_t i = 0; i < problem_.arrays().size(); ++i) {
      if (!problem_.arrays()[i].returned()) continue;
      std::vector<std::byte>& bytes = out.emplace_back(memory_[i].size());
      memory_[i].download({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()}, stream());
    }
    stream().synchronize();
    return out;
  }

  std::vector<cuda::DeviceBuffer<unsigned char>> memory_, given_;
  std::vector<Launch> launches_;
};

double bytes(const TaskProblem& problem) {
  if (!problem.words.contains("arrays")) return 0.0;
  double sum = 0;
  for (const Array& array : arrays_of(problem)) {
    sum += static_cast<double>(array.bytes()) * (array.role == Role::kInPlace ? 2.0 : 1.0);
  }
  return sum;
}

template <typename T>
std::unique_ptr<engine::Task> make(const TaskProblem& problem) {
  return std::make_unique<T>(problem);
}

std::string no_gpu() { return cuda::unavailable("user_problem"); }

}  // namespace

void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  cpu::ThreadPool& pool = *current_pool();
  const std::size_t pieces = std::min(count, kPiecesPerThread * static_cast<std::size_t>(pool.lanes()));
  pool.run(static_cast<int>(pieces), [&](int at, int) {
    const auto i = static_cast<std::size_t>(at);
    work(count * i / pieces, count * (i + 1) / pieces);
  });
}

engine::TaskBench bench() {
  return {.workload = "user-problem",
          .id = "",
          .title = "Problem",
          .variants = {{.id = "problem-cpu",
                        .title = "CPU candidate",
                        .changes = "placeholder for a candidate",
                        .builds_on = "",
                        .device = "cpu",
                        .precision = "fp32",
                        .source = "kernels/user_problem/candidate.cpp",
                        .estimate_bytes = bytes,
                        .make = make<CpuProblem>},
                       {.id = "problem-python",
                        .title = "Python candidate",
                        .changes = "placeholder for a candidate",
                        .builds_on = "",
                        .device = "cpu",
                        .precision = "fp32",
                        .source = "kernels/user_problem/python.cpp",
                        .estimate_bytes = bytes,
                        .make = make<PythonProblem>},
                       {.id = "problem-cuda",
                        .title = "GPU candidate",
                        .changes = "placeholder for a candidate",
                        .builds_on = "",
                        .device = "cuda",
                        .precision = "fp32",
                        .source = "kernels/user_problem/candidate.cu",
                        .estimate_bytes = bytes,
                        .make = make<CudaProblem>,
                        .unavailable = no_gpu}}};
}

}  // namespace bb::user_problem
