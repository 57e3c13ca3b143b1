#include "binding/addon.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "cpu/memory.hpp"
#include "measured.hpp"
#include "physics/stopping.hpp"
#include "problem.hpp"
#include "transport/run/run.hpp"
#include "transport_result.hpp"

namespace bb::binding {
namespace {

using engine::Progress;
using engine::RunResult;

/// Minimum size of a keyframe whose memory is returned to the system. Returning less would take longer than it saves.
constexpr std::size_t kMinReleased_cells = std::size_t{1} << 20;

/// Parts of a frame to copy; an empty list copies all of it.
using Parts = std::optional<std::set<std::string>>;

bool wanted(const Parts& parts, const char* name) { return !parts || parts->contains(name); }

Napi::Object frame_object(Napi::Env env, const engine::Marginals& m, const Parts& parts = std::nullopt) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("step", m.step);
  out.Set("depth_mm", m.depth_mm);
  const auto set = [&](const char* name, const std::vector<float>& values) {
    out.Set(name, to_array(env, wanted(parts, name) ? std::span<const float>(values) : std::span<const float>()));
  };
  set("zx", m.zx);
  set("xtheta", m.xtheta);
  set("etheta", m.etheta);
  set("ez", m.ez);
  set("ex", m.ex);
  set("ztheta", m.ztheta);
  return out;
}

constexpr std::array<const char*, engine::kAxes> kAxisNames{"e", "theta", "z", "x"};

engine::Axis read_axis(const Napi::Object& from, const char* key) {
  const std::string name = from.Get(key).ToString();
  for (int i = 0; i < engine::kAxes; ++i) {
    if (name == kAxisNames[static_cast<std::size_t>(i)]) return static_cast<engine::Axis>(i);
  }
  throw coded_error(from.Env(), "invalid", "wantPlanes: " + name + " is not an axis; allowed: e, theta, z, x");
}

/// Reads {slow, fast, cut: [e, theta, z, x]}: axes by name; -1 for an axis that is summed.
engine::PlaneRequest read_plane(const Napi::Object& from) {
  engine::PlaneRequest out{.slow = read_axis(from, "slow"), .fast = read_axis(from, "fast")};
  const Napi::Value cut = from.Get("cut");
  if (!cut.IsArray()) throw coded_error(from.Env(), "invalid", "wantPlanes: cut must be a list of four indices");
  for (uint32_t i = 0; i < engine::kAxes; ++i) {
    out.cut[i] = cut.As<Napi::Array>().Get(i).ToNumber().Int32Value();
  }
  return out;
}

Napi::Object plane_object(Napi::Env env, const engine::Plane& plane) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("slow", kAxisNames[static_cast<std::size_t>(plane.of.slow)]);
  out.Set("fast", kAxisNames[static_cast<std::size_t>(plane.of.fast)]);
  Napi::Array cut = Napi::Array::New(env, engine::kAxes);
  for (uint32_t i = 0; i < engine::kAxes; ++i) cut.Set(i, plane.of.cut[i]);
  out.Set("cut", cut);
  out.Set("values", to_array(env, plane.values));
  return out;
}

/// Moments of tracks and spectra, with their rows and the energies of their bins.
Napi::Object tracks_object(Napi::Env env, const transport::TrackScores& scored, const engine::TrackResult& tracks) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("primary", to_array(env, tracks.primary));
  out.Set("protons", to_array(env, tracks.protons));
  out.Set("spectra", to_array(env, tracks.spectra));
  Napi::Array rows = Napi::Array::New(env, scored.rows.size());
  for (uint32_t i = 0; i < scored.rows.size(); ++i) rows.Set(i, scored.rows[i]);
  out.Set("spectrum_rows", rows);
  out.Set("spectrum_energies_MeV", to_array(env, scored.at));
  return out;
}

