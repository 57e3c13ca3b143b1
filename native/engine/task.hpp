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

#include "cpu/user_library.hpp"
#include "measuring.hpp"
#include "problem_error.hpp"
#include "spans.hpp"

// Small measured workloads ("tasks"): short work that is prepared once and repeated many times, such as one matrix
// product or one copy. Tasks derive from CpuTask (engine/cpu_task.hpp) and CudaTask (cuda/task/cuda_task.hpp);
// kernels/tasks lists and runs them.
namespace bb::engine {

/// Marks a value that is missing or meaningless.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

/// A request as lists of values by name; the host has validated them against the scenario's schema.
struct TaskProblem {
  std::string workload;     // kind of the scenario, such as "linear-relu" or "micro"
  std::string bench;        // bench of a workload with several; "" otherwise
  std::string variant;      // id of a variant, or "auto"
  std::string device;       // index or UUID of a GPU; "" is the default one
  int threads = 0;          // for CPU variants; 0: one per core
  double memory_limit = 0;  // bytes for CPU variants; 0: no limit
  std::uint64_t seed = 1;   // seed of synthetic inputs
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::map<std::string, bool> switches;

  /// These functions throw ProblemError('invalid') that names a missing or unsuitable value.
  double number(const std::string& key) const;
  std::size_t count(const std::string& key) const;  // a non-negative integer
  const std::string& word(const std::string& key) const;
  bool on(const std::string& key) const;
};

/// Compulsory memory traffic and arithmetic of one repetition; kAbsent if meaningless.
struct TaskWork {
  double bytes = kAbsent;
  double flops = kAbsent;
};

/// A further metric that the variant reports: cycles of latency, registers, resident blocks.
struct Quantity {
  std::string id, title;
  double value;
  std::string unit;  // displayed unit: "cycles", "GB/s"; "" for a plain number
};

/// One comparison with the FP64 reference. It passes if value <= limit; NaN never does.
struct Check {
  std::string id, title;
  double value, limit;
  std::string where{};  // first value beyond the limit: "result 17 is 0.5, expected 0.75"
  bool holds() const { return value <= limit; }
};

/// Values of a result, read one by one. Reading past the end gives NaN, which no check accepts.
struct TaskResult {
  std::size_t count = 0;
  std::function<double(std::size_t)> value{};

  double at(std::size_t i) const { return i < count ? value(i) : kAbsent; }
};
using TaskResults = std::vector<TaskResult>;

/// Memory that a prepared task reads or writes, on its device. The engine fills, rewrites, copies and compares it
/// without running code of a variant.
struct TaskArray {
  enum class Type { kFloat, kDouble, kUnsigned, kBf16, kHalf, kInt, kInt8, kBool };

  void* data = nullptr;
  std::size_t count = 0;
  Type type = Type::kFloat;
  /// Elements that a probe must move together, such as a row; 0 if the order is part of the problem.
  std::size_t grain = 1;

