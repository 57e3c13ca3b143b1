#include "cpu_task.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/host.hpp"
#include "cpu/stopwatch.hpp"

namespace bb::engine {

namespace {

using cpu::Clock;
using Copies = std::vector<std::vector<std::byte>>;

/// Makes the task's threads record their parts during the lifetime of this object.
class ThreadWatch {
 public:
  explicit ThreadWatch(Task& task) : task_(task) {
    if (task.recorder != nullptr) task.watch_threads(task.recorder);
  }
  ThreadWatch(const ThreadWatch&) = delete;
  ThreadWatch& operator=(const ThreadWatch&) = delete;
  ~ThreadWatch() {
    if (task_.recorder != nullptr) task_.watch_threads(nullptr);
  }

 private:
  Task& task_;
};

Copies copies_of(const std::vector<TaskArray>& arrays) {
  Copies out;
  for (const TaskArray& array : arrays) {
    const auto* first = static_cast<const std::byte*>(array.data);
    out.emplace_back(first, first + array.bytes());
  }
  return out;
}

void poison(const std::vector<TaskArray>& outputs, const AuditPlan& plan) {
  for (const TaskArray& array : outputs) {
    if (array.count > 0) std::memset(array.data, plan.poison_of(array), array.bytes());
  }
}

void write(const std::vector<TaskArray>& arrays, const Copies& values) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].count > 0) std::memcpy(arrays[a].data, values[a].data(), values[a].size());
  }
}

/// Rotates each array of `values` by a share of its elements.
Copies rotated(const std::vector<TaskArray>& arrays, Copies values, double share) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (!arrays[a].rotates()) continue;
    const std::size_t by = arrays[a].rotated_by(share);
    std::ranges::rotate(values[a], values[a].begin() + static_cast<std::ptrdiff_t>(by * arrays[a].element_bytes()));
  }
  return values;
}

bool equal_bytes(const std::vector<TaskArray>& arrays, const Copies& values) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].count > 0 && std::memcmp(arrays[a].data, values[a].data(), values[a].size()) != 0) return false;
  }
  return true;
}

/// Time of one repetition after writing the inputs and the outputs. Outputs are filled with the poison of `plan`, or
/// rewritten with their own values if it is null, which causes the same memory traffic.
double probe_seconds(Task& task, const TaskArrays& arrays, const Copies& inputs, const AuditPlan* plan) {
  write(arrays.inputs, inputs);
  if (plan != nullptr) {
    poison(arrays.outputs, *plan);
  } else {
    write(arrays.outputs, copies_of(arrays.outputs));
  }
  const Clock::time_point start = Clock::now();
  task.perform();
  return cpu::seconds_since(start);
}

/// Results of one repetition with altered inputs. Restores the inputs afterwards.
TaskResults altered_results(Task& task, const TaskArrays& arrays, const Copies& inputs, const AuditPlan& plan) {
  Copies altered = inputs;
  alter(arrays.inputs, altered, plan.alteration);
  if (altered == inputs) return {};
  probe_seconds(task, arrays, altered, &plan);
  TaskResults results = results_of(arrays.outputs, copies_of(arrays.outputs));
  write(arrays.inputs, inputs);
  return results;
}

/// Number of calls with unchanged inputs after which a probe may repeat inputs of an earlier call. A task that
/// remembers results by their inputs then answers from memory.
constexpr int kMinKnownCalls = 20;

/// Random numbers that a task cannot predict, from a seed that the engine drew.
class RandomPicks {
 public:
  explicit RandomPicks(std::uint64_t seed) : state_(scrambled(seed)) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool happens(double probability) { return static_cast<double>(next() >> 11) * 0x1p-53 < probability; }

 private:
  std::uint64_t next() { return state_ = scrambled(state_); }
  std::uint64_t state_;
};

/// Changes a few randomly chosen elements of the task's memory, and restores them.
class Disturbance {
 public:
  Disturbance(const TaskArrays& arrays, RandomPicks& picks) : arrays_(arrays), picks_(picks) {}
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;
  ~Disturbance() { restore_inputs(); }

  /// Copies other values of the same array into `most` grains of each input, at most half of it. Integers are exchanged
  /// instead, because they may be indices that must all occur.
  void change_inputs(std::size_t most) {
    for (const TaskArray& array : arrays_.inputs) {
      if (!array.rotates()) continue;
      const std::size_t grains = array.count / array.grain;
      for (std::size_t i = 0; i < std::min(most, std::max<std::size_t>(1, grains / 2)); ++i) {
        std::byte* to = at(array, array.grain * picks_.below(grains));
        std::byte* from = at(array, array.grain * picks_.below(grains));
        const std::size_t bytes = array.grain * array.element_bytes();
        changed_.push_back({to, {to, to + bytes}});
        if (!array.is_real()) changed_.push_back({from, {from, from + bytes}});
        if (array.is_real()) {
          std::memmove(to, from, bytes);
        } else if (to != from) {
          std::swap_ranges(to, to + bytes, from);
        }
      }
    }
  }
  void restore_inputs() {
    for (auto one = changed_.rbegin(); one != changed_.rend(); ++one) {
      std::memcpy(one->first, one->before.data(), one->before.size());
    }
    changed_.clear();
  }

