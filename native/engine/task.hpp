#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "problem_error.hpp"
#include "setup_part.hpp"
#include "spans.hpp"

// Small measured workloads ("tasks"): something short that is prepared once and repeated many times, such as one
// matrix product or one copy. Tasks derive from CpuTask (engine/cpu_task.hpp) and CudaTask (cuda/task/cuda_task.hpp);
// kernels/tasks lists and runs them.
namespace bb::engine {

/// Nothing meaningful to state.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

/// The request as a flat list of values by name; the host has checked them against the scenario's schema.
struct TaskProblem {
  std::string workload;     // the scenario's kind: "linear-relu", "micro"
  std::string bench;        // the row of a kind that has several; "" otherwise
  std::string variant;      // or "auto"
  std::string device;       // index or UUID of a GPU; "" is the usual one
  int threads = 0;          // of CPU variants; 0 is one per core
  double memory_limit = 0;  // bytes for CPU variants; 0 is none
  std::uint64_t seed = 1;   // of made-up inputs
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::map<std::string, bool> switches;

  /// These throw ProblemError('invalid') that names a value which is missing or does not fit.
  double number(const std::string& key) const;
  std::size_t count(const std::string& key) const;  // a whole number, not negative
  const std::string& word(const std::string& key) const;
  bool on(const std::string& key) const;
};

/// Compulsory traffic and arithmetic of one repetition; kAbsent where meaningless.
struct TaskWork {
  double bytes = kAbsent;
  double flops = kAbsent;
};

/// A further number that the variant knows of itself: cycles of latency, registers, resident blocks.
struct Quantity {
  std::string id, title;
  double value;
  std::string unit;  // as shown: "cycles", "GB/s"; "" for a plain number
};

/// One comparison with the FP64 reference. It holds when value <= limit; NaN never does.
struct Check {
  std::string id, title;
  double value, limit;
  std::string where{};  // the first value beyond the limit, and the reference's: "result 17 is 0.5, expected 0.75"
  bool holds() const { return value <= limit; }
};

/// Values that a task left, read one by one; reading past the end gives NaN, which no check lets pass.
struct TaskResult {
  std::size_t count = 0;
  std::function<double(std::size_t)> value{};

  double at(std::size_t i) const { return i < count ? value(i) : kAbsent; }
};
using TaskResults = std::vector<TaskResult>;

/// Values that a prepared task reads or leaves, in the memory of its device. The engine fills, rewrites, copies and
/// compares them itself: no code of a variant runs for it.
struct TaskArray {
  enum class Type { kFloat, kDouble, kUnsigned, kBf16, kHalf, kInt, kInt8, kBool };

  void* data = nullptr;
  std::size_t count = 0;
  Type type = Type::kFloat;
  /// Elements that a probe moves together, such as a row; 0 where the order is part of the problem.
  std::size_t grain = 1;

