#include <napi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "binding/addon.hpp"
#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "cpu/host.hpp"
#include "cpu/stopwatch.hpp"
#include "problem.hpp"
#include "transport/run/axis_profile.hpp"
#include "transport/run/beams.hpp"
#include "transport_result.hpp"

namespace bb::binding {

/// Limits how far solving threads run ahead of JavaScript: each result occupies a slot, numbered from 0, until
/// JavaScript has read it.
class Slots {
 public:
  explicit Slots(std::size_t count) : count_(count), free_(count) {
    std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
  }

  std::size_t count() const { return count_; }

  /// Waits for a free slot; returns nothing if the beams are cancelled meanwhile.
  std::optional<std::size_t> take(const std::atomic<bool>& cancelled) {
    constexpr std::chrono::milliseconds kPollInterval{20};
    std::unique_lock lock(mutex_);
    while (free_.empty()) {
      if (cancelled.load()) return std::nullopt;
      given_back_.wait_for(lock, kPollInterval);
    }
    const std::size_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(std::size_t slot) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(slot);
    given_back_.notify_one();
  }

 private:
  std::size_t count_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::size_t> free_;
};

/// Results of beams, one JavaScript array per beam. The thread that solves a beam fills an array, which is reused once
/// JavaScript has read it. Separate objects and arrays for thousands of beams would cost the JavaScript thread and its
/// garbage collector more than computing readouts.
///
/// Scalars come first, in the order of readBeamBlock() in electron/host/io/addon/beam-block.ts; then dose, unless its rows
/// are computed on request, crossing, ledgers, faces, and the profile along the axis.
class BeamBlocks {
 public:
  /// Called on the JavaScript thread. `reach_mm` is as in AxisGeometry.
  BeamBlocks(Napi::Env env, const engine::Beams& beams, std::size_t count, double reach_mm);
  /// Keeps arrays for the next beams. Called on the JavaScript thread.
  ~BeamBlocks();

  /// Called on the thread that solved the beam.
  void fill(std::size_t i, const engine::Beams::FinishedBeam& ended);
  /// Called on the JavaScript thread.
  Napi::Value block(std::size_t i) const { return blocks_[i].array.Value(); }

 private:
  struct Block {
    Napi::Reference<Napi::Float64Array> array;
    std::span<double> room;
  };
  /// Arrays of previous beams of this thread. Allocating large arrays in every call would make V8 collect all garbage,
  /// which takes longer than solving some beams by moments.
  struct SpareArrays {
    // Node itself deletes remaining references together with the environment, before the thread ends.
    ~SpareArrays() {
      for (Block& block : blocks) block.array.SuppressDestruct();
    }

    std::vector<Block> blocks;
  };
  static SpareArrays& spare_arrays() {
    thread_local SpareArrays of_thread;
    return of_thread;
  }

  const engine::Beams& beams_;
  double reach_mm_;
  std::vector<Block> blocks_;
};

namespace {

using engine::LedgerRow;

/// An upper bound on the number of values of any beam: the maximum number of steps, and a profile along any axis.
std::size_t max_values_of_beam(const engine::Beams& beams) {
  const transport::GridSpec& grid = beams.problem().grid;
  const auto nz = static_cast<std::size_t>(grid.nz), nx = static_cast<std::size_t>(grid.nx);
  const auto bins = static_cast<std::size_t>(std::ceil(grid.nx * grid.dx / grid.dz)) + nz + 4;
  const auto steps = static_cast<std::size_t>(beams.run().steps_max());
  constexpr std::size_t kNumbers = 32;
  return kNumbers + nz * ((beams.has_rows() ? 0 : nx) + engine::Crossing::kCount) +
         steps * 2 * (ledger_width(true) + transport::kFaces) + bins;
}

/// Writes values one after another.
class Writer {
 public:
  explicit Writer(std::span<double> room) : left_(room) {}

  void add(double value) { take(1)[0] = value; }
  void add(std::span<const double> values) { std::ranges::copy(values, take(values.size()).begin()); }
  void add_ledger(const std::vector<LedgerRow>& rows, bool energy) {
    write_ledger(rows, energy, take(rows.size() * ledger_width(energy)));
  }
  void add_faces(const std::vector<LedgerRow>& rows) { write_faces(rows, take(rows.size() * transport::kFaces)); }

 private:
  std::span<double> take(std::size_t n) {
    if (n > left_.size()) throw std::logic_error("the results of a beam do not fit into its block");
    const std::span<double> out = left_.first(n);
    left_ = left_.subspan(n);
    return out;
  }