/// All fields of a result except its spans, which are still being recorded during a run.
Napi::Object state_object(Napi::Env env, const engine::Run& run, const RunResult& r) {
  Napi::Object out = transport_result(env, run, BeamNumbers(run.tables()), r);
  if (r.tracks) out.Set("tracks", tracks_object(env, run.tables().tracks, *r.tracks));
  // Maps are fetched one by one with keyframe(i). Copying all of them, up to 100 MB, would block the event loop.
  Napi::Array frames = Napi::Array::New(env, r.keyframes.size());
  for (uint32_t i = 0; i < r.keyframes.size(); ++i) {
    Napi::Object frame = Napi::Object::New(env);
    frame.Set("step", r.keyframes[i].step);
    frame.Set("depth_mm", r.keyframes[i].depth_mm);
    frames.Set(i, frame);
  }
  out.Set("keyframes", frames);
  return out;
}

Napi::Object progress_object(Napi::Env env, const Progress& p) {
  Napi::Object o = Napi::Object::New(env);
  o.Set("step", p.step);
  o.Set("steps_max", p.steps_max);
  o.Set("depth_mm", p.depth_mm);
  o.Set("weight_left", p.weight_left);
  o.Set("ledger_error", p.ledger_error);
  o.Set("steps_per_s", p.steps_per_s);
  o.Set("eta_s", p.eta_s);
  return o;
}

Napi::Object result_object(Napi::Env env, const engine::Run& run, const RunResult& r) {
  Napi::Object out = state_object(env, run, r);
  out.Set("spans", spans_object(env, run.spans()));
  return out;
}

constexpr const char* kNoMemory = "not enough memory for the tables of this scenario";

/// A run and its results. The promise keeps it alive even when JavaScript drops the handle.
struct State {
  explicit State(transport::Problem problem) : run(std::move(problem)) {}
  ~State() { run.cancel(); }

  engine::Run run;
  double estimate_bytes = run.estimate_bytes();
  std::optional<double> memory_bytes;  // computed on first request, because it is slow
  RunResult result;
  MeasuringOptions measuring;
  DeviceObservation observed;
  Job job;  // last member: its destructor waits for the thread
};