  std::size_t element_bytes() const;
  std::size_t bytes() const { return count * element_bytes(); }
  /// Whether no value that a task computes looks like the poison.
  bool has_poison() const { return type != Type::kInt && type != Type::kInt8 && type != Type::kBool; }
  bool is_real() const {
    return type == Type::kFloat || type == Type::kDouble || type == Type::kBf16 || type == Type::kHalf;
  }
  /// Whether a probe can give it other values by rotating it.
  bool rotates() const { return grain > 0 && count > grain; }
  /// The first of its elements after a rotation by `share` of it.
  std::size_t rotated_by(double share) const;
};

/// `inputs` may be rewritten between repetitions; every repetition writes all of `outputs`, which are in the order of
/// TaskResults and empty where a result is no array.
struct TaskArrays {
  std::vector<TaskArray> inputs, outputs;
};

/// Copies of arrays as results.
TaskResults results_of(const std::vector<TaskArray>& arrays, std::vector<std::vector<std::byte>> copies);

struct CheckReport {
  std::vector<Check> checks;
  std::string compared;  // what was compared with what: "4096 of 4194304 outputs with FP64"
};

/// `kWarm`: repetitions back to back. `kCold`: the caches (a GPU's L2) are emptied before each, outside the time.
/// `kGraph`: a repetition is captured once and replayed.
enum class TaskMode { kWarm, kCold, kGraph };

/// Clock that times a repetition.
enum class TaskClock { kDevice, kWall };

/// Time of all repetitions together, seconds.
struct TaskTime {
  double device_s = kAbsent;  // by the GPU's events; absent on the CPU
  double wall_s = 0;
};

/// Written over outputs before an audited repetition, in every byte: a NaN of any floating-point type, and the largest
/// unsigned number.
inline constexpr unsigned char kPoison = 0xff;

/// Times of three repetitions with equal memory traffic before each, seconds. An implementation that computes needs
/// equally long for all of them; one that remembers does not.
struct MemoryProbe {
  double fresh_s;  // inputs that the task has not seen, outputs poisoned
  double again_s;  // the same inputs, results left in place
  double usual_s;  // the inputs of the sample, results left in place
};

/// Times of two repetitions one after the other within a sample, seconds. At once before the second a few inputs change
/// and one result of each output is poisoned: nothing else sets it apart, not even the time between calls.
struct HiddenProbe {
  double changed_s, before_s;
};

/// Probes at the end of a sample: as many as this allows, and one at least.
inline constexpr int kMostProbes = 12;
inline constexpr double kMostProbing_s = 0.01;

/// Repetitions with rotated inputs before TaskAudit::swapped_s, where they are long.
inline constexpr int kFewestSwapped = 3;
inline constexpr double kMostSwapped_s = 0.1;

/// Probability of a HiddenProbe at each repetition, whatever was before it. A task that waits for any number of equal calls
/// is met in its quick state as often as its times have that state.
inline constexpr double kMostHidden = 0.25;

/// Unpredictable places in a sample, drawn by the engine.
struct AuditPlan {
  int at = -1;           // the repetition whose outputs are poisoned before it and copied after it; -1 for none
  bool probe = false;    // whether the sample ends with MemoryProbes
  bool hide = false;     // whether there are HiddenProbes
  int displaced = 0;     // the repetitions, from the first, that have some inputs changed
  bool swapped = false;  // whether the repetitions have rotated inputs, and TaskAudit::swapped_s is timed behind them
  double rotation = 0;   // in (0, 1): the share of each input by which the first probe rotates it
  std::uint64_t picks = 0;         // where HiddenProbes are, and which inputs change
  unsigned char filler = kPoison;  // written over outputs of integers, of which every value may be meant

  unsigned char poison_of(const TaskArray& array) const { return array.has_poison() ? kPoison : filler; }
};

/// An audit of one sample. Its cost is outside of the timed part.
struct TaskAudit {
  bool audited = false;
  TaskResults results;              // as the audited repetition left them
  std::size_t outputs = 0;          // values that it has to write
  std::size_t unwritten = 0;        // values that still held the poison
  std::size_t first_unwritten = 0;  // among all outputs, one array after the other
  bool inputs_changed = false;      // a repetition wrote to its inputs
  std::vector<MemoryProbe> probes{};
  std::vector<HiddenProbe> hidden{};
  std::size_t hidden_unwritten = 0;        // results that HiddenProbes poisoned and that were not written
  std::size_t first_hidden_unwritten = 0;  // in its output
  double swapped_s = kAbsent;  // one repetition with inputs that the task was prepared with and never had until then
  double seconds = 0;          // what auditing took
};

/// Ends a task between two pieces of work after `cancel`.
class TaskCancelled : public std::runtime_error {
 public:
  TaskCancelled() : std::runtime_error("cancelled") {}
};

/// The share by which probe `i` rotates inputs, in (0, 1): multiples of the golden ratio do not repeat.
inline double rotation_of(const AuditPlan& plan, int i) {
  const double turned = plan.rotation + 0.6180339887498949 * i;
  return turned - static_cast<double>(static_cast<long>(turned));
}

/// Adds to an audit how many outputs still hold the poison in these copies.
void count_unwritten(const std::vector<TaskArray>& outputs, const std::vector<std::vector<std::byte>>& copies,
                     TaskAudit& audit);

/// One variant on one problem: prepared once, then repeated. Used by one thread at a time.
class Task {
 public:
  virtual ~Task() = default;

  /// Allocates, makes inputs, uploads. Called once, before anything else.
  virtual void prepare() = 0;
  /// Throws ProblemError('memory') where `bytes` are not to be had; called before prepare().
  virtual void require_memory(double bytes);
  /// Makes the device current on the calling thread; called first by every thread.
  virtual void enter() {}
  /// `repetitions` of them on a device; throws ProblemError('unsupported') with one readable sentence where the mode
  /// is impossible. Fills `audit` as `plan` says. Tasks of the CPU are repeated by repeat_on_cpu().
  virtual TaskTime repeat(int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit) = 0;
  /// One repetition on the CPU, done when it returns.
  virtual void perform() {}
  /// Restores the inputs where a repetition changes them, does exactly one repetition and waits for it.
  virtual void once() = 0;

