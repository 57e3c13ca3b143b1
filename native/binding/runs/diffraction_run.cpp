#include "binding/addon.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/job.hpp"
#include "cpu/memory.hpp"
#include "diffraction/run/image_run.hpp"
#include "diffraction_problem.hpp"
#include "measured.hpp"

namespace bb::binding {
namespace {

using engine::ImageProgress;
using engine::ImageResult;

/// A run and its results; the functions of the JavaScript object and the promise keep it alive.
struct State {
  explicit State(diffraction::Problem problem) : run(std::move(problem)) {}
  ~State() { run.cancel(); }

  engine::ImageRun run;
  ImageResult result;
  DeviceObservation observed;
  /// Pixels as FP32, the format of image files. Allocated at the start of the run and filled on its thread, because
  /// copying a large image later would block the JavaScript thread.
  Napi::Reference<Napi::Float32Array> image;
  bool started = false;
  Job job;  // last member: its destructor waits for the thread
};

Napi::Object plan_object(Napi::Env env, const engine::ImageRun& run) {
  const diffraction::Outline& outline = run.outline();
  Napi::Object out = Napi::Object::New(env);
  out.Set("variant", run.variant().id);
  out.Set("precision", run.variant().arithmetic);
  out.Set("width", outline.width);
  out.Set("height", outline.height);
  out.Set("oversample", outline.oversample);
  out.Set("sources", static_cast<double>(outline.source_count));
  out.Set("orientations", outline.orientation_count());
  out.Set("layers", outline.layers);
  out.Set("terms", run.terms());
  out.Set("estimate_bytes", run.estimate_bytes());
  out.Set("threads", run.threads());
  return out;
}

Napi::Object result_object(Napi::Env env, const State& state) {
  const ImageResult& r = state.result;
  Napi::Object out = Napi::Object::New(env);
  out.Set("status", r.cancelled ? "cancelled" : "done");
  out.Set("done", r.done);
  out.Set("variant", state.run.variant().id);
  out.Set("precision", state.run.variant().arithmetic);
  out.Set("threads", r.threads);
  out.Set("isa", r.isa);
  out.Set("setup_s", r.setup_s);
  out.Set("solve_s", r.solve_s);
  out.Set("device_s", r.device_s);
  out.Set("setup_parts", setup_parts_array(env, r.setup_parts));
  out.Set("terms", r.terms);
  out.Set("scratch_bytes", r.scratch_bytes);
  out.Set("image", state.image.Value());
  out.Set("brightest", r.brightest);
  out.Set("spans", spans_object(env, state.run.spans()));
  state.observed.describe(env, out);
  return out;
}

Napi::Object progress_object(Napi::Env env, const ImageProgress& p) {
  Napi::Object o = Napi::Object::New(env);
  o.Set("done", p.done);
  o.Set("terms_per_s", p.terms_per_s);
  o.Set("eta_s", p.eta_s);
  return o;
}

struct SampleOptions {
  engine::ImageTimingOptions repeated;
  MeasuringOptions watched;
};

/// Reads {mode?, atLeast_s?, clocks?, trace?}, the optional argument after the progress function. Without a mode the
/// image is computed once.
SampleOptions read_sample_options(const Napi::CallbackInfo& info) {
  SampleOptions out;
  if (info.Length() < 2 || !info[1].IsObject()) return out;
  const Napi::Object object = info[1].As<Napi::Object>();
  out.watched = read_measuring(object);
  const Fields f(object, "measuring");
  if (!f.has("mode")) return out;
  with_coded_errors(info.Env(), "not enough memory",
                    [&] { out.repeated = {read_task_mode(f), f.number("atLeast_s")}; });
  return out;
}

/// Name of the device that computes the image; null on the CPU.
const std::string* gpu_of(const State& state) { return state.run.on_gpu() ? &state.run.problem().device : nullptr; }

/// Returns the image so far, or null if no row was added since the last call. It is the same array as in the result.
Napi::Value live(const Napi::CallbackInfo& info, const std::shared_ptr<State>& state) {
  const Napi::Env env = info.Env();
  const double done = state->started ? state->run.look() : -1.0;
  if (done < 0.0) return env.Null();
  Napi::Object out = Napi::Object::New(env);
  out.Set("image", state->image.Value());
  out.Set("done", done);
  return out;
}

Napi::Value start(const Napi::CallbackInfo& info, const std::shared_ptr<State>& kept) {
  const Napi::Env env = info.Env();
  if (kept->started) throw Napi::Error::New(env, "this run has already been started");
  const SampleOptions asked = read_sample_options(info);
  const std::size_t pixels = kept->run.outline().pixels();
  Napi::Float32Array image = Napi::Float32Array::New(env, pixels);
  // Garbage collection frees the array on the JavaScript thread, which is fast with large pages.
  cpu::prefer_large_pages({reinterpret_cast<std::byte*>(image.Data()), pixels * sizeof(float)});
  kept->image = Napi::Persistent(image);
  kept->run.show_in({image.Data(), pixels});
  kept->started = true;
  State* state = kept.get();
  return state->job.start(
      env, info[0], "this machine does not have enough memory for this image",
      [state, asked](const Job::ReportProgress& tell) {
        state->run.begin();
        state->observed.around(asked.watched, gpu_of(*state), state->run.spans().origin(), [&] {
          state->result = state->run.execute(
              [&tell](const ImageProgress& p) { tell([p](Napi::Env to) { return progress_object(to, p); }); },
              asked.repeated);
        });
        // The FP32 array has all pixels. Freeing the FP64 image later would block the JavaScript thread.
        std::vector<double>().swap(state->result.image);
      },
      [kept](Napi::Env to) -> Napi::Value { return result_object(to, *kept); });
}

}  // namespace

Napi::Value create_diffraction(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object problem = object_argument(info, "createDiffraction: expected a problem");
  const auto state = with_coded_errors(env, "not enough memory for the tables of this scenario", [&] {
    return std::make_shared<State>(read_diffraction(Fields(problem, "problem")));
  });
  Napi::Object out = Napi::Object::New(env);
  out.Set("plan", plan_object(env, state->run));
  out.Set("start", Napi::Function::New(env, [state](const Napi::CallbackInfo& call) { return start(call, state); }));
  out.Set("live", Napi::Function::New(env, [state](const Napi::CallbackInfo& call) { return live(call, state); }));
  out.Set("cancel", Napi::Function::New(env, [state](const Napi::CallbackInfo&) { state->run.cancel(); }));
  return out;
}

Napi::Value diffraction_variants(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array out = Napi::Array::New(env);
  uint32_t n = 0;
  for (const diffraction::Variant& v : diffraction::variants()) {
    Napi::Object o = variant_object(env, "diffraction", v);
    o.Set("precision", v.arithmetic);
    o.Set("flopsPerTerm", v.flops_per_term);
    const bool cpu_fp64 = std::string_view(v.device) == "cpu" && std::string_view(v.arithmetic) == "fp64";
    o.Set("fp64FlopsPerTerm", cpu_fp64 ? v.flops_per_term : v.fp64_flops_per_term);
    o.Set("flopsPerBeam", v.flops_per_beam);
    o.Set("fp64FlopsPerBeam", v.fp64_flops_per_beam);
    o.Set("bytesPerTerm", v.bytes_per_term);
    o.Set("brightError", v.bright_error);
    out.Set(n++, o);
  }
  return out;
}

}  // namespace bb::binding
