#include "cuda_task.hpp"

#include <algorithm>
#include <functional>

#include "cpu/stopwatch.hpp"
#include "engine/cpu_task.hpp"

namespace bb::cuda {

using cpu::Clock;
using engine::AuditPlan;
using engine::TaskArray;
using engine::TaskAudit;
using engine::TaskMode;
using engine::TaskTime;

namespace {

using Copies = std::vector<DeviceBuffer<unsigned char>>;

api::DevicePointer address_of(const TaskArray& array) { return reinterpret_cast<api::DevicePointer>(array.data); }

/// Queues a copy of bytes within the device.
void copy(api::DevicePointer to, api::DevicePointer from, std::size_t bytes, Stream& stream) {
  if (bytes > 0) stream.check(driver().MemcpyDtoDAsync(to, from, bytes, stream.handle()), "cuMemcpyDtoDAsync_v2");
}

void poison(const std::vector<TaskArray>& outputs, const AuditPlan& plan, Stream& stream) {
  for (const TaskArray& array : outputs) {
    if (array.count == 0) continue;
    stream.check(driver().MemsetD8Async(address_of(array), plan.poison_of(array), array.bytes(), stream.handle()),
                 "cuMemsetD8Async");
  }
}

Copies room_for(const std::vector<TaskArray>& arrays, const std::shared_ptr<Device>& device) {
  Copies out;
  for (const TaskArray& array : arrays) out.emplace_back(device, array.bytes());
  return out;
}

void save(const std::vector<TaskArray>& arrays, const Copies& into, Stream& stream) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    copy(into[a].address(), address_of(arrays[a]), arrays[a].bytes(), stream);
  }
}

/// Writes saved values back; if `share` is not 0, each array is rotated by that share of its elements.
void write(const std::vector<TaskArray>& arrays, const Copies& values, double share, Stream& stream) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const std::size_t by = share > 0.0 && arrays[a].rotates() ? arrays[a].rotated_by(share) : 0;
    const std::size_t first = by * arrays[a].element_bytes(), rest = arrays[a].bytes() - first;
    copy(address_of(arrays[a]), values[a].address() + first, rest, stream);
    copy(address_of(arrays[a]) + rest, values[a].address(), first, stream);
  }
}

std::vector<std::vector<std::byte>> read(const Copies& copies, Stream& stream) {
  std::vector<std::vector<std::byte>> out;
  for (const DeviceBuffer<unsigned char>& one : copies) {
    std::vector<std::byte>& bytes = out.emplace_back(one.size());
    one.download({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()}, stream);
  }
  stream.synchronize();
  return out;
}

/// Device times of pieces of work on one stream. The events are created beforehand, because creating them takes the
/// host long.
class PieceTimer {
 public:
  explicit PieceTimer(const std::shared_ptr<Device>& device) {
    for (int i = 0; i < 2 * kMax; ++i) events_.emplace_back(device);
  }
  template <typename Body>
  void time(Stream& stream, Body&& body) {
    events_[used_++].record(stream);
    body();
    events_[used_++].record(stream);
  }
  /// Device time of all pieces, once the stream is idle.
  double seconds() const {
    double sum = 0;
    for (std::size_t i = 0; i < used_; i += 2) sum += events_[i + 1].seconds_since(events_[i]);
    return sum;
  }

 private:
  /// A sample has up to four pieces: repetitions before the altered one, those up to the audited one, the audited one,
  /// and those after it.
  static constexpr int kMax = 4;

  std::vector<Event> events_;
  std::size_t used_ = 0;
};

}  // namespace

CudaTask::CudaTask(const engine::TaskProblem& problem, const std::string& folder)
    : problem_(problem),
      opened_(OpenedDevice::open(problem.device, folder)),
      stream_(opened_.device),
      timer_(opened_.device) {
  add_parts(opened_.parts);
}

void CudaTask::require_memory(double bytes) {
  cuda::require_memory(*device(), static_cast<std::uint64_t>(bytes), "solver.variant = " + problem_.variant);
}

void CudaTask::capture() {
  if (graph_) return;
  if (const std::string reason = no_graph(); !reason.empty()) throw ProblemError("unsupported", reason);
  part("capture", [&] {
    stream_.begin_capture();
    try {
      queue(stream_);
    } catch (const Error& error) {
      stream_.abandon_capture();
      throw ProblemError("unsupported", std::string("its launches cannot be captured as a graph: ") + error.what());
    } catch (...) {
      stream_.abandon_capture();
      throw;
    }
    graph_.emplace(stream_.end_capture());
    graph_->upload(stream_);
    stream_.synchronize();
  });
}