  std::size_t element_bytes() const;
  std::size_t bytes() const { return count * element_bytes(); }
  /// True if the poison differs from every value that a task computes.
  bool has_poison() const { return type != Type::kInt && type != Type::kInt8 && type != Type::kBool; }
  bool is_real() const {
    return type == Type::kFloat || type == Type::kDouble || type == Type::kBf16 || type == Type::kHalf;
  }
  /// True if a probe can change the values by rotating the array.
  bool rotates() const { return grain > 0 && count > grain; }
  /// Index of the first element after a rotation by `share` of the array.
  std::size_t rotated_by(double share) const;
};

/// `inputs` may be rewritten between repetitions. Every repetition writes all of `outputs`, which are in the order of
/// TaskResults and empty for a result that is not an array.
struct TaskArrays {
  std::vector<TaskArray> inputs, outputs;
};

/// Makes results from copies of arrays.
TaskResults results_of(const std::vector<TaskArray>& arrays, std::vector<std::vector<std::byte>> copies);

struct CheckReport {
  std::vector<Check> checks;
  std::string compared;  // values and reference: "4096 of 4194304 outputs with FP64"
};

/// `kWarm`: repetitions one after another. `kCold`: the caches (a GPU's L2) are emptied before each, outside the timed
/// interval. `kGraph`: a repetition is captured once and replayed. `kColdGraph`: the caches are emptied before each
/// replay.
enum class TaskMode { kWarm, kCold, kGraph, kColdGraph };
inline constexpr int kTaskModes = 4;

constexpr bool is_cold(TaskMode mode) { return mode == TaskMode::kCold || mode == TaskMode::kColdGraph; }
constexpr bool replays_graph(TaskMode mode) { return mode == TaskMode::kGraph || mode == TaskMode::kColdGraph; }

/// Clock that times a repetition.
enum class TaskClock { kDevice, kWall };

/// Total time of all repetitions, seconds.
struct TaskTime {
  double device_s = kAbsent;  // by the GPU's events; absent on the CPU
  double wall_s = 0;
};

/// Byte that fills outputs before an audited repetition: a NaN of any floating-point type, and the largest unsigned
/// number.
inline constexpr unsigned char kPoison = 0xff;

/// Times in seconds of three repetitions with equal memory traffic before each. They are equal for an implementation
/// that computes, but not for one that reuses stored results.
struct MemoryProbe {
  double fresh_s;  // inputs that the task has not seen, outputs poisoned
  double again_s;  // inputs of the first repetition, results left in place
  double usual_s;  // the inputs of the sample, results left in place
};

/// Times in seconds of two consecutive repetitions within a sample. Just before the second, a few inputs are changed
/// and one result of each output is poisoned. The two do not differ otherwise, not even in the time between calls.
struct HiddenProbe {
  double changed_s, before_s;
};

/// Limits on the probes at the end of a sample: their number, and their total time. At least one probe runs.
inline constexpr int kMaxProbes = 12;
inline constexpr double kMaxProbing_s = 0.01;

/// Minimum number of repetitions with rotated inputs before TaskAudit::swapped_s, even if they are long.
inline constexpr int kMinSwapped = 3;
inline constexpr double kMaxSwapped_s = 0.1;

/// Maximum probability of a HiddenProbe at each repetition, independent of earlier ones. A task may reuse results only
/// after some equal calls. Probes then meet that state as often as the timed repetitions do.
inline constexpr double kMaxHiddenShare = 0.25;

/// Unpredictable positions in a sample, drawn by the engine.
struct AuditPlan {
  int at = -1;                   // repetition whose outputs are poisoned before it and copied after it; -1: none
  bool probe = false;            // true if the sample ends with MemoryProbes
  bool hide = false;             // true if the sample contains HiddenProbes
  int displaced = 0;             // number of repetitions, from the first, with some inputs changed
  bool swapped = false;          // true if inputs are rotated; TaskAudit::swapped_s is then timed after the repetitions
  int altered_at = -1;           // repetition before which an untimed one with altered inputs runs; -1: none
  std::uint64_t alteration = 0;  // seed of alter()
  double rotation = 0;           // in (0, 1): share of each input by which the first probe rotates it
  std::uint64_t picks = 0;       // seed for the positions of HiddenProbes and for changed inputs
  unsigned char filler = kPoison;  // fills integer outputs, for which every value may be valid

  unsigned char poison_of(const TaskArray& array) const { return array.has_poison() ? kPoison : filler; }
};

/// Audit of one sample. Its cost is not part of the timed interval.
struct TaskAudit {
  bool audited = false;
  TaskResults results;              // results of the audited repetition
  TaskResults altered{};            // results with altered inputs; empty if no inputs were altered
  std::size_t outputs = 0;          // values that a repetition must write
  std::size_t unwritten = 0;        // values that still had the poison
  std::size_t first_unwritten = 0;  // index among all outputs, one array after another
  bool inputs_changed = false;      // true if a repetition changed its inputs
  std::vector<MemoryProbe> probes{};
  std::vector<HiddenProbe> hidden{};
  std::size_t hidden_unwritten = 0;        // results poisoned by HiddenProbes that were not written
  std::size_t first_hidden_unwritten = 0;  // index in that output
  double swapped_s = kAbsent;              // one repetition with the prepared inputs, used for the first time
  double seconds = 0;                      // cost of the audit, seconds
};

/// Ends a task between two pieces of work after `cancel` was set.
class TaskCancelled : public std::runtime_error {
 public:
  TaskCancelled() : std::runtime_error("cancelled") {}
};

/// Share by which probe `i` rotates inputs, in (0, 1). It uses multiples of the golden ratio, which do not repeat.
inline double rotation_of(const AuditPlan& plan, int i) {
  const double turned = plan.rotation + 0.6180339887498949 * i;
  return turned - static_cast<double>(static_cast<long>(turned));
}

/// Counts the outputs that still have the poison in these copies, and adds the numbers to an audit.
void count_unwritten(const std::vector<TaskArray>& outputs, const std::vector<std::vector<std::byte>>& copies,
                     TaskAudit& audit);

/// Solves one problem with one variant: prepared once, then repeated. Used by one thread at a time.
class Task {
 public:
  virtual ~Task() = default;