class TransportRun final : public Napi::ObjectWrap<TransportRun> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "TransportRun",
        {InstanceMethod("start", &TransportRun::start), InstanceMethod("cancel", &TransportRun::cancel),
         InstanceMethod("live", &TransportRun::live), InstanceMethod("wantPlanes", &TransportRun::want_planes),
         InstanceMethod("wantCheckpoint", &TransportRun::want_checkpoint),
         InstanceMethod("checkpoint", &TransportRun::checkpoint), InstanceMethod("keyframe", &TransportRun::keyframe),
         InstanceAccessor("plan", &TransportRun::plan, nullptr)});
  }

  /// Accepts a problem, or a state that was laid out on another thread.
  explicit TransportRun(const Napi::CallbackInfo& info) : Napi::ObjectWrap<TransportRun>(info) {
    const Napi::Env env = info.Env();
    if (info.Length() > 0 && info[0].IsExternal()) {
      state_ = std::move(*info[0].As<Napi::External<std::shared_ptr<State>>>().Data());
      return;
    }
    const Napi::Object problem = object_argument(info, "createTransport: expected a problem");
    state_ = with_coded_errors(env, kNoMemory,
                               [&] { return std::make_shared<State>(read_problem(Fields(problem, "problem"))); });
  }

 private:
  Napi::Value plan(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const engine::Run& run = state_->run;
    const transport::Tables& t = run.outline();
    Napi::Object out = Napi::Object::New(env);
    out.Set("variant", run.variant().id);
    out.Set("precision", precision_name(run.problem().precision));
    out.Set("ne", t.ne);
    out.Set("ntheta", t.ntheta);
    out.Set("nz", t.nz);
    out.Set("nx", t.nx);
    out.Set("energies_MeV", to_array(env, t.energy));
    out.Set("extra_straggling_mm", t.extra_straggling_mm);
    out.Set("estimate_bytes", state_->estimate_bytes);
    if (state_->memory_bytes) out.Set("memory_bytes", *state_->memory_bytes);
    out.Set("steps_max", run.steps_max());
    out.Set("threads", run.threads());
    return out;
  }

  Napi::Value start(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (started_) throw Napi::Error::New(env, "this run has already been started");
    started_ = true;
    State* state = state_.get();
    if (info.Length() > 1 && info[1].IsObject()) state->measuring = read_measuring(info[1].As<Napi::Object>());
    // Holds a reference to the JavaScript object, because the promise may need it after its last other reference is
    // gone.
    auto handle = std::make_shared<Napi::ObjectReference>(Napi::Persistent(Value()));
    return state->job.start(
        env, info[0], "this machine does not have enough memory for this run",
        [state](const Job::ReportProgress& tell) {
          state->run.begin();
          state->observed.around(
              state->measuring, state->run.on_gpu() ? &state->run.problem().device : nullptr,
              state->run.spans().origin(), [&] {
                state->result = state->run.execute(
                    [&tell](const Progress& p) { tell([p](Napi::Env to) { return progress_object(to, p); }); },
                    state->measuring.run);
              });
        },
        [kept = state_, handle](Napi::Env to) -> Napi::Value {
          const Napi::Object result = result_object(to, kept->run, kept->result);
          kept->observed.describe(to, result);
          return result;
        });
  }

  Napi::Value cancel(const Napi::CallbackInfo& info) {
    state_->run.cancel();
    return info.Env().Undefined();
  }

  /// live(names?): the newest frame, complete or with only the dose and the named sums; the other sums are then empty.
  Napi::Value live(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Parts parts;
    if (info.Length() > 0 && info[0].IsArray()) {
      parts.emplace();
      const Napi::Array names = info[0].As<Napi::Array>();
      for (uint32_t i = 0; i < names.Length(); ++i) parts->insert(names.Get(i).ToString());
    }
    const auto frame = state_->run.take_live();
    if (!frame) return env.Null();
    Napi::Object out = frame_object(env, frame->marginals, parts);
    out.Set("dose", to_array(env, wanted(parts, "dose") ? std::span(frame->dose) : std::span<const double>()));
    Napi::Array planes = Napi::Array::New(env, frame->planes.size());
    for (uint32_t i = 0; i < frame->planes.size(); ++i) planes.Set(i, plane_object(env, frame->planes[i]));
    out.Set("planes", planes);
    return out;
  }

  /// wantCheckpoint(known): requests the state so far, without the first `known` keyframes.
  Napi::Value want_checkpoint(const Napi::CallbackInfo& info) {
    const double known = info.Length() > 0 && info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : 0.0;
    state_->run.want_checkpoint(static_cast<std::size_t>(std::clamp(known, 0.0, 1e9)));
    return info.Env().Undefined();
  }

  /// checkpoint(): the requested state as a result without spans, with its further keyframes complete; null if none is
  /// ready.
  Napi::Value checkpoint(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const auto state = state_->run.take_checkpoint();
    if (!state) return env.Null();
    Napi::Object out = state_object(env, state_->run, *state);
    Napi::Array frames = Napi::Array::New(env, state->keyframes.size());
    for (uint32_t i = 0; i < state->keyframes.size(); ++i) frames.Set(i, frame_object(env, state->keyframes[i]));
    out.Set("keyframes", frames);
    return out;
  }

  /// wantPlanes([{slow, fast, cut}]): planes that later live frames contain in addition to the marginals.
  Napi::Value want_planes(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (info.Length() < 1 || !info[0].IsArray()) throw coded_error(env, "invalid", "wantPlanes: expected a list");
    const Napi::Array list = info[0].As<Napi::Array>();
    std::vector<engine::PlaneRequest> planes;
    for (uint32_t i = 0; i < list.Length(); ++i) planes.push_back(read_plane(list.Get(i).ToObject()));
    with_coded_errors(env, "not enough memory for these planes", [&] { state_->run.want_planes(std::move(planes)); });
    return env.Undefined();
  }

  /// keyframe(i) of a finished run: {step, depth_mm, zx, xtheta, etheta, ez, ex, ztheta}. Each keyframe can be fetched
  /// once, because copies on both sides would need twice the memory.
  Napi::Value keyframe(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    auto& frames = state_->result.keyframes;
    const double index = info.Length() > 0 && info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : -1.0;
    if (!state_->job.succeeded() || !(index >= 0.0) || !(index < static_cast<double>(frames.size()))) {
      throw coded_error(env, "invalid", "keyframe(i): the run has not finished, or has no such keyframe");
    }
    engine::Marginals& frame = frames[static_cast<std::size_t>(index)];
    if (frame.zx.empty()) throw coded_error(env, "invalid", "keyframe(i): it has already been returned");
    const Napi::Object out = frame_object(env, frame);
    const std::size_t cells = frame.zx.size() + frame.ez.size() + frame.ex.size();
    frame = {};
    if (cells >= kMinReleased_cells) cpu::return_freed_memory();
    return out;
  }

  std::shared_ptr<State> state_;
  bool started_ = false;
};