  void poison_one_result() {
    for (const TaskArray& array : arrays_.outputs) {
      if (array.count == 0 || !array.has_poison()) continue;
      poisoned_.push_back({&array, picks_.below(array.count)});
      std::memset(at(array, poisoned_.back().index), kPoison, array.element_bytes());
    }
  }
  void count_unwritten(TaskAudit& audit) {
    for (const Result& one : poisoned_) {
      const std::byte* first = at(*one.array, one.index);
      const auto is_poison = [](std::byte byte) { return byte == std::byte{kPoison}; };
      if (!std::all_of(first, first + one.array->element_bytes(), is_poison)) continue;
      if (audit.hidden_unwritten++ == 0) audit.first_hidden_unwritten = one.index;
    }
    poisoned_.clear();
  }

 private:
  struct Change {
    std::byte* first;
    std::vector<std::byte> before;
  };
  struct Result {
    const TaskArray* array;
    std::size_t index;
  };

  static std::byte* at(const TaskArray& array, std::size_t i) {
    return static_cast<std::byte*>(array.data) + i * array.element_bytes();
  }

  const TaskArrays& arrays_;
  RandomPicks& picks_;
  std::vector<Change> changed_;
  std::vector<Result> poisoned_;
};

/// Grains per input that a HiddenProbe changes.
constexpr std::size_t kHiddenChanges = 4;

/// Number of grains that are changed in displaced repetitions. It varies widely, because an implementation may
/// recognise its inputs by only a few of them.
std::size_t displaced_changes(RandomPicks& picks) { return kHiddenChanges << (2 * picks.below(6)); }

/// Parts of the inputs that alter() changes: inner halves of all arrays, of one array, or a few grains. Integers are
/// only permuted, because they may be indices that must all occur.
enum class Alteration { kAllArrays, kOneArray, kFewGrains };
constexpr std::uint64_t kAlterations = 3;

double hidden_probability(int repetitions, const AuditPlan& plan) {
  return plan.hide ? std::min(kMaxHiddenShare, static_cast<double>(kMaxProbes) / repetitions) : 0.0;
}

}  // namespace

void alter(const std::vector<TaskArray>& inputs, Copies& values, std::uint64_t seed) {
  RandomPicks picks(seed / kAlterations);
  const auto kind = static_cast<Alteration>(seed % kAlterations);
  std::vector<std::size_t> able;
  for (std::size_t a = 0; a < inputs.size(); ++a) {
    // Integers can be permuted only if the inner half has at least two groups.
    if (inputs[a].rotates() && inputs[a].count / inputs[a].grain >= 4) able.push_back(a);
  }
  if (able.empty()) return;
  const std::size_t only = able[picks.below(able.size())];
  for (const std::size_t a : able) {
    if (kind == Alteration::kOneArray && a != only) continue;
    const TaskArray& array = inputs[a];
    const std::size_t groups = array.count / array.grain, bytes = array.grain * array.element_bytes();
    const std::size_t first = groups / 4, count = groups / 2;
    // Rows and integers are only permuted, because two equal rows would make a matrix singular.
    const bool duplicates = array.is_real() && array.grain <= 2;
    const auto at = [&](std::size_t i) { return values[a].begin() + static_cast<std::ptrdiff_t>(i * bytes); };
    if (kind == Alteration::kFewGrains) {
      for (std::size_t left = std::min(displaced_changes(picks), count / 2); left > 0; --left) {
        const std::size_t to = first + picks.below(count), from = first + picks.below(count);
        if (to == from) continue;
        if (duplicates) {
          std::copy(at(from), at(from + 1), at(to));
        } else {
          std::swap_ranges(at(to), at(to + 1), at(from));
        }
      }
    } else if (duplicates) {
      // Copies values over others, because a permutation alone would not change a sum.
      const std::size_t half = count / 2, from = first + picks.below(half);
      std::memmove(&*at(first + count - half), &*at(from), half * bytes);
    } else {
      std::ranges::rotate(at(first), at(first + 1 + picks.below(count - 1)), at(first + count));
    }
  }
}

CpuTask::CpuTask(const TaskProblem& problem) : problem_(problem), pool_(cpu::thread_count(problem.threads)) {}

void CpuTask::watch_threads(SpanRecorder* recorder) {
  if (recorder == nullptr) {
    pool_.watch({});
    return;
  }
  const std::uint16_t name = recorder->name_id("work");
  pool_.watch([recorder, name](int lane, Clock::time_point start, Clock::time_point end) {
    recorder->record(1 + lane, name, kNoStep, recorder->ns_at(start), recorder->ns_at(end));
  });
}