  /// Allocates memory, makes inputs and uploads them. Called once, before anything else.
  virtual void prepare() = 0;
  /// Throws ProblemError('memory') if `bytes` are not available; called before prepare().
  virtual void require_memory(double bytes);
  /// Makes the device current on the calling thread. Every thread must call this before it uses the task.
  virtual void enter() {}
  /// Runs `repetitions` on a device and fills `audit` according to `plan`. Throws ProblemError('unsupported') with a
  /// sentence if the mode is impossible. CPU tasks are repeated by repeat_on_cpu().
  virtual TaskTime repeat(int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit) = 0;
  /// Runs one repetition on the CPU, synchronously.
  virtual void perform() {}
  /// Restores inputs that a repetition changes, runs exactly one repetition and waits for it.
  virtual void once() = 0;

  /// Memory of the task; empty if results and inputs are not plain arrays, or if a repetition does not write all
  /// outputs.
  virtual TaskArrays arrays() { return {}; }
  /// Inputs as prepare() makes them, for a reference outside the engine; needs no prepare().
  virtual TaskResults inputs() { return {}; }
  /// Results of once(), for compare().
  virtual TaskResults results() = 0;
  /// Compares results of this task, or of another one for the same problem, with an FP64 reference. Needs no prepare().
  virtual CheckReport compare(const TaskResults& results) = 0;
  /// Hash of the result bits of once(): equal for equal results.
  virtual std::uint64_t hash() = 0;
  virtual TaskWork work() const = 0;
  virtual TaskClock clock() const = 0;
  virtual std::vector<Quantity> quantities() { return {}; }

  /// Number of the task's own threads, which have recorder lanes after that of the calling thread.
  virtual int lanes() const { return 0; }
  /// Records each thread's part of later repetitions; null ends recording.
  virtual void watch_threads(SpanRecorder*) {}

  /// Runs `work`, one repetition, and records it if a recorder is set.
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
  /// Set while a sample is traced. Every repetition, and each thread's part in it, is then recorded, which costs time.
  /// Lane 0 is the calling thread.
  SpanRecorder* recorder = nullptr;
  /// Set by the caller; long CPU work polls it with stop_if_cancelled().
  const std::atomic<bool>* cancel = nullptr;

 protected:
  /// Runs `work` as a named part of the setup.
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

/// Description and capabilities of a variant; the page and the command line show these texts.
struct TaskVariant {
  const char* id;
  const char* title;
  const char* changes;    // difference from the variant it builds on
  const char* builds_on;  // "" if it builds on none
  const char* device;     // "cpu" | "cuda"
  const char* precision;  // arithmetic: "fp32", "tf32", "bf16", "fp64", "int"
  const char* source;     // file in the repository
  /// Memory in bytes that a problem needs on its device, before the allocation.
  double (*estimate_bytes)(const TaskProblem&);
  std::unique_ptr<Task> (*make)(const TaskProblem&);
  /// Reason why the variant cannot solve this problem, in one sentence; "" if it can.
  std::string (*refuses)(const TaskProblem&) = [](const TaskProblem&) { return std::string(); };
  /// Reason why this machine cannot run the variant, in one sentence; "" if it can.
  std::string (*unavailable)() = [] { return std::string(); };
  /// Whether `auto` may choose the variant: false if it is less accurate, or does more work than requested.
  bool automatic = true;
  /// Library whose kernels do the work, such as "cuBLAS"; "" if the kernels are part of this project and can be edited.
  const char* library = "";
};

/// Variants that solve the same problem, usually ordered by increasing speed.
struct TaskBench {
  const char* workload;
  const char* id;  // "" if the workload has one bench
  const char* title;
  std::vector<TaskVariant> variants;
  /// Problems on which tests compare every variant with FP64: quick, of odd sizes, and with every option that changes
  /// the code.
  std::vector<TaskProblem> small{};
};

/// SplitMix64 by Steele, Lea and Flood: one independent value per index.
std::uint64_t scrambled(std::uint64_t index);
/// Increment from one index of a stream to the next.
inline constexpr std::uint64_t kScrambledStep = 0x9e3779b97f4a7c15ull;

/// 64-bit hash of `bytes`.
std::uint64_t hash_bytes(std::span<const std::byte> bytes);
template <typename T>
std::uint64_t hash_values(std::span<const T> values) {
  return hash_bytes(std::as_bytes(values));
}

/// `count` values in [-1, 1) that depend only on `seed`; exact in FP32.
std::vector<float> uniform_values(std::size_t count, std::uint64_t seed);

/// Hash of the layout of all types that a task and the engine exchange.
inline constexpr std::uint64_t kUserTaskLayout =
    cpu::layout_of<TaskProblem, Task, TaskTime, TaskWork, TaskResult, Check, CheckReport, Quantity, SetupPart,
                   std::vector<double>, std::string>();

}  // namespace bb::engine
