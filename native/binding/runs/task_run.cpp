#include "binding/addon.hpp"

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binding/convert.hpp"
#include "binding/job.hpp"
#include "cpu/host.hpp"
#include "cpu/stopwatch.hpp"
#include "measured.hpp"
#include "problem.hpp"
#include "tasks/registry.hpp"
#include "tasks/task_run.hpp"
#include "variant.hpp"

namespace bb::binding {
namespace {

using engine::TaskProblem;

constexpr const char* kNoMemory = "this machine does not have enough memory for this task";

/// A run and the results of its calls; the functions of the JavaScript object and the promises keep it alive.
struct State {
  explicit State(TaskProblem problem) : run(std::move(problem)) {}
  ~State() { run.cancel(); }

  engine::TaskRun run;
  double setup_s = 0;
  double ended_ns = 0;  // end of the last sample, on the machine's steady clock
  engine::TaskSample sample;
  engine::TaskVerdict verdict;
  engine::TaskResults given;
  engine::CheckReport compared;  // comparison of another program's results
  engine::TaskWork work;
  engine::TaskClock clock = engine::TaskClock::kWall;
  std::vector<engine::Quantity> quantities;
  std::unique_ptr<DeviceObservation> observed;
  bool cancelled = false;
  Job job;  // last member: its destructor waits for the thread
};

Napi::Value absent_as_null(Napi::Env env, double value) {
  return std::isnan(value) ? env.Null() : Napi::Value(Napi::Number::New(env, value));
}

const std::string* gpu_of(const State& state) {
  return on_gpu(state.run.variant()) ? &state.run.problem().device : nullptr;
}

/// Runs `work` on the job's thread; only one call may run at a time. Resolves with null once the task was cancelled.
Napi::Value call(Napi::Env env, const std::shared_ptr<State>& kept, bool needs_preparation,
                 std::function<void(State&)> work, std::function<Napi::Value(Napi::Env, State&)> answer) {
  if (kept->job.running()) throw coded_error(env, "invalid", "this task is still busy with an earlier call");
  if (needs_preparation && !kept->run.prepared()) throw coded_error(env, "invalid", "this task has not been prepared");
  State* state = kept.get();
  return state->job.start(
      env, env.Undefined(), kNoMemory,
      [state, work = std::move(work)](const Job::ReportProgress&) {
        try {
          work(*state);
        } catch (const engine::TaskCancelled&) {
          state->cancelled = true;
        }
      },
      [kept, answer = std::move(answer)](Napi::Env to) { return kept->cancelled ? to.Null() : answer(to, *kept); });
}

Napi::Value prepare(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  const bool seeded = info.Length() > 0 && info[0].IsNumber();
  const std::uint64_t seed =
      seeded ? static_cast<std::uint64_t>(info[0].As<Napi::Number>().Int64Value()) : kept->run.problem().seed;
  return call(
      info.Env(), kept, false, [seed](State& state) { state.setup_s = state.run.prepare(seed); },
      [](Napi::Env env, State& state) -> Napi::Value {
        Napi::Object out = Napi::Object::New(env);
        out.Set("setup_s", state.setup_s);
        out.Set("setup_parts", setup_parts_array(env, state.run.task().setup_parts()));
        out.Set("isa", cpu::instruction_set_name());
        return out;
      });
}

void set_report(Napi::Object& out, const engine::CheckReport& report);

/// Values of every result, one array each.
Napi::Array results_array(Napi::Env env, const engine::TaskResults& results) {
  Napi::Array out = Napi::Array::New(env);
  for (const engine::TaskResult& result : results) {
    Napi::Float64Array values = Napi::Float64Array::New(env, result.count);
    for (std::size_t i = 0; i < result.count; ++i) values[i] = result.value(i);
    out.Set(out.Length(), values);
  }
  return out;
}

/// Returns null if the sample was not audited. `report` describes the results that were compared in this process.
Napi::Value audit_object(Napi::Env env, const engine::TaskAudit& audit, const engine::CheckReport& report) {
  if (!audit.audited) return env.Null();
  Napi::Object out = Napi::Object::New(env);
  set_report(out, audit.results.empty() ? report : engine::CheckReport{});
  out.Set("results", results_array(env, audit.results));
  if (!audit.altered.empty()) out.Set("altered", results_array(env, audit.altered));
  out.Set("outputs", static_cast<double>(audit.outputs));
  out.Set("unwritten", static_cast<double>(audit.unwritten));
  out.Set("first_unwritten", static_cast<double>(audit.first_unwritten));
  out.Set("inputs_changed", audit.inputs_changed);
  out.Set("seconds", audit.seconds);
  Napi::Array probes = Napi::Array::New(env);
  for (const engine::MemoryProbe& probe : audit.probes) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("fresh_s", probe.fresh_s);
    one.Set("again_s", probe.again_s);
    one.Set("usual_s", probe.usual_s);
    probes.Set(probes.Length(), one);
  }
  out.Set("probes", probes);
  return out;
}

Napi::Object hidden_object(Napi::Env env, const engine::TaskAudit& audit) {
  Napi::Array probes = Napi::Array::New(env);
  for (const engine::HiddenProbe& probe : audit.hidden) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("changed_s", probe.changed_s);
    one.Set("before_s", probe.before_s);
    probes.Set(probes.Length(), one);
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("probes", probes);
  out.Set("unwritten", static_cast<double>(audit.hidden_unwritten));
  out.Set("first_unwritten", static_cast<double>(audit.first_hidden_unwritten));
  return out;
}

Napi::Value sample(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  const Napi::Env env = info.Env();
  const Napi::Object object = object_argument(info, "sample: expected options");
  const Fields fields(object, "options");
  engine::TaskSampleOptions options;
  with_coded_errors(env, kNoMemory, [&] { options.mode = read_task_mode(fields); });
  options.at_least_s = fields.number("at_least_s");
  const MeasuringOptions measuring = read_measuring(object);
  options.trace = measuring.trace;
  const std::string audit = fields.has("audit") ? fields.text("audit") : "none";
  options.audit = audit != "none";
  options.probe = fields.has("probe") && fields.flag("probe");
  options.hide = fields.has("hide") && fields.flag("hide");
  options.swapped = fields.has("swapped") && fields.flag("swapped");
  if (fields.has("altered")) options.alteration = static_cast<std::uint64_t>(fields.number("altered"));
  return call(
      env, kept, true,
      [options, measuring, judged = audit == "judged"](State& state) {
        state.observed = std::make_unique<DeviceObservation>();
        state.observed->around(measuring, gpu_of(state), state.run.spans().origin(),
                               [&] { state.sample = state.run.sample(options); });
        state.ended_ns = std::chrono::duration<double, std::nano>(cpu::Clock::now().time_since_epoch()).count();
        engine::TaskAudit& audited = state.sample.audit;
        if (!judged || !audited.audited) return;
        const cpu::Clock::time_point start = cpu::Clock::now();
        state.compared = state.run.compare(audited.results);
        audited.results.clear();
        audited.seconds += cpu::seconds_since(start);
      },
      [](Napi::Env to, State& state) -> Napi::Value {
        Napi::Object out = Napi::Object::New(to);
        out.Set("repetitions", state.sample.repetitions);
        out.Set("device_s", absent_as_null(to, state.sample.device_s));
        out.Set("wall_s", absent_as_null(to, state.sample.wall_s));
        out.Set("time_s", state.sample.time_s);
        out.Set("timed_s", state.sample.timed_s);
        out.Set("ended_ns", state.ended_ns);
        out.Set("audit", audit_object(to, state.sample.audit, state.compared));
        out.Set("hidden", hidden_object(to, state.sample.audit));
        out.Set("swapped_s", absent_as_null(to, state.sample.audit.swapped_s));
        out.Set("spans", spans_object(to, state.run.spans()));
        const auto origin = state.run.spans().origin().time_since_epoch();
        out.Set("origin_ns", std::chrono::duration<double, std::nano>(origin).count());
        state.observed->describe(to, out);
        return out;
      });
}

void set_report(Napi::Object& out, const engine::CheckReport& report) {
  const Napi::Env env = out.Env();
  Napi::Array checks = Napi::Array::New(env);
  for (const engine::Check& check : report.checks) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("id", check.id);
    one.Set("title", check.title);
    one.Set("value", absent_as_null(env, check.value));
    one.Set("limit", check.limit);
    one.Set("holds", check.holds());
    one.Set("where", check.where);
    checks.Set(checks.Length(), one);
  }
  out.Set("checks", checks);
  out.Set("compared", report.compared);
}