  std::span<double> left_;
};

/// The profile along z, whose bins are rows.
transport::AxisProfile profile_of(std::span<const double> sums, double entrance_mm, double dz_mm) {
  transport::AxisProfile out{.start_mm = -entrance_mm, .step_mm = dz_mm, .values = {sums.begin(), sums.end()}};
  for (double& value : out.values) value /= dz_mm;
  return out;
}

void write(const engine::Beams& beams, double reach_mm, const engine::Beams::FinishedBeam& ended, Writer to) {
  const engine::RunResult& r = ended.result;
  const BeamNumbers numbers(ended.alone);
  const transport::Problem& problem = beams.problem();
  const transport::Beam& beam = problem.spots[ended.beam];
  const transport::AxisProfile profile = r.dose_rows
                                             ? profile_of(r.dose_rows->sums(), beam.z, problem.grid.dz)
                                             : transport::axis_profile(r.dose,
                                                                       {.nz = static_cast<std::size_t>(problem.grid.nz),
                                                                        .nx = static_cast<std::size_t>(problem.grid.nx),
                                                                        .dz_mm = problem.grid.dz,
                                                                        .dx_mm = problem.grid.dx,
                                                                        .x_mm = beam.x,
                                                                        .z_mm = beam.z,
                                                                        .angle_rad = beam.angle,
                                                                        .reach_mm = reach_mm},
                                                                       {}, 1.0);
  for (const double value : {r.cancelled ? 1.0 : 0.0,
                             static_cast<double>(r.threads),
                             r.setup_s,
                             r.solve_s,
                             r.device_s,
                             r.cell_steps,
                             r.state_bytes,
                             r.bytes_per_cell_step,
                             r.flops_per_cell_step,
                             r.min_over_max,
                             numbers.x_variance,
                             numbers.extra_straggling_mm,
                             numbers.range_mean_mm,
                             numbers.end_excess_mm,
                             static_cast<double>(r.steps),
                             static_cast<double>(r.number.size()),
                             profile.start_mm,
                             profile.step_mm,
                             static_cast<double>(profile.values.size()),
                             static_cast<double>(r.dose.size()),
                             r.secondaries ? 1.0 : 0.0}) {
    to.add(value);
  }
  for (const NamedValue& each : secondaries_values(r)) to.add(each.value);
  to.add(r.dose);
  to.add(r.crossing);
  to.add_ledger(r.number, false);
  to.add_ledger(r.energy, true);
  to.add_faces(r.number);
  to.add_faces(r.energy);
  to.add(profile.values);
}

}  // namespace

BeamBlocks::BeamBlocks(Napi::Env env, const engine::Beams& beams, std::size_t count, double reach_mm)
    : beams_(beams), reach_mm_(reach_mm) {
  const std::size_t size = max_values_of_beam(beams);
  std::vector<Block>& kept = spare_arrays().blocks;
  while (!kept.empty() && blocks_.size() < count) {
    if (kept.back().room.size() >= size) blocks_.push_back(std::move(kept.back()));
    kept.pop_back();
  }
  while (blocks_.size() < count) {
    Napi::Float64Array array = Napi::Float64Array::New(env, size);
    const std::span<double> room(array.Data(), size);
    blocks_.push_back({Napi::Persistent(array), room});
  }
}

BeamBlocks::~BeamBlocks() {
  constexpr std::size_t kMaxKept = 16 << 20;  // bytes
  std::vector<Block>& kept = spare_arrays().blocks;
  std::size_t bytes = 0;
  for (const Block& block : kept) bytes += block.room.size_bytes();
  for (Block& block : blocks_) {
    bytes += block.room.size_bytes();
    if (bytes <= kMaxKept) kept.push_back(std::move(block));
  }
}

void BeamBlocks::fill(std::size_t i, const engine::Beams::FinishedBeam& ended) {
  write(beams_, reach_mm_, ended, Writer(blocks_[i].room));
}

namespace {

constexpr const char* kNoMemory = "not enough memory for the tables of these beams";
constexpr std::size_t kMaxSlots = 128;    // results of a beam are half a megabyte
constexpr std::size_t kSlotsPerLane = 8;  // on the CPU, where beams end one at a time

std::size_t slots_of(const engine::Beams& beams) {
  const bool waves = beams.run().on_gpu();
  return std::min(
      {kMaxSlots, beams.count(), waves ? kMaxSlots : kSlotsPerLane * static_cast<std::size_t>(beams.lanes())});
}

struct State {
  State(transport::Problem problem, std::vector<std::string> devices) : beams(std::move(problem), std::move(devices)) {}
  ~State() { beams.cancel(); }

