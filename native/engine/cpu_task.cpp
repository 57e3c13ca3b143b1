#include "cpu_task.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/caches.hpp"
#include "cpu/stopwatch.hpp"

namespace bb::engine {

namespace {

using cpu::Clock;
using Copies = std::vector<std::vector<std::byte>>;

/// The task's threads record their parts for as long as this lives.
class Watched {
 public:
  explicit Watched(Task& task) : task_(task) {
    if (task.recorder != nullptr) task.watch_threads(task.recorder);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
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

/// Each array of `values` begins at another of its elements, and its first ones follow its last.
Copies rotated(const std::vector<TaskArray>& arrays, Copies values, double share) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (!arrays[a].rotates()) continue;
    const std::size_t by = arrays[a].rotated_by(share);
    std::ranges::rotate(values[a], values[a].begin() + static_cast<std::ptrdiff_t>(by * arrays[a].element_bytes()));
  }
  return values;
}

bool same(const std::vector<TaskArray>& arrays, const Copies& values) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].count > 0 && std::memcmp(arrays[a].data, values[a].data(), values[a].size()) != 0) return false;
  }
  return true;
}

/// One repetition with these inputs written before it, and the outputs written too: by the poison of `plan`, or by what
/// they contain.
double probed(Task& task, const TaskArrays& arrays, const Copies& inputs, const AuditPlan* plan) {
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

}  // namespace

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
  if (mode == TaskMode::kGraph) {
    throw ProblemError("unsupported", "the CPU launches nothing that a graph could replay");
  }
  const Watched watched(task);
  const bool audits = plan.at >= 0 || plan.probe;
  const TaskArrays arrays = audits ? task.arrays() : TaskArrays{};
  Clock::time_point began = Clock::now();
  const Copies inputs = copies_of(arrays.inputs);
  if (audits) audit.seconds += cpu::seconds_since(began);
  TaskTime out;
  for (int i = 0; i < repetitions; ++i) {
    if (task.cancel != nullptr && task.cancel->load()) throw TaskCancelled();
    if (i == plan.at) {
      began = Clock::now();
      poison(arrays.outputs, plan);
      audit.seconds += cpu::seconds_since(began);
    }
    if (mode == TaskMode::kCold) cpu::empty_caches();
    const Clock::time_point start = Clock::now();
    task.repetition("repetition", [&] { task.perform(); });
    const Clock::time_point end = Clock::now();
    out.wall_s += std::chrono::duration<double>(end - start).count();
    if (i == plan.at) {
      // At once: work that goes on behind the clock has not written its results yet.
      Copies copies = copies_of(arrays.outputs);
      count_unwritten(arrays.outputs, copies, audit);
      audit.results = results_of(arrays.outputs, std::move(copies));
      audit.audited = !arrays.outputs.empty();
      audit.seconds += cpu::seconds_since(end);
    }
  }
  if (!audits) return out;
  began = Clock::now();
  audit.inputs_changed = !same(arrays.inputs, inputs);
  const bool rewritable = std::ranges::any_of(arrays.inputs, &TaskArray::rotates);
  for (int i = 0; plan.probe && rewritable && !audit.inputs_changed && i < kMostProbes; ++i) {
    if (i > 0 && cpu::seconds_since(began) > kMostProbing_s) break;
    const Copies fresh = rotated(arrays.inputs, inputs, rotation_of(plan, i));
    const double fresh_s = probed(task, arrays, fresh, &plan);
    const double again_s = probed(task, arrays, fresh, nullptr);
    write(arrays.inputs, inputs);
    task.perform();
    audit.probes.push_back({fresh_s, again_s, probed(task, arrays, inputs, nullptr)});
    audit.inputs_changed = !same(arrays.inputs, inputs);
  }
  audit.seconds += cpu::seconds_since(began);
  return out;
}

}  // namespace bb::engine