/// Device copies that an audit of one sample needs, and its steps.
class CudaTask::SampleAudit {
 public:
  SampleAudit(CudaTask& task, const AuditPlan& plan, TaskAudit& audit) : task_(task), plan_(plan), audit_(audit) {
    if (!on()) return;
    const Clock::time_point start = Clock::now();
    arrays_ = task.arrays();
    inputs_ = room_for(arrays_.inputs, task.device());
    outputs_ = room_for(arrays_.outputs, task.device());
    save(arrays_.inputs, inputs_, task.stream_);
    if (plan_.altered_at >= 0) prepare_altered();
    if (plan_.swapped) write(arrays_.inputs, inputs_, plan_.rotation, task.stream_);
    task.stream_.synchronize();
    audit_.seconds += cpu::seconds_since(start);
  }

  bool on() const { return plan_.at >= 0 || plan_.probe || plan_.swapped; }
  bool at(int repetition) const { return repetition == plan_.at && !arrays_.outputs.empty(); }
  /// True if a repetition with altered inputs runs before this one.
  bool alters_before(int repetition) const { return repetition == plan_.altered_at && !altered_.empty(); }
  /// Repetitions before which the sample is interrupted, in order.
  std::vector<int> interruptions() const {
    std::vector<int> out;
    for (const int i : {std::min(plan_.at, plan_.altered_at), std::max(plan_.at, plan_.altered_at)}) {
      if ((at(i) || alters_before(i)) && (out.empty() || out.back() != i)) out.push_back(i);
    }
    return out;
  }
  /// Queues the repetition with altered inputs, and restores the inputs after it. The host never waits, because a
  /// kernel could recognise the audit by a pause.
  void run_altered(const std::function<void()>& body) {
    write(arrays_.inputs, altered_, 0.0, task_.stream_);
    poison(arrays_.outputs, plan_, task_.stream_);
    body();
    save(arrays_.outputs, altered_outputs_, task_.stream_);
    write(arrays_.inputs, inputs_, 0.0, task_.stream_);
  }
  void before() { poison(arrays_.outputs, plan_, task_.stream_); }
  void after() { save(arrays_.outputs, outputs_, task_.stream_); }

  /// Reads the copies, compares the inputs, and runs the probes; the stream must be idle.
  void finish(const std::function<void()>& body) {
    if (!on()) return;
    const Clock::time_point start = Clock::now();
    if (plan_.at >= 0 && !arrays_.outputs.empty()) {
      std::vector<std::vector<std::byte>> copies = read(outputs_, task_.stream_);
      engine::count_unwritten(arrays_.outputs, copies, audit_);
      audit_.results = engine::results_of(arrays_.outputs, std::move(copies));
      audit_.audited = true;
    }
    if (!altered_.empty()) {
      audit_.altered = engine::results_of(arrays_.outputs, read(altered_outputs_, task_.stream_));
    }
    const bool rewritable = std::ranges::any_of(arrays_.inputs, &TaskArray::rotates);
    if (plan_.swapped) {
      if (rewritable) audit_.swapped_s = probe_seconds(body, 0.0, true);
      return;
    }
    const std::vector<std::vector<std::byte>> before = read(inputs_, task_.stream_);
    audit_.inputs_changed = changed(before);
    for (int i = 0; plan_.probe && rewritable && !audit_.inputs_changed && i < engine::kMaxProbes; ++i) {
      if (i > 0 && cpu::seconds_since(start) > engine::kMaxProbing_s) break;
      const double share = engine::rotation_of(plan_, i);
      const double fresh_s = probe_seconds(body, share, true);
      const double again_s = probe_seconds(body, share, false);
      write(arrays_.inputs, inputs_, 0.0, task_.stream_);
      body();
      audit_.probes.push_back({fresh_s, again_s, probe_seconds(body, 0.0, false)});
      audit_.inputs_changed = changed(before);
    }
    audit_.seconds += cpu::seconds_since(start);
  }

 private:
  /// Uploads the altered inputs; leaves `altered_` empty if nothing can be altered.
  void prepare_altered() {
    const std::vector<std::vector<std::byte>> values = read(inputs_, task_.stream_);
    std::vector<std::vector<std::byte>> altered = values;
    engine::alter(arrays_.inputs, altered, plan_.alteration);
    if (altered == values || arrays_.outputs.empty()) return;
    altered_ = room_for(arrays_.inputs, task_.device());
    altered_outputs_ = room_for(arrays_.outputs, task_.device());
    for (std::size_t a = 0; a < altered.size(); ++a) {
      altered_[a].upload({reinterpret_cast<const unsigned char*>(altered[a].data()), altered[a].size()}, task_.stream_);
    }
    task_.stream_.synchronize();
  }

  bool changed(const std::vector<std::vector<std::byte>>& before) {
    Copies now = room_for(arrays_.inputs, task_.device());
    save(arrays_.inputs, now, task_.stream_);
    return read(now, task_.stream_) != before;
  }