  engine::Beams beams;
  double estimate_bytes = beams.run().estimate_bytes();  // slow for window variants, so computed once
  Slots slots{slots_of(beams)};
  std::optional<BeamBlocks> blocks;                 // one per slot, if beams are read as they complete
  std::shared_ptr<const transport::DoseRows> rows;  // dose of the beam whose block JavaScript reads, if it has no map
  bool started = false;
  Job job;  // last member: its destructor waits for the thread
};

Napi::Object plan_object(Napi::Env env, const State& state) {
  const engine::Beams& beams = state.beams;
  const engine::Run& run = beams.run();
  const transport::Tables& t = run.outline();
  Napi::Object out = Napi::Object::New(env);
  out.Set("variant", run.variant().id);
  out.Set("precision", precision_name(run.problem().precision));
  out.Set("device", run.variant().device);
  out.Set("ne", t.ne);
  out.Set("ntheta", t.ntheta);
  out.Set("nz", t.nz);
  out.Set("nx", t.nx);
  out.Set("energies_MeV", to_array(env, t.energy));
  out.Set("estimate_bytes", state.estimate_bytes);
  out.Set("steps_max", run.steps_max());
  out.Set("lanes", beams.lanes());
  out.Set("has_readouts", beams.has_readouts());
  out.Set("isa", cpu::instruction_set_name());
  return out;
}

Napi::Object report_object(Napi::Env env, std::size_t beam, const char* as, const Napi::Value& what) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("beam", static_cast<double>(beam));
  out.Set(as, what);
  return out;
}

/// Reports {beam, block}, where the block is valid during the callback. Reports {beam, result} if there are no blocks
/// or the beam failed.
void report_ended(const Job::ReportProgress& tell, State* state, engine::Beams::FinishedBeam&& ended) {
  const std::optional<std::size_t> taken = state->slots.take(state->beams.cancelled());
  if (!taken) return;
  const std::size_t slot = *taken;
  // Releases the slot when the last copy of the callback is destroyed, after JavaScript has read the block.
  const std::shared_ptr<void> read(nullptr, [state, slot](void*) { state->slots.release(slot); });
  if (state->blocks && !ended.result.failure) {
    state->blocks->fill(slot, ended);
    tell([state, slot, beam = ended.beam, rows = std::move(ended.result.dose_rows), read](Napi::Env to) {
      state->rows = rows;
      return report_object(to, beam, "block", state->blocks->block(slot));
    });
    return;
  }
  // The result is shared, because the callback is copied several times.
  auto result = std::make_shared<engine::RunResult>(std::move(ended.result));
  tell([state, result, beam = ended.beam, numbers = BeamNumbers(ended.alone), read](Napi::Env to) {
    return report_object(to, beam, "result", transport_result(to, state->beams.run(), numbers, *result));
  });
}

Napi::Value start(const Napi::CallbackInfo& info, const std::shared_ptr<State>& state, bool in_blocks) {
  const Napi::Env env = info.Env();
  if (state->started) throw Napi::Error::New(env, "these beams have already been started");
  state->started = true;
  State* under = state.get();
  if (in_blocks) under->blocks.emplace(env, under->beams, under->slots.count(), info[1].ToNumber());
  return under->job.start(
      env, info[0], "this machine does not have enough memory for these beams",
      [under](const Job::ReportProgress& tell) {
        under->beams.execute([&](engine::Beams::FinishedBeam&& ended) { report_ended(tell, under, std::move(ended)); },
                             !under->blocks);
      },
      [kept = state](Napi::Env to) -> Napi::Value {
        kept->rows.reset();
        kept->blocks.reset();  // functions of the beams' object may keep the state for longer
        return to.Undefined();
      });
}

/// Cells of one row of the current beam's dose, or of all rows.
Napi::Value dose(const Napi::CallbackInfo& info, const std::shared_ptr<State>& state) {
  const Napi::Env env = info.Env();
  if (!state->rows)
    throw Napi::Error::New(env, "dose(z) is only available while the block of a beam without a map is read");
  const int nz = state->beams.problem().grid.nz;
  const auto nx = static_cast<std::size_t>(state->beams.problem().grid.nx);
  const bool one = info.Length() > 0 && info[0].IsNumber();
  const int first = one ? info[0].As<Napi::Number>().Int32Value() : 0, end = one ? first + 1 : nz;
  if (first < 0 || end > nz) throw Napi::RangeError::New(env, "row " + std::to_string(first) + " is outside the box");
  return with_coded_errors(env, kNoMemory, [&] {
    Napi::Float64Array out = Napi::Float64Array::New(env, static_cast<std::size_t>(end - first) * nx);
    double* cells = out.Data();
    for (int z = first; z < end; ++z, cells += nx) state->rows->add(z, {cells, nx});
    return out;
  });
}

/// Values of each beam in the list of readouts(): energy_MeV, energy_sigma_MeV, angle_sigma_rad, x_sigma_mm, focus_mm.
constexpr std::size_t kOfBeam = 5;

/// Beams of one readouts() call, and the settings of their computation.
struct ReadoutsRequest {
  std::vector<transport::Beam> beams;
  bool curves = false;
  engine::BeamTable table;
  double solve_s = 0;
};

std::vector<transport::Beam> listed_beams(Napi::Env env, const Napi::Value& list) {
  if (!list.IsTypedArray() || list.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    throw Napi::TypeError::New(env, "readouts: expected a Float64Array of five values per beam");
  }
  const Napi::Float64Array values = list.As<Napi::Float64Array>();
  std::vector<transport::Beam> beams(values.ElementLength() / kOfBeam);
  const double* from = values.Data();
  for (transport::Beam& beam : beams) {
    beam.energy = from[0];
    beam.energy_sigma = from[1];
    beam.angle_sigma = from[2];
    beam.x_sigma = from[3];
    beam.focus = from[4];
    from += kOfBeam;
  }
  return beams;
}

Napi::Object table_object(Napi::Env env, const ReadoutsRequest& reading) {
  const engine::BeamTable& table = reading.table;
  Napi::Object out = Napi::Object::New(env);
  out.Set("columns", to_array(env, table.columns));
  out.Set("curves", reading.curves ? Napi::Value(to_array(env, table.curves)) : env.Null());
  out.Set("rows", table.rows);
  out.Set("march_s", table.march_s);
  out.Set("readouts_s", table.readouts_s);
  out.Set("solve_s", reading.solve_s);
  out.Set("state_bytes", table.state_bytes);
  out.Set("setup_parts", setup_parts_array(env, table.parts));
  return out;
}

Napi::Value readouts(const Napi::CallbackInfo& info, const std::shared_ptr<State>& state) {
  const Napi::Env env = info.Env();
  if (state->job.running()) throw Napi::Error::New(env, "these beams are being solved");
  state->started = true;
  auto reading = std::make_shared<ReadoutsRequest>();
  reading->beams = listed_beams(env, info[0]);
  reading->curves = info[1].ToBoolean();
  State* under = state.get();
  return under->job.start(
      env, env.Undefined(), "this machine does not have enough memory for these beams",
      [under, reading](const Job::ReportProgress&) {
        const cpu::Clock::time_point begun = cpu::Clock::now();
        reading->table = under->beams.readouts(reading->beams, reading->curves);
        reading->solve_s = cpu::seconds_since(begun);
      },
      [reading, kept = state](Napi::Env to) -> Napi::Value { return table_object(to, *reading); });
}

Napi::Object beams_object(Napi::Env env, const std::shared_ptr<State>& state) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("plan", plan_object(env, *state));
  const auto starting = [&](bool in_blocks) {
    return Napi::Function::New(env, [=](const Napi::CallbackInfo& info) { return start(info, state, in_blocks); });
  };
  out.Set("start", starting(false));
  out.Set("startInBlocks", starting(true));
  out.Set("readouts",
          Napi::Function::New(env, [state](const Napi::CallbackInfo& info) { return readouts(info, state); }));
  out.Set("dose", Napi::Function::New(env, [state](const Napi::CallbackInfo& info) { return dose(info, state); }));
  out.Set("cancel", Napi::Function::New(env, [state](const Napi::CallbackInfo& info) {
            state->beams.cancel();
            return info.Env().Undefined();
          }));
  return out;
}

/// Beams that a worker thread creates from a problem.
struct Layout {
  transport::Problem problem;
  std::vector<std::string> devices;
  std::shared_ptr<State> state;
  Job job;  // last member: its destructor waits for the thread
};

}  // namespace

Napi::Value lay_beams(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "layBeams: expected a problem");
  auto layout = std::make_shared<Layout>();
  layout->problem = with_coded_errors(env, kNoMemory, [&] { return read_problem(Fields(problem, "problem")); });
  if (info.Length() > 1 && info[1].IsArray()) {
    const Napi::Array devices = info[1].As<Napi::Array>();
    for (uint32_t i = 0; i < devices.Length(); ++i) layout->devices.push_back(devices.Get(i).ToString());
  }
  Layout* under = layout.get();
  return under->job.start(
      env, env.Undefined(), kNoMemory,
      [under](const Job::ReportProgress&) {
        under->state = std::make_shared<State>(std::move(under->problem), std::move(under->devices));
      },
      [layout](Napi::Env to) -> Napi::Value { return beams_object(to, layout->state); });
}

}  // namespace bb::binding