TaskTime repeat_on_cpu(Task& task, int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit) {
  if (replays_graph(mode)) {
    throw ProblemError("unsupported", "CPU variants have no launches that a graph could replay");
  }
  const ThreadWatch watched(task);
  const bool alters = plan.altered_at >= 0;
  const bool audits = plan.at >= 0 || plan.probe || plan.swapped || alters;
  const TaskArrays arrays = audits || plan.hide ? task.arrays() : TaskArrays{};
  Clock::time_point began = Clock::now();
  const Copies inputs = audits ? copies_of(arrays.inputs) : Copies{};
  if (plan.swapped) write(arrays.inputs, rotated(arrays.inputs, inputs, plan.rotation));
  RandomPicks picks(plan.picks);
  Disturbance displacement(arrays, picks), disturbance(arrays, picks);
  if (plan.displaced > 0) displacement.change_inputs(displaced_changes(picks));
  if (audits || plan.displaced > 0) audit.seconds += cpu::seconds_since(began);
  const double hides = hidden_probability(repetitions, plan);
  TaskTime out;
  double before_s = kAbsent;
  for (int i = 0; i < repetitions; ++i) {
    if (task.cancel != nullptr && task.cancel->load()) throw TaskCancelled();
    if (plan.swapped && i >= kMinSwapped && out.wall_s > kMaxSwapped_s) break;
    if (i == plan.displaced) displacement.restore_inputs();
    if (i == plan.altered_at) {
      began = Clock::now();
      audit.altered = altered_results(task, arrays, inputs, plan);
      audit.seconds += cpu::seconds_since(began);
    }
    if (i == plan.at) {
      began = Clock::now();
      poison(arrays.outputs, plan);
      audit.seconds += cpu::seconds_since(began);
    }
    if (is_cold(mode)) cpu::empty_caches();
    const bool apart = i == plan.at || i - 1 == plan.at || i == plan.altered_at;
    const bool hidden = i > 0 && !apart && picks.happens(hides);
    if (hidden) {
      disturbance.change_inputs(kHiddenChanges);
      disturbance.poison_one_result();
    }
    const Clock::time_point start = Clock::now();
    task.repetition("repetition", [&] { task.perform(); });
    const Clock::time_point end = Clock::now();
    const double took_s = std::chrono::duration<double>(end - start).count();
    out.wall_s += took_s;
    if (hidden) {
      disturbance.restore_inputs();
      disturbance.count_unwritten(audit);
      audit.hidden.push_back({took_s, before_s});
    }
    before_s = took_s;
    if (i == plan.at) {
      // Outputs are copied at once. Work that continues after the clock has stopped has then not written its results
      // yet.
      Copies copies = copies_of(arrays.outputs);
      count_unwritten(arrays.outputs, copies, audit);
      audit.results = results_of(arrays.outputs, std::move(copies));
      audit.audited = !arrays.outputs.empty();
      audit.seconds += cpu::seconds_since(end);
    }
  }
  displacement.restore_inputs();
  if (!audits) return out;
  began = Clock::now();
  const bool rewritable = std::ranges::any_of(arrays.inputs, &TaskArray::rotates);
  if (plan.swapped) {
    if (rewritable) audit.swapped_s = probe_seconds(task, arrays, inputs, &plan);
    return out;
  }
  audit.inputs_changed = !equal_bytes(arrays.inputs, inputs);
  for (int i = 0; plan.probe && rewritable && !audit.inputs_changed && i < kMaxProbes; ++i) {
    if (i > 0 && cpu::seconds_since(began) > kMaxProbing_s) break;
    const Copies fresh = rotated(arrays.inputs, inputs, rotation_of(plan, i));
    const double fresh_s = probe_seconds(task, arrays, fresh, &plan);
    const double again_s = probe_seconds(task, arrays, fresh, nullptr);
    audit.probes.push_back({fresh_s, again_s, kAbsent});
  }
  if (!audit.probes.empty()) {
    // Makes as many calls as a sample has. A task may have discarded its stored inputs, and store them again only after
    // some calls.
    const int calls = std::max(repetitions, kMinKnownCalls);
    write(arrays.inputs, inputs);
    const Clock::time_point known = Clock::now();
    for (int i = 0; i < calls && cpu::seconds_since(known) < kMaxProbing_s; ++i) task.perform();
    const Clock::time_point usual = Clock::now();
    for (MemoryProbe& one : audit.probes) {
      one.usual_s = probe_seconds(task, arrays, inputs, nullptr);
      if (cpu::seconds_since(usual) > kMaxProbing_s) break;
    }
    audit.inputs_changed = !equal_bytes(arrays.inputs, inputs);
  }
  audit.seconds += cpu::seconds_since(began);
  return out;
}

}  // namespace bb::engine