/// Constructor of the JavaScript class of runs in this environment.
Napi::FunctionReference& run_class(Napi::Env env) {
  auto* constructor = env.GetInstanceData<Napi::FunctionReference>();
  if (constructor == nullptr) {
    constructor = new Napi::FunctionReference(Napi::Persistent(TransportRun::define(env)));
    env.SetInstanceData(constructor);
  }
  return *constructor;
}

/// A run that a worker thread creates from a problem.
struct Layout {
  transport::Problem problem;
  std::shared_ptr<State> state;
  Job job;  // last member: its destructor waits for the thread
};

}  // namespace

Napi::Value create_transport(const Napi::CallbackInfo& info) { return run_class(info.Env()).New({info[0]}); }

Napi::Value lay_transport(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "layTransport: expected a problem");
  auto layout = std::make_shared<Layout>();
  layout->problem = with_coded_errors(env, kNoMemory, [&] { return read_problem(Fields(problem, "problem")); });
  Layout* under = layout.get();
  const bool memory = info.Length() > 1 && info[1].ToBoolean();
  return under->job.start(
      env, env.Undefined(), kNoMemory,
      [under, memory](const Job::ReportProgress&) {
        under->state = std::make_shared<State>(std::move(under->problem));
        if (memory) under->state->memory_bytes = under->state->run.memory_bytes();
      },
      [layout](Napi::Env to) -> Napi::Value {
        return run_class(to).New({Napi::External<std::shared_ptr<State>>::New(to, &layout->state)});
      });
}

Napi::Value transport_variants(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array out = Napi::Array::New(env);
  uint32_t n = 0;
  for (const transport::Variant& v : transport::variants()) {
    Napi::Object o = variant_object(env, "transport", v);
    Napi::Array precisions = Napi::Array::New(env);
    for (uint32_t i = 0; i < v.precisions.size(); ++i) precisions.Set(i, precision_name(v.precisions[i]));
    o.Set("precisions", precisions);
    Napi::Array steppings = Napi::Array::New(env);
    for (uint32_t i = 0; i < v.steppings.size(); ++i) {
      steppings.Set(i, v.steppings[i] == transport::Stepping::kPath ? "path" : "depth");
    }
    o.Set("steppings", steppings);
    o.Set("bytesPerCellStep", v.bytes_per_cell_step);
    o.Set("flopsPerCellStep", v.flops_per_cell_step);
    out.Set(n++, o);
  }
  return out;
}

Napi::Value range_table(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 3 || !info[0].IsTypedArray() || !info[1].IsTypedArray() || !info[2].IsTypedArray()) {
    throw Napi::TypeError::New(env, "rangeTable(energies, stopping, at): expected three Float64Arrays");
  }
  const auto view = [](const Napi::Value& v) {
    const Napi::Float64Array a = v.As<Napi::Float64Array>();
    return std::span<const double>(a.Data(), a.ElementLength());
  };
  return with_coded_errors(env, "not enough memory for this table", [&]() -> Napi::Value {
    const physics::StoppingTable table(view(info[0]), view(info[1]));
    std::vector<double> stopping, range;
    for (const double energy : view(info[2])) {
      stopping.push_back(table.stopping(energy));
      range.push_back(table.range(energy));
    }
    Napi::Object out = Napi::Object::New(env);
    out.Set("stopping_MeV_cm2_g", to_array(env, stopping));
    out.Set("range_g_cm2", to_array(env, range));
    return out;
  });
}

}  // namespace bb::binding