Napi::Array quantities_array(Napi::Env env, const std::vector<engine::Quantity>& all) {
  Napi::Array out = Napi::Array::New(env);
  for (const engine::Quantity& quantity : all) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("id", quantity.id);
    one.Set("title", quantity.title);
    one.Set("value", absent_as_null(env, quantity.value));
    one.Set("unit", quantity.unit);
    out.Set(out.Length(), one);
  }
  return out;
}

Napi::Object verdict_object(Napi::Env env, const State& state) {
  Napi::Object out = Napi::Object::New(env);
  const engine::TaskVerdict& verdict = state.verdict;
  set_report(out, verdict.report);
  out.Set("holds", verdict.holds);
  out.Set("runs", verdict.runs);
  out.Set("bitwise", verdict.bitwise);
  out.Set("hash", verdict.hash);
  out.Set("clock", state.clock == engine::TaskClock::kDevice ? "device" : "wall");
  Napi::Object work = Napi::Object::New(env);
  work.Set("bytes", absent_as_null(env, state.work.bytes));
  work.Set("flops", absent_as_null(env, state.work.flops));
  out.Set("work", work);
  out.Set("quantities", quantities_array(env, state.quantities));
  engine::TaskAudit audit = verdict.audit;
  audit.audited = true;
  out.Set("audit", audit_object(env, audit, {}));
  Napi::Array unjudged = Napi::Array::New(env);
  for (const engine::TaskResults& results : verdict.unjudged) {
    unjudged.Set(unjudged.Length(), results_array(env, results));
  }
  out.Set("unjudged", unjudged);
  return out;
}