  /// The task's memory; empty where results and inputs are not plain arrays, or a repetition does not write them all.
  virtual TaskArrays arrays() { return {}; }
  /// The inputs as prepare() makes them, for a reference outside of the engine; needs no prepare().
  virtual TaskResults inputs() { return {}; }
  /// Results that once() left, for compare().
  virtual TaskResults results() = 0;
  /// Compares results, of this task or of another of the same problem, with an FP64 reference. Needs no prepare().
  virtual CheckReport compare(const TaskResults& results) = 0;
  /// Hash of the bits that once() left: equal for equal results.
  virtual std::uint64_t hash() = 0;
  virtual TaskWork work() const = 0;
  virtual TaskClock clock() const = 0;
  virtual std::vector<Quantity> quantities() { return {}; }

  /// Threads of its own that a recorder has lanes for, behind that of the calls.
  virtual int lanes() const { return 0; }
  /// Records each thread's part of the repetitions from now on; null ends it.
  virtual void watch_threads(SpanRecorder*) {}

  /// Does `work`, one repetition.
  template <typename F>
  void repetition(const char* name, F&& work) {
    if (recorder == nullptr) {
      work();
      return;
    }
    const ScopedSpan span(*recorder, 0, recorder->name_id(name), 1);
    work();
  }

  const std::vector<SetupPart>& setup_parts() const { return parts_; }
  /// Set while a sample is looked at closely: every repetition and each thread's part in it is recorded, which takes
  /// time of its own. Lane 0 is the calling thread's.
  SpanRecorder* recorder = nullptr;
  /// Set by whoever runs the task; long CPU work looks at it with stop_if_cancelled().
  const std::atomic<bool>* cancel = nullptr;

 protected:
  /// Does `work` as a named part of the set-up.
  template <typename F>
  void part(const char* name, F&& work) {
    add_part(parts_, name, std::forward<F>(work));
  }
  void add_parts(const std::vector<SetupPart>& parts) { parts_.insert(parts_.end(), parts.begin(), parts.end()); }
  void stop_if_cancelled() const {
    if (cancel != nullptr && cancel->load()) throw TaskCancelled();
  }

 private:
  std::vector<SetupPart> parts_;
};

/// Description and capabilities of a variant; the page and the command line show these words.
struct TaskVariant {
  const char* id;
  const char* title;
  const char* changes;    // what it changes against the one it builds on
  const char* builds_on;  // "" for none
  const char* device;     // "cpu" | "cuda"
  const char* precision;  // of its arithmetic: "fp32", "tf32", "bf16", "fp64", "int"
  const char* source;     // file in the repository
  /// Bytes that a problem needs on its device, before it is allocated.
  double (*estimate_bytes)(const TaskProblem&);
  std::unique_ptr<Task> (*make)(const TaskProblem&);
  /// Why it cannot do this problem, in one sentence; "" when it can.
  std::string (*refuses)(const TaskProblem&) = [](const TaskProblem&) { return std::string(); };
  /// Why this machine cannot run it, in one sentence; "" when it can.
  std::string (*unavailable)() = [] { return std::string(); };
  /// Whether `auto` may choose it: false if it gives fewer digits, or does more than was requested.
  bool automatic = true;
  /// Whose kernels do the work, such as "cuBLAS"; "" where they are ours, and can be changed.
  const char* library = "";
};

/// Variants that answer the same question, in the order of the ladder: each further one is meant to be faster.
struct TaskBench {
  const char* workload;
  const char* id;  // "" where the workload has one bench
  const char* title;
  std::vector<TaskVariant> variants;
};

/// Steele, Lea and Flood's SplitMix64: one independent value per index.
std::uint64_t scrambled(std::uint64_t index);
/// Increment from one index of a stream to the next.
inline constexpr std::uint64_t kScrambledStep = 0x9e3779b97f4a7c15ull;

/// 64 bits that differ when a bit of `bytes` does, all but surely.
std::uint64_t hash_bytes(std::span<const std::byte> bytes);
template <typename T>
std::uint64_t hash_values(std::span<const T> values) {
  return hash_bytes(std::as_bytes(values));
}

/// `count` values in [-1, 1) that depend on `seed` alone, exact in FP32.
std::vector<float> uniform_values(std::size_t count, std::uint64_t seed);

}  // namespace bb::engine