  /// Device time of one repetition with inputs rotated by `share`. The same work is queued before each probe. The wait
  /// between the first event and the kernel then does not depend on whether inputs are new.
  double probe_seconds(const std::function<void()>& body, double share, bool poisoned) {
    body();
    write(arrays_.inputs, inputs_, share, task_.stream_);
    save(arrays_.outputs, outputs_, task_.stream_);
    if (!poisoned) poison(arrays_.outputs, plan_, task_.stream_);
    write(arrays_.outputs, outputs_, 0.0, task_.stream_);
    if (poisoned) poison(arrays_.outputs, plan_, task_.stream_);
    return task_.timer_.seconds(task_.stream_, nullptr, body);
  }

  CudaTask& task_;
  const AuditPlan& plan_;
  TaskAudit& audit_;
  engine::TaskArrays arrays_;
  Copies inputs_, outputs_;
  /// Altered inputs, and the results for them; empty if no repetition is altered.
  Copies altered_, altered_outputs_;
};

TaskTime CudaTask::repeat(int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit) {
  if (replays_graph(mode)) capture();
  const std::function<void()> body = [&] {
    if (replays_graph(mode)) {
      graph_->launch(stream_);
    } else {
      queue(stream_);
    }
  };
  SampleAudit audited(*this, plan, audit);
  TaskTime out{.device_s = 0.0, .wall_s = 0.0};
  stop_if_cancelled();
  stream_.synchronize();
  if (is_cold(mode)) {
    if (!flush_) flush_.emplace(device());
    const bool by_device = clock() == engine::TaskClock::kDevice;
    for (int i = 0; i < repetitions; ++i) {
      stop_if_cancelled();
      if (audited.alters_before(i)) audited.run_altered(body);
      if (audited.at(i)) audited.before();
      // Device time and wall time need separate repetitions, because the host waits for the flush only before a
      // measurement of wall time.
      if (by_device) {
        out.device_s += timer_.seconds(stream_, &*flush_, body);
      } else {
        out.wall_s += wall_seconds(stream_, &*flush_, body);
      }
      if (audited.at(i)) audited.after();
    }
    if (by_device) {
      out.wall_s = engine::kAbsent;
    } else {
      out.device_s = engine::kAbsent;
    }
  } else {
    // Audits interrupt the repetitions. The pieces between audits have separate events on the same stream, so that no
    // piece contains the work of an audit. The host waits once, at the end.
    const std::vector<int> stops = audited.interruptions();
    const auto batch = [&](int first, int last) {
      for (int i = first; i < last; ++i) repetition("queue", body);
    };
    if (stops.empty()) {
      const Clock::time_point start = Clock::now();
      out.device_s = timer_.seconds(stream_, nullptr, [&] { batch(0, repetitions); });
      out.wall_s = cpu::seconds_since(start);
    } else {
      PieceTimer timed(device()), audits(device());
      int done = 0;
      const auto run_until = [&](int last) {
        if (last > done) timed.time(stream_, [&] { batch(done, last); });
        done = last;
      };
      const Clock::time_point start = Clock::now();
      for (const int i : stops) {
        run_until(i);
        if (audited.alters_before(i)) audits.time(stream_, [&] { audited.run_altered(body); });
        if (!audited.at(i)) continue;
        audits.time(stream_, [&] { audited.before(); });
        run_until(i + 1);
        audits.time(stream_, [&] { audited.after(); });
      }
      run_until(repetitions);
      stream_.synchronize();
      out.device_s = timed.seconds();
      // Work on one stream never overlaps, so the remaining wall time belongs to the repetitions.
      const double audits_s = audits.seconds();
      out.wall_s = cpu::seconds_since(start) - audits_s;
      audit.seconds += audits_s;
    }
  }
  audited.finish(body);
  return out;
}

void CudaTask::once() {
  restore(stream_);
  queue(stream_);
  stream_.synchronize();
}

std::vector<engine::Quantity> launch_quantities(const Kernel& kernel, const Device& device, unsigned threads,
                                                unsigned dynamic_shared_bytes) {
  const KernelResources used = kernel.resources();
  const int blocks = kernel.resident_blocks(threads, dynamic_shared_bytes);
  return {
      {"registers", "Registers per thread", static_cast<double>(used.registers), ""},
      {"shared", "Shared memory per block",
       static_cast<double>(used.static_shared_bytes) + static_cast<double>(dynamic_shared_bytes), "bytes"},
      {"spills", "Local memory per thread", static_cast<double>(used.local_bytes), "bytes"},
      {"blocks", "Resident blocks per SM", static_cast<double>(blocks), ""},
      {"occupancy", "Theoretical occupancy",
       100.0 * blocks * static_cast<double>(threads) / device.info().threads_per_multiprocessor, "%"},
  };
}

}  // namespace bb::cuda