Napi::Value check(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  const int runs = info.Length() > 0 && info[0].IsNumber() ? info[0].As<Napi::Number>().Int32Value() : 1;
  const bool judged = info.Length() < 2 || !info[1].IsBoolean() || info[1].ToBoolean();
  return call(
      info.Env(), kept, true,
      [runs, judged](State& state) {
        state.verdict = state.run.check(runs, judged);
        state.work = state.run.task().work();
        state.clock = state.run.task().clock();
        state.quantities = state.run.task().quantities();
      },
      [](Napi::Env env, State& state) -> Napi::Value { return verdict_object(env, state); });
}

/// Returns metrics that the variant reports after the repetitions so far.
Napi::Value read_quantities(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  return call(
      info.Env(), kept, true,
      [](State& state) {
        engine::Task& task = state.run.task();
        task.enter();
        // Reading clocks slows the next launch, and some variants time a launch for these metrics, so one repetition
        // runs first.
        engine::TaskAudit none;
        if (on_gpu(state.run.variant())) task.repeat(1, engine::TaskMode::kWarm, {}, none);
        state.quantities = task.quantities();
      },
      [](Napi::Env env, State& state) -> Napi::Value { return quantities_array(env, state.quantities); });
}

/// Returns the inputs for the task's seed, one array each.
Napi::Value inputs(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  return call(
      info.Env(), kept, false, [](State& state) { state.given = state.run.inputs(); },
      [](Napi::Env env, State& state) -> Napi::Value {
        const Napi::Array out = results_array(env, state.given);
        state.given.clear();
        return out;
      });
}

/// Compares arrays from another program. The first argument holds them in the order of TaskResults.
Napi::Value compare(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  const Napi::Env env = info.Env();
  if (info.Length() < 1 || !info[0].IsArray()) throw Napi::TypeError::New(env, "compare: expected a list of arrays");
  const Napi::Array given = info[0].As<Napi::Array>();
  engine::TaskResults results;
  for (uint32_t i = 0; i < given.Length(); ++i) {
    const Napi::Value one = given.Get(i);
    if (!one.IsTypedArray() || one.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
      throw Napi::TypeError::New(env, "compare: expected arrays of doubles");
    }
    const Napi::Float64Array array = one.As<Napi::Float64Array>();
    auto values = std::make_shared<const std::vector<double>>(array.Data(), array.Data() + array.ElementLength());
    const std::size_t count = values->size();
    results.push_back({count, [values = std::move(values)](std::size_t k) { return (*values)[k]; }});
  }
  return call(
      env, kept, false, [results = std::move(results)](State& state) { state.compared = state.run.compare(results); },
      [](Napi::Env to, State& state) -> Napi::Value {
        Napi::Object out = Napi::Object::New(to);
        set_report(out, state.compared);
        return out;
      });
}

/// Frees the allocations of prepare(), on the job's thread, because device memory is freed there too.
Napi::Value close(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  return call(
      info.Env(), kept, false, [](State& state) { state.run.close(); },
      [](Napi::Env env, State&) -> Napi::Value { return env.Undefined(); });
}

}  // namespace

Napi::Value create_task(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "createTask: expected a problem");
  const auto state =
      with_coded_errors(env, kNoMemory, [&] { return std::make_shared<State>(read_task(Fields(problem, "problem"))); });
  Napi::Object plan = Napi::Object::New(env);
  plan.Set("variant", state->run.variant().id);
  plan.Set("precision", state->run.variant().precision);
  plan.Set("device", state->run.variant().device);
  plan.Set("estimate_bytes", state->run.estimate_bytes());
  Napi::Object out = Napi::Object::New(env);
  out.Set("plan", plan);
  const auto method = [&](const char* name,
                          Napi::Value (*body)(const Napi::CallbackInfo&, const std::shared_ptr<State>&)) {
    out.Set(name,
            Napi::Function::New(env, [state, body](const Napi::CallbackInfo& from) { return body(from, state); }));
  };
  method("prepare", prepare);
  method("sample", sample);
  method("check", check);
  method("told", read_quantities);
  method("inputs", inputs);
  method("compare", compare);
  method("close", close);
  out.Set("cancel", Napi::Function::New(env, [state](const Napi::CallbackInfo&) { state->run.cancel(); }));
  return out;
}

Napi::Value task_variants(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string wanted = info.Length() > 0 && info[0].IsString() ? info[0].ToString().Utf8Value() : "";
  Napi::Array out = Napi::Array::New(env);
  for (const engine::TaskBench& bench : tasks::benches()) {
    if (!wanted.empty() && wanted != bench.workload) continue;
    for (const engine::TaskVariant& v : bench.variants) {
      Napi::Object one = variant_object(env, bench.workload, v);
      one.Set("bench", bench.id);
      one.Set("benchTitle", bench.title);
      one.Set("precision", v.precision);
      one.Set("library", v.library[0] == '\0' ? env.Null() : Napi::Value(Napi::String::New(env, v.library)));
      out.Set(out.Length(), one);
    }
  }
  return out;
}

}  // namespace bb::binding
